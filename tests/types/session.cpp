#include "session.hpp"

#include <stdexcept>

namespace lockstep::types_test {
namespace {

constexpr const char* settings =
    "-c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=3 -c timezone=UTC -c bytea_output=hex"
    " -c lc_monetary=C -c client_encoding=UTF8";

}  // namespace

Session::Session(const std::string& url) {
  const char* const keywords[] = {"dbname", "options", nullptr};
  const char* const values[] = {url.c_str(), settings, nullptr};
  connection_.reset(PQconnectdbParams(keywords, values, 1));  // 1: a URL may stand for the database's name
  if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
}

Answer Session::run(const std::string& sql, const std::vector<std::string>& parameters, Form form) {
  std::vector<const char*> values;
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  PGresult* result = PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                                  values.data(), nullptr, nullptr, static_cast<int>(form));
  Answer answer(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    throw std::runtime_error(sql + ": " + PQresultErrorMessage(result));
  }
  return answer;
}

}  // namespace lockstep::types_test

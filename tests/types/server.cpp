#include "server.hpp"

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace lockstep::types_test {
namespace {

constexpr const char* programs = "/usr/lib/postgresql/15/bin/";  // where Debian puts them
constexpr const char* settings =
    "-c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=3 -c timezone=UTC -c bytea_output=hex"
    " -c lc_monetary=C -c client_encoding=UTF8";

void shell(const std::string& command) {
  const std::string as_postgres = "setpriv --reuid=postgres --regid=postgres --clear-groups ";
  const std::string line = (geteuid() == 0 ? as_postgres : "") + programs + command + " >/dev/null 2>&1";
  if (std::system(line.c_str()) != 0) throw std::runtime_error("failed: " + line);
}

}  // namespace

Server::Server() {
  std::string name = (std::filesystem::temp_directory_path() / "lockstep-types-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
  if (geteuid() == 0 && std::system(("chown postgres:postgres " + name).c_str()) != 0) {
    throw std::runtime_error("no user postgres");
  }
  const std::string data = name + "/data";
  shell("initdb -D " + data + " -U postgres -A trust -E UTF8 --locale=C --no-sync");
  shell("pg_ctl -D " + data + " -w -l " + name + "/log -o \"-k " + name +
        " -c listen_addresses= -c fsync=off\" start");
  started_ = true;
}

Server::~Server() {
  try {
    if (started_) shell("pg_ctl -D " + (folder_ / "data").string() + " -m immediate -w stop");
  } catch (const std::exception&) {
    // The folder is removed below, and a server without its folder ends by itself.
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Session::Session(const Server& server) {
  const std::string host = server.folder().string();
  const char* const keywords[] = {"host", "dbname", "user", "options", nullptr};
  const char* const values[] = {host.c_str(), "postgres", "postgres", settings, nullptr};
  connection_.reset(PQconnectdbParams(keywords, values, 0));
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

#include "source/postgres/connection.hpp"

#include <libpq-fe.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>

#include "source/postgres/login.hpp"
#include "source/postgres/sqlstate.hpp"

namespace lockstep::postgres {

// ---- Rows ----------------------------------------------------------------------------------------------------------

void Rows::Clear::operator()(pg_result* result) const { PQclear(result); }

std::size_t Rows::size() const { return static_cast<std::size_t>(PQntuples(result_.get())); }
std::size_t Rows::column_count() const { return static_cast<std::size_t>(PQnfields(result_.get())); }

bool Rows::is_null(std::size_t row, std::size_t column) const {
  return PQgetisnull(result_.get(), static_cast<int>(row), static_cast<int>(column)) != 0;
}

std::string_view Rows::text(std::size_t row, std::size_t column) const {
  const int r = static_cast<int>(row);
  const int c = static_cast<int>(column);
  return {PQgetvalue(result_.get(), r, c), static_cast<std::size_t>(PQgetlength(result_.get(), r, c))};
}

std::int64_t Rows::number(std::size_t row, std::size_t column) const {
  const std::string_view digits = text(row, column);
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::uint64_t Rows::unsigned_number(std::size_t row, std::size_t column) const {
  const std::string_view digits = text(row, column);
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// ---- Connection ----------------------------------------------------------------------------------------------------

void Connection::Finish::operator()(pg_conn* handle) const { PQfinish(handle); }

Result<Connection> Connection::open(const Address& address, Purpose purpose) {
  TRY(handle, login(address, purpose == Purpose::replication));
  Connection connection(handle);
  TRY_DO(connection.run(session_settings(connection.server_version())));
  return connection;
}

namespace {

bool succeeded(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY ||
         status == PGRES_COPY_BOTH || status == PGRES_COPY_OUT;
}

}  // namespace

Result<Rows> Connection::query(const std::string& sql) {
  Rows rows(PQexec(handle_.get(), sql.c_str()));
  if (rows.raw() == nullptr || !succeeded(rows.raw())) return error_of(rows.raw());
  return rows;
}

Result<Rows> Connection::query(const std::string& sql, const std::vector<std::string>& parameters) {
  std::vector<const char*> values;
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  Rows rows(PQexecParams(handle_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(), nullptr,
                         nullptr, 0));
  if (rows.raw() == nullptr || !succeeded(rows.raw())) return error_of(rows.raw());
  return rows;
}

Result<std::vector<Rows>> Connection::query_each(const std::string& sql) {
  if (PQsendQuery(handle_.get(), sql.c_str()) == 0) return last_error();
  std::vector<Rows> all;
  std::optional<Error> failed;
  while (PGresult* result = PQgetResult(handle_.get())) {
    all.emplace_back(result);
    if (!succeeded(result) && !failed) failed = error_of(result);
    if (PQstatus(handle_.get()) == CONNECTION_BAD) break;
  }
  if (failed) return *failed;
  return all;
}

Status Connection::run(const std::string& sql) {
  TRY(rows, query(sql));
  static_cast<void>(rows);
  return Done{};
}

Status Connection::send(const std::string& sql) {
  if (PQsendQuery(handle_.get(), sql.c_str()) == 0) return last_error();
  return Done{};
}

Result<bool> Connection::result_ready(std::chrono::milliseconds wait_max) {
  if (PQisBusy(handle_.get()) == 0) return true;
  if (!wait_for_socket(socket(), false, wait_max)) return false;
  if (PQconsumeInput(handle_.get()) == 0) return last_error();
  return PQisBusy(handle_.get()) == 0;
}

Result<Rows> Connection::take_result() {
  Rows first(PQgetResult(handle_.get()));
  while (PGresult* more = PQgetResult(handle_.get())) PQclear(more);
  if (first.raw() == nullptr || !succeeded(first.raw())) return error_of(first.raw());
  return first;
}

void Connection::cancel() {
  PGcancel* request = PQgetCancel(handle_.get());
  if (request == nullptr) return;
  char message[256];
  PQcancel(request, message, sizeof message);  // if it cannot be sent, the statement's own end tells
  PQfreeCancel(request);
}

int Connection::server_version() const { return PQserverVersion(handle_.get()); }
std::string Connection::database() const { return PQdb(handle_.get()); }
std::string Connection::user() const { return PQuser(handle_.get()); }
std::uint32_t Connection::backend() const { return static_cast<std::uint32_t>(PQbackendPID(handle_.get())); }
int Connection::socket() const { return PQsocket(handle_.get()); }
bool Connection::encrypted() const { return PQsslInUse(handle_.get()) != 0 || PQgssEncInUse(handle_.get()) != 0; }
bool Connection::broken() const { return PQstatus(handle_.get()) != CONNECTION_OK; }
bool Connection::in_transaction() const { return PQtransactionStatus(handle_.get()) != PQTRANS_IDLE; }

bool Connection::seems_alive() const {
  if (broken()) return false;
  char first = 0;
  const ssize_t got = recv(socket(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  // Something waits to be read. In clear text 'E' is the server's goodbye, anything else a notice or a changed setting;
  // under TLS record type 21 is an alert (RFC 8446, section 5.1).
  return encrypted() ? first != 21 : first != 'E';
}

Error Connection::last_error() const {
  std::string text = PQerrorMessage(handle_.get());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return {broken() ? ErrorKind::unreachable : ErrorKind::unexpected,
          broken() ? "the connection to the source broke: " + text : "the source's client library failed: " + text};
}

Error Connection::error_of(const pg_result* result) const {
  if (result == nullptr) return last_error();
  const char* code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  if (code == nullptr || text == nullptr) return last_error();
  Error error{kind_of_sqlstate(code), std::string("the source says: ") + text};
  error.native = code;
  if (const char* hint = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT)) error.remedy = hint;
  if (broken()) error.kind = ErrorKind::unreachable;
  return error;
}

// ---- Waiting -------------------------------------------------------------------------------------------------------

bool wait_for_socket(int socket, bool to_write, std::chrono::milliseconds wait_max) {
  pollfd entry{socket, static_cast<short>(to_write ? POLLIN | POLLOUT : POLLIN), 0};
  return ::poll(&entry, 1, static_cast<int>(wait_max.count())) != 0;
}

void pause_for(std::chrono::microseconds wait) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
  const std::chrono::nanoseconds rest = wait - seconds;
  const timespec time{seconds.count(), rest.count()};
  ::ppoll(nullptr, 0, &time, nullptr);
}

std::string array_of(const std::vector<TableId>& tables) {
  std::string out = "{";
  for (const TableId table : tables) {
    if (out.size() > 1) out += ',';
    out += std::to_string(table.value);
  }
  return out + "}";
}

}  // namespace lockstep::postgres

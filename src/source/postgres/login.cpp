#include "source/postgres/login.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "source/postgres/connection.hpp"
#include "source/postgres/sqlstate.hpp"

namespace lockstep::postgres {
namespace {

using std::chrono::milliseconds;

// No setting of a server, a database or a role may change a value's form, hide rows, or end our sessions. A replication
// connection takes these only at its start, so they go into its first packet ("options"). All exist since PostgreSQL 10.
constexpr const char* start_settings =
    "-c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=3 -c timezone=UTC -c bytea_output=hex"
    " -c lc_monetary=C -c xmlbinary=base64 -c standard_conforming_strings=on -c array_nulls=on"
    " -c search_path=pg_catalog -c row_security=off"
    " -c default_transaction_read_only=off -c default_transaction_isolation=read\\ committed"
    " -c default_transaction_deferrable=off"
    " -c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0"
    " -c synchronous_commit=local";  // a standby that is away must not hold us

constexpr int connect_seconds = 15;  // one host; a far region with TLS takes one or two

struct Finish {
  void operator()(PGconn* handle) const { PQfinish(handle); }
};
using Handle = std::unique_ptr<PGconn, Finish>;

/// Keywords and values as libpq takes them.
struct Parameters {
  std::vector<std::string> keywords;
  std::vector<std::string> values;

  void set(std::string keyword, std::string value) {
    keywords.push_back(std::move(keyword));
    values.push_back(std::move(value));
  }
  void set_default(const Address& address, const char* keyword, const char* value) {
    if (address.parameter(keyword).empty()) set(keyword, value);
  }
};

Parameters parameters_of(const Address& address, bool replication) {
  Parameters out;
  std::string options = start_settings;
  for (const auto& [keyword, value] : address.parameters()) {
    if (keyword == "options") {
      options = value + " " + options;  // the last one wins: ours
    } else {
      out.set(keyword, value);
    }
  }
  if (!address.password().empty()) out.set("password", address.password().reveal());
  // wal_sender_timeout is a setting of the session since 12, and unknown names would end an older server's greeting;
  // those are refused a moment later anyway.
  if (replication) options += " -c wal_sender_timeout=60s";
  out.set("options", options);
  out.set("client_encoding", "UTF8");
  out.set("application_name", "lockstep");
  if (replication) out.set("replication", "database");
  // Finds out within a minute and a half that the other end is gone, also where a firewall forgets idle connections.
  out.set_default(address, "keepalives_idle", "30");
  out.set_default(address, "keepalives_interval", "10");
  out.set_default(address, "keepalives_count", "3");
  out.set_default(address, "tcp_user_timeout", "60000");
  return out;
}

milliseconds time_allowed(const Address& address) {
  int seconds = connect_seconds;
  const std::string given = address.parameter("connect_timeout");
  std::from_chars(given.data(), given.data() + given.size(), seconds);
  if (seconds <= 0) seconds = connect_seconds;
  const std::string hosts = address.parameter("host");
  const auto host_count = 1 + std::count(hosts.begin(), hosts.end(), ',');
  return milliseconds(std::chrono::seconds(seconds)) * host_count;
}

/// Drives the connection until it stands or fails. False: the time is over.
bool finish_connecting(PGconn* handle, milliseconds allowed) {
  const auto start = system_clock().monotonic();
  PostgresPollingStatusType wants = PGRES_POLLING_WRITING;
  while (wants != PGRES_POLLING_OK && wants != PGRES_POLLING_FAILED) {
    const auto spent = std::chrono::duration_cast<milliseconds>(system_clock().monotonic() - start);
    if (spent >= allowed) return false;
    const milliseconds slice = std::min(allowed - spent, milliseconds(1000));
    if (wants == PGRES_POLLING_WRITING || PQsocket(handle) < 0) {
      wait_for_socket(PQsocket(handle), true, slice);
    } else if (!wait_for_socket(PQsocket(handle), false, slice)) {
      continue;
    }
    wants = PQconnectPoll(handle);
  }
  return true;
}

std::string one_line(std::string_view text) {
  std::string line(text.substr(0, text.find("\nLOCATION:")));
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

struct Hint {
  std::string_view sign;  // in libpq's own text; it is English unless the program sets a locale, which ours does not
  ErrorKind kind;
  const char* remedy;
};

// Failures that have no SQLSTATE, because the server never got to speak.
constexpr std::array hints{
    Hint{"could not translate host name", ErrorKind::unreachable, "check the host in the source address"},
    Hint{"Connection refused", ErrorKind::unreachable,
         "check host and port, and that the server runs and listens there (listen_addresses)"},
    Hint{"No such file or directory", ErrorKind::unreachable, "check the socket's folder, or give host and port"},
    Hint{"server does not support SSL", ErrorKind::refused,
         "switch TLS on at the server (ssl = on), or choose sslmode=prefer"},
    Hint{"does not match host name", ErrorKind::refused,
         "use the name in the server's certificate, or choose sslmode=verify-ca"},
    Hint{"root certificate file", ErrorKind::refused, "give the authority's certificate as sslrootcert=PATH"},
    Hint{"certificate verify failed", ErrorKind::refused,
         "give the authority that signed the server's certificate as sslrootcert=PATH"},
    Hint{"no password supplied", ErrorKind::refused, "give the password in the source address, PGPASSWORD or .pgpass"},
    Hint{"could not read certificate file", ErrorKind::refused, "check sslcert and sslkey"},
    Hint{"private key file", ErrorKind::refused, "check sslkey and the file's rights"},
    Hint{"invalid sslmode", ErrorKind::bad_input, "choose disable, allow, prefer, require, verify-ca or verify-full"},
    Hint{"invalid port number", ErrorKind::bad_input, "check the port in the source address"},
    Hint{"invalid integer value", ErrorKind::bad_input, "check the numbers in the source address"},
};

std::string remedy_for(const Address& address, std::string_view code, std::string_view text) {
  const std::string user = address.parameter("user").empty() ? "the role" : address.parameter("user");
  if (code == "28P01") return "check the password: source address, PGPASSWORD or .pgpass";
  if (code == "28000" && text.find("pg_hba.conf") != std::string_view::npos) {
    return text.find("no encryption") == std::string_view::npos
               ? "let " + user + " in from this machine in the server's pg_hba.conf"
               : "choose sslmode=require, or let " + user + " in without TLS in the server's pg_hba.conf";
  }
  if (code == "28000") return "check the user in the source address";
  if (code == "3D000") return "check the database's name in the source address";
  if (code == "42501") return "run: ALTER ROLE " + user + " REPLICATION";
  if (code == "53300") return "wait, or raise max_connections or max_wal_senders at the server";
  if (code == "57P03") return "the server is starting up or shutting down; wait";
  return {};
}

}  // namespace

Error login_error(const Address& address, std::string_view message, bool replication) {
  const std::string where = "cannot connect to " + address.server() + (replication ? " for replication: " : ": ");
  if (const std::string_view code = sqlstate_in(message); !code.empty()) {
    const std::string_view text = text_after_sqlstate(message);
    Error error{kind_of_sqlstate(code), where + std::string(text), remedy_for(address, code, text)};
    error.native = code;
    return error;
  }
  for (const Hint& hint : hints) {
    if (message.find(hint.sign) != std::string_view::npos) return {hint.kind, where + one_line(message), hint.remedy};
  }
  return {ErrorKind::unreachable, where + one_line(message)};
}

Result<pg_conn*> login(const Address& address, bool replication) {
  const Parameters parameters = parameters_of(address, replication);
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const std::string& keyword : parameters.keywords) keywords.push_back(keyword.c_str());
  for (const std::string& value : parameters.values) values.push_back(value.c_str());
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  Handle handle(PQconnectStartParams(keywords.data(), values.data(), 0));
  if (handle == nullptr) return Error{ErrorKind::unexpected, "the source's client library has no memory"};
  // Messages carry the SQLSTATE then, which a failed connection gives no other way.
  PQsetErrorVerbosity(handle.get(), PQERRORS_VERBOSE);
  const milliseconds allowed = time_allowed(address);
  if (PQstatus(handle.get()) != CONNECTION_BAD && !finish_connecting(handle.get(), allowed)) {
    return Error{ErrorKind::unreachable,
                 "cannot connect to " + address.server() + ": no answer within " +
                     std::to_string(std::chrono::duration_cast<std::chrono::seconds>(allowed).count()) + " s",
                 "check host and port, and that no firewall stands in between"};
  }
  if (PQstatus(handle.get()) != CONNECTION_OK) return login_error(address, PQerrorMessage(handle.get()), replication);
  PQsetErrorVerbosity(handle.get(), PQERRORS_DEFAULT);
  // Notices would go to stderr.
  PQsetNoticeReceiver(
      handle.get(), [](void*, const PGresult*) {}, nullptr);
  return handle.release();
}

std::string session_settings(int server_version) {
  std::string sql = "SET jit = off";  // planning one range costs less than compiling it
  if (server_version >= 140000) sql += "; SET idle_session_timeout = 0";
  if (server_version >= 170000) sql += "; SET transaction_timeout = 0";
  return sql;
}

}  // namespace lockstep::postgres

#include "server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace lockstep::postgres_test {
namespace {

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket, generic, size) != 0 || ::getsockname(socket, generic, &size) != 0) {
    throw std::runtime_error("no free port");
  }
  ::close(socket);
  return ntohs(address.sin_port);
}

/// Starts a program as the user postgres, or as ourselves if we are not root.
pid_t spawn(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const passwd* user = getpwnam("postgres");
  const pid_t child = fork();
  if (child != 0) return child;
  const int file = ::open(output.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0666);
  ::dup2(file, 1);
  ::dup2(file, 2);
  if (geteuid() == 0) {
    if (user == nullptr || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0) _exit(126);
  }
  execv(arguments[0], arguments.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

std::filesystem::path programs_of(int version) {
  const std::string command =
      std::string(LOCKSTEP_DEPS) + " where postgresql-" + std::to_string(version) + " 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  char line[4096] = {};
  std::string found = std::fgets(line, sizeof line, pipe) == nullptr ? "" : line;
  if (pclose(pipe) != 0) return {};
  while (!found.empty() && found.back() == '\n') found.pop_back();
  return found;
}

Server::Server(const std::filesystem::path& programs, const std::string& settings)
    : programs_(programs), settings_(settings), port_(free_port()) {
  std::string name = (std::filesystem::temp_directory_path() / "lockstep-source-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
  initialise();
  start();
}

void Server::initialise() {
  if (const passwd* user = getpwnam("postgres"); geteuid() == 0 && user != nullptr) {
    if (chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0)
      throw std::runtime_error("cannot give the folder away");
  }
  const std::string data = folder_ / "data";
  const std::vector<std::string> words{
      programs_ / "initdb",        "-D", data,   "-U",         "postgres", "--auth-local=trust",
      "--auth-host=scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync"};
  if (wait_for(spawn(words, folder_ / "log")) != 0) throw std::runtime_error("initdb failed, see " + folder_.string());
  std::ofstream(folder_ / "data/postgresql.conf", std::ios::app)
      << "port = " << port_ << "\nunix_socket_directories = '" << folder_.string()
      << "'\nlisten_addresses = '127.0.0.1'\n"
      << "wal_level = logical\nmax_wal_senders = 10\nmax_replication_slots = 20\nmax_prepared_transactions = 5\n"
      << "fsync = off\nlogical_decoding_work_mem = 64kB\nautovacuum = off\n"
      << settings_ << "\n";
}

void Server::start() {
  process_ = spawn({programs_ / "postgres", "-D", folder_ / "data"}, folder_ / "log");
  for (int tries = 0; tries < 300; ++tries) {
    auto session =
        postgres::Connection::open(must(postgres::Address::parse(url("postgres"))), postgres::Purpose::ordinary);
    if (session.ok()) return;
    int status = 0;
    if (waitpid(process_, &status, WNOHANG) == process_) break;
    postgres::pause_for(std::chrono::milliseconds(100));
  }
  throw std::runtime_error("the server did not start, see " + folder_.string());
}

void Server::stop() {
  if (process_ == 0) return;
  kill(process_, SIGQUIT);  // immediate
  wait_for(process_);
  process_ = 0;
}

Server::~Server() {
  stop();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Server::url(const std::string& database) const {
  return "postgresql://postgres@/" + database + "?host=" + folder_.string() + "&port=" + std::to_string(port_);
}

std::string Server::tcp_url(const std::string& user_and_password, const std::string& database) const {
  return "postgresql://" + user_and_password + "@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

Session::Session(const std::string& url)
    : connection_(std::make_unique<postgres::Connection>(
          must(postgres::Connection::open(must(postgres::Address::parse(url)), postgres::Purpose::ordinary)))) {
  run("SET search_path = public, pg_catalog");
}

postgres::Rows Session::query(const std::string& sql) {
  auto rows = connection_->query(sql);
  if (!rows.ok()) throw std::runtime_error(sql.substr(0, 200) + ": " + to_text(rows.error()));
  return std::move(rows).value();
}

std::string Session::value(const std::string& sql) { return query(sql).string(0, 0); }
void Session::run(const std::string& sql) { query(sql); }

std::vector<std::string> Session::lines(const std::string& sql) {
  const postgres::Rows rows = query(sql);
  std::vector<std::string> out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < rows.column_count(); ++c) {
      if (c > 0) line += '|';
      line += rows.is_null(r, c) ? "NULL" : rows.string(r, c);
    }
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace lockstep::postgres_test

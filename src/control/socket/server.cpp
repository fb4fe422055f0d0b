#include "control/socket/server.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace lockstep::control {
namespace {

constexpr std::size_t request_bytes_max = 16u << 20;  // a long statement; anything longer is a mistake

Error socket_failed(const std::string& doing) {
  return {ErrorKind::unexpected, "control socket: " + doing + ": " + std::strerror(errno)};
}

}  // namespace

Result<std::unique_ptr<Server>> Server::listen(const std::string& folder, runtime::EventLoop& loop,
                                               runtime::Workers& workers, runtime::Controls& controls,
                                               const Clock& clock) {
  TRY(address, SocketAddress::in(folder));
  ::unlink(address.path());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return socket_failed("create");
  constexpr int waiting_clients_max = 64;
  const mode_t others = ::umask(0077);
  const bool bound = ::bind(fd, address.get(), address.size()) == 0 && ::listen(fd, waiting_clients_max) == 0;
  ::umask(others);
  if (!bound) {
    const Error error = socket_failed("listen");
    ::close(fd);
    return error;
  }
  return std::unique_ptr<Server>(new Server(std::move(address), fd, loop, workers, controls, clock));
}

Server::Server(SocketAddress address, int fd, runtime::EventLoop& loop, runtime::Workers& workers,
               runtime::Controls& controls, const Clock& clock)
    : address_(std::move(address)), fd_(fd), loop_(loop), workers_(workers), controls_(controls), clock_(clock) {
  loop_.watch(fd_, runtime::EventLoop::For::reading, [this] { accept_client(); });
}

Server::~Server() {
  *alive_ = false;
  loop_.unwatch(fd_);
  ::unlink(address_.path());
  ::close(fd_);
  while (!clients_.empty()) drop(clients_.begin()->first);
}

void Server::accept_client() {
  const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  const ClientId id = ++last_id_;
  clients_[id].fd = fd;
  loop_.watch(fd, runtime::EventLoop::For::reading, [this, id] { read_from(id); });
}

void Server::drop(ClientId id) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  loop_.unwatch(found->second.fd);
  ::close(found->second.fd);
  clients_.erase(found);
}

void Server::read_from(ClientId id) {
  Client& client = clients_.at(id);
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(client.fd, buffer.data(), buffer.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0 || client.asked) return drop(id);  // it went away, or says more than one line
  client.in.append(buffer.data(), static_cast<std::size_t>(got));
  const std::size_t end = client.in.find('\n');
  if (end == std::string::npos) {
    if (client.in.size() > request_bytes_max) drop(id);
    return;
  }
  client.asked = true;
  const std::string line = client.in.substr(0, end);
  handle(id, line);
}

void Server::handle(ClientId id, const std::string& line) {
  const Result<Request> request = parse_request(line);
  if (!request.ok()) return answer(id, error_line(request.error()));
  if (const auto* wait = std::get_if<WaitRequest>(&request.value())) return handle_wait(id, wait->what);
  if (const auto* query = std::get_if<QueryRequest>(&request.value())) return handle_query(id, query->sql);
  handle_plain(id, std::get<PlainRequest>(request.value()).verb);
}

void Server::handle_plain(ClientId id, Verb verb) {
  const auto answer_done = [&](const Status& done) { answer(id, done.ok() ? done_line() : error_line(done.error())); };
  switch (verb) {
    case Verb::status: return answer(id, status_line(controls_.status(), UnixMicros{clock_.wall().count()}));
    case Verb::pause: return answer_done(controls_.pause());
    case Verb::resume: return answer_done(controls_.resume());
    case Verb::stop: controls_.request_stop(); return answer(id, done_line());
  }
}

template <class Job, class Then>
void Server::aside(Job job, Then then) {
  workers_.submit([&loop = loop_, alive = alive_, job = std::move(job), then = std::move(then)]() mutable {
    auto result = job();
    loop.post([alive, result = std::move(result), then = std::move(then)]() mutable {
      if (*alive) then(std::move(result));
    });
  });
}

void Server::handle_wait(ClientId id, const WaitFor& what) {
  if (const auto* state = std::get_if<WaitState>(&what)) return set_goal(id, runtime::StateShown{state->target});
  // Asking for the end also makes the source's log move past the wanted position, so both kinds ask.
  aside([&controls = controls_] { return controls.end_of_log(); },
        [this, id, what](const Result<Position>& end) {
          if (const auto* position = std::get_if<WaitPosition>(&what)) {
            return set_goal(id, runtime::PositionShown{position->target});
          }
          if (!end.ok()) return answer(id, error_line(end.error()));
          set_goal(id, runtime::CaughtUp{end.value()});
        });
}

void Server::set_goal(ClientId id, const runtime::Goal& goal) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  found->second.goal = goal;
  status_changed();
}

void Server::status_changed() {
  std::vector<ClientId> reached;
  std::optional<runtime::MirrorStatus> status;
  for (const auto& [id, client] : clients_) {
    if (!client.goal || client.answered) continue;
    if (!status) status = controls_.status();
    if (runtime::is_reached(*client.goal, *status)) reached.push_back(id);
  }
  for (const ClientId id : reached) answer(id, done_line());
}

void Server::handle_query(ClientId id, const std::string& sql) {
  aside(
      [&controls = controls_, sql] {
        const Result<destination::Answer> answered = controls.query(sql);
        return answered.ok() ? query_line(answered.value()) : error_line(answered.error());
      },
      [this, id](std::string line) { answer(id, std::move(line)); });
}

void Server::answer(ClientId id, std::string line) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;  // it went away meanwhile
  found->second.answered = true;
  found->second.out = std::move(line) + "\n";
  write_to(id);
}

void Server::write_to(ClientId id) {
  Client& client = clients_.at(id);
  while (!client.out.empty()) {
    const ssize_t put = ::send(client.fd, client.out.data(), client.out.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EAGAIN) {
      return loop_.watch(client.fd, runtime::EventLoop::For::writing, [this, id] { write_to(id); });
    }
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return drop(id);
    client.out.erase(0, static_cast<std::size_t>(put));
  }
  // Left open until the other side goes: whoever has asked to stop sees by its end that the process has ended.
  loop_.watch(client.fd, runtime::EventLoop::For::reading, [this, id] { read_from(id); });
}

}  // namespace lockstep::control

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/socket/address.hpp"
#include "control/socket/protocol.hpp"
#include "runtime/controls.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/workers.hpp"

namespace lockstep::control {

/// Answers on a mirror's control socket. Lives on the event loop's thread; what may block goes to the workers.
class Server {
 public:
  /// Listens in the state folder, whose lock the caller holds: a socket left by a killed process is replaced.
  static Result<std::unique_ptr<Server>> listen(const std::string& folder, runtime::EventLoop& loop,
                                                runtime::Workers& workers, runtime::Controls& controls,
                                                const Clock& clock);
  ~Server();

  /// Looks whether somebody's goal has been reached. Called when the status has changed.
  void status_changed();

 private:
  struct Client {
    int fd = -1;
    std::string in;
    std::string out;
    std::optional<runtime::Goal> goal;  ///< what it waits for
    bool asked = false;                 ///< its line is in; there is only one
    bool answered = false;
  };
  using ClientId = std::uint64_t;

  Server(SocketAddress address, int fd, runtime::EventLoop& loop, runtime::Workers& workers,
         runtime::Controls& controls, const Clock& clock);
  void accept_client();
  void read_from(ClientId id);
  void write_to(ClientId id);
  void handle(ClientId id, const std::string& line);
  void handle_plain(ClientId id, Verb verb);
  void handle_wait(ClientId id, const WaitFor& what);
  void handle_query(ClientId id, const std::string& sql);
  void set_goal(ClientId id, const runtime::Goal& goal);
  void answer(ClientId id, std::string line);
  void drop(ClientId id);
  /// Runs `job` on a worker; what it returns goes back to the loop, if this server still lives.
  template <class Job, class Then>
  void aside(Job job, Then then);

  SocketAddress address_;
  const int fd_;
  runtime::EventLoop& loop_;
  runtime::Workers& workers_;
  runtime::Controls& controls_;
  const Clock& clock_;
  std::map<ClientId, Client> clients_;
  ClientId last_id_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace lockstep::control

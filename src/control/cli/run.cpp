#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/log_writer.hpp"
#include "control/cli/display.hpp"
#include "control/cli/exit_code.hpp"
#include "control/cli/state_folder.hpp"
#include "control/cli/verbs.hpp"
#include "control/socket/server.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/mirror.hpp"
#include "runtime/workers.hpp"

// `lockstep run`: this thread waits for signals, requests and the display's clock, and never blocks; the mirror has
// threads of its own, and what a request has to wait for goes to the workers.
namespace lockstep::control {
namespace {

constexpr std::chrono::seconds lock_wait{30};  // for a short verb, or a predecessor that is ending
constexpr std::chrono::milliseconds draw_period{200};
constexpr std::chrono::seconds say_period{10};  // of progress lines, when there is no terminal
constexpr std::size_t blocking_requests = 4;    // queries and the like that run at the same time

void write_line(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));  // nobody reads: nobody misses it
}

/// Everything of one run that has to live as long as it does, in the order in which it goes.
class Running {
 public:
  Running(const RunArguments& arguments, const Program& program) : arguments_(arguments), program_(program) {}

  int run();

 private:
  Result<runtime::MirrorOptions> options(const std::string& folder);
  Result<std::string> choose_folder();
  Status fill_in_remembered(runtime::MirrorOptions& options);
  Status start(const std::string& folder);
  void show();
  void say_progress(const runtime::MirrorStatus& status);
  int exit_code() const;
  void report_end() const;
  void make_log();

  const RunArguments& arguments_;
  const Program& program_;
  runtime::SourceSummary source_;
  std::string name_;
  runtime::EventLoop loop_{program_.clock};
  std::unique_ptr<Display> display_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<runtime::Workers> workers_;
  std::unique_ptr<runtime::Mirror> mirror_;
  std::unique_ptr<Server> server_;
  std::optional<runtime::Outcome> outcome_;
};

void Running::make_log() {
  if (Display::fits(STDERR_FILENO)) display_ = std::make_unique<Display>(STDERR_FILENO, program_.clock);
  log_ = make_log_writer(arguments_.log_level, program_.clock, [this](std::string_view line) {
    if (!display_) return write_line(line);
    loop_.post([this, text = std::string(line)] { display_->print_line(text); });
  });
}

Result<std::string> Running::choose_folder() {
  TRY(source, program_.adapters.summarize_source(arguments_.from));
  source_ = std::move(source);
  name_ = arguments_.mirror.name.empty() ? source_.database : arguments_.mirror.name;
  TRY_DO(check_mirror_name(name_));
  TRY_DO(program_.adapters.complete_destination(arguments_.to, name_));  // before anything is made
  return find_state_folder({name_, arguments_.mirror.state_folder});
}

/// What was not said comes from the mirror that was made here before.
Status Running::fill_in_remembered(runtime::MirrorOptions& options) {
  TRY(catalog, program_.adapters.open_catalog(options.state_folder));
  TRY(mirror, catalog->load());
  if (!mirror) return Done{};
  if (arguments_.mirror.name.empty()) options.mirror = name_ = mirror->name;
  if (arguments_.to.empty()) options.destination = mirror->destination;
  return Done{};
}

Result<runtime::MirrorOptions> Running::options(const std::string& folder) {
  runtime::MirrorOptions options;
  options.mirror = name_;
  options.source_url = arguments_.from;
  options.source_printable = source_.printable;
  options.state_folder = folder;
  options.selection = arguments_.selection;
  options.copy_workers = arguments_.copy_workers;
  options.until_caught_up = arguments_.until_caught_up;
  options.destination_options.memory_bytes_max = arguments_.memory_bytes;
  if (arguments_.memory_bytes > 0) {
    // A batch is held twice for a moment, as changes and as the destination's vectors; the destination takes the most.
    constexpr std::uint64_t part = 8;
    constexpr std::uint64_t least = 4ull << 20;
    options.batch_bytes_max = std::clamp(arguments_.memory_bytes / part, least, options.batch_bytes_max);
  }
  TRY_DO(fill_in_remembered(options));
  if (options.destination.empty()) {
    TRY(address, program_.adapters.complete_destination(arguments_.to, name_));
    options.destination = std::move(address);
  }
  return options;
}

Status Running::start(const std::string& folder) {
  TRY_DO(loop_.catch_stop_signals([this] {
    log_->info("stop_requested");
    if (mirror_) mirror_->request_stop();
  }));
  workers_ = std::make_unique<runtime::Workers>(blocking_requests);
  TRY(wanted, options(folder));
  TRY(mirror, runtime::Mirror::make(std::move(wanted), program_.adapters, {*log_, program_.clock}));
  mirror_ = std::move(mirror);
  TRY(server, Server::listen(folder, loop_, *workers_, *mirror_, program_.clock));
  server_ = std::move(server);
  mirror_->on_change([this] { loop_.post([this] { server_->status_changed(); }); });
  log_->info("mirror_started", {{"mirror", name_}, {"source", source_.printable}, {"state", folder}});
  mirror_->start([this](const runtime::Outcome& outcome) {
    loop_.post([this, outcome] {
      outcome_ = outcome;
      loop_.end();
    });
  });
  return Done{};
}

void Running::show() {
  if (display_) {
    loop_.every(draw_period, [this] { display_->draw(mirror_->status()); });
  } else {
    loop_.every(say_period, [this] { say_progress(mirror_->status()); });
  }
}

void Running::say_progress(const runtime::MirrorStatus& status) {
  if (status.state != runtime::MirrorState::copying && status.state != runtime::MirrorState::joining) return;
  const CopyTotals totals = copy_totals(status);
  log_->info("copy_progressed", {{"tables", totals.tables_done},
                                 {"of_tables", totals.tables},
                                 {"rows", totals.rows_done},
                                 {"bytes", totals.bytes_done},
                                 {"of_bytes", totals.bytes}});
}

int Running::exit_code() const {
  if (!outcome_->error) return exit_done;
  return outcome_->obstacles.empty() ? exit_failed : exit_assessment;
}

void Running::report_end() const {
  if (!outcome_->error) return log_->info("mirror_stopped", {{"mirror", name_}});
  if (outcome_->obstacles.empty())
    return log_->error("mirror_failed", {{"mirror", name_}, {"why", to_text(*outcome_->error)}});
  for (const Error& obstacle : outcome_->obstacles) log_->error("assessment_blocked", {{"why", to_text(obstacle)}});
}

int Running::run() {
  make_log();
  const Result<std::string> folder = choose_folder();
  if (!folder.ok()) return report(folder.error());
  if (const Status made = make_state_folder(folder.value()); !made.ok()) return report(made.error());
  const Result<FolderLock> lock = FolderLock::take(folder.value(), lock_wait, program_.clock);
  if (!lock.ok()) return report(lock.error());
  const bool was_there = holds_mirror(folder.value());
  const Status started = start(folder.value());
  if (started.ok()) {
    show();
    loop_.run();
    report_end();
  }
  const int code = started.ok() ? exit_code() : report(started.error());
  const bool forget = started.ok() ? !mirror_->is_remembered() : !was_there;
  if (display_) {
    loop_.run_posted_now();
    display_->finish();
  }
  // A query that somebody still waits for must not keep the process; what is committed is safe without a farewell.
  constexpr std::chrono::seconds farewell{2};
  if (workers_ && !workers_->idle_within(farewell)) ::_exit(code);
  mirror_.reset();
  if (forget) remove_state_folder(folder.value());
  server_.reset();
  return code;
}

}  // namespace

int do_run(const RunArguments& arguments, const Program& program) { return Running(arguments, program).run(); }

}  // namespace lockstep::control

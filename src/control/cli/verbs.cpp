#include "control/cli/verbs.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/log_writer.hpp"
#include "control/cli/answer_text.hpp"
#include "control/cli/exit_code.hpp"
#include "control/cli/reach.hpp"
#include "control/cli/state_folder.hpp"
#include "control/socket/client.hpp"
#include "runtime/at_rest.hpp"

namespace lockstep::control {
namespace {

constexpr std::chrono::seconds reach_wait{30};  // for a process that starts, ends, or answers another verb
constexpr std::chrono::minutes end_wait{10};    // a large batch, or a checkpoint, may have to be finished

Error no_mirror(const std::string& folder) {
  return {ErrorKind::unreachable, "there is no mirror in " + folder, "`lockstep run` makes one"};
}

/// The folder, when a mirror has been made there.
Result<std::string> existing_folder(const MirrorChoice& choice) {
  TRY(folder, find_state_folder(choice));
  if (!holds_mirror(folder)) return no_mirror(folder);
  return folder;
}

/// The answer's line, however long it takes.
Result<std::string> ask(Client& client, const Request& request, const Program& program) {
  return client.ask(encode(request), std::nullopt, program.clock);
}

Result<std::string> ask_status(const std::string& folder, const Program& program) {
  return reach<std::string>(
      folder, reach_wait, program.clock,
      [&](Client& client) -> Result<std::string> {
        TRY(line, ask(client, PlainRequest{Verb::status}, program));
        return parse_status(line);
      },
      [&]() -> Result<std::string> {
        TRY(status, runtime::status_at_rest(folder, program.adapters));
        return status_json(status, UnixMicros{program.clock.wall().count()}, true);
      });
}

/// Sets the paused mark of a mirror that is not running: the next `run` begins with it.
Status mark_paused(const std::string& folder, bool paused, const Program& program) {
  TRY(catalog, program.adapters.open_catalog(folder));
  TRY(mirror, catalog->load());
  if (!mirror) return no_mirror(folder);
  mirror->paused = paused;
  return catalog->save(*mirror);
}

Result<std::string> stop_and_wait(const std::string& folder, const Program& program) {
  return reach<std::string>(
      folder, reach_wait, program.clock,
      [&](Client& client) -> Result<std::string> {
        TRY(line, ask(client, PlainRequest{Verb::stop}, program));
        TRY_DO(parse_done(line));
        if (!client.wait_for_end(end_wait, program.clock))
          return Error{ErrorKind::busy, "the mirror has not ended yet"};
        return std::string("stopped");
      },
      [] { return Result<std::string>(std::string("not running")); });
}

Result<std::string> do_to_mirror(const PlainArguments& arguments, const std::string& folder, const Program& program) {
  if (arguments.verb == Verb::stop) return stop_and_wait(folder, program);
  const bool paused = arguments.verb == Verb::pause;
  return reach<std::string>(
      folder, reach_wait, program.clock,
      [&](Client& client) -> Result<std::string> {
        TRY(line, ask(client, PlainRequest{arguments.verb}, program));
        TRY_DO(parse_done(line));
        return std::string(paused ? "paused" : "resumed");
      },
      [&]() -> Result<std::string> {
        TRY_DO(mark_paused(folder, paused, program));
        return std::string(paused ? "not running; the next run will be paused"
                                  : "not running; the next run will go on");
      });
}

/// One try to wait: Done when reached; unreachable and busy are worth another try.
Status wait_once(const WaitArguments& arguments, std::optional<std::chrono::milliseconds> left,
                 const Program& program) {
  TRY(folder, find_state_folder(arguments.mirror));
  TRY(client, Client::connect(folder));
  TRY(line, client.ask(encode(WaitRequest{arguments.what}), left, program.clock));
  return parse_done(line);
}

std::unique_ptr<Log> warnings_on_stderr(const Program& program) {
  return make_log_writer(LogLevel::warn, program.clock, [](std::string_view line) {
    const std::string text = std::string(line) + "\n";
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  });
}

/// The state folder is gone, or was on another machine; the names at the source follow from the mirror's.
Status drop_by_name(const DropArguments& arguments, const Program& program) {
  TRY(source, program.adapters.summarize_source(arguments.from));
  const std::string mirror = arguments.mirror.name.empty() ? source.database : arguments.mirror.name;
  const auto log = warnings_on_stderr(program);
  return runtime::drop_unremembered(mirror, program.adapters, arguments.from, {*log, program.clock});
}

Status drop(const DropArguments& arguments, const Program& program) {
  TRY(folder, existing_folder(arguments.mirror));
  TRY_DO(stop_and_wait(folder, program));
  TRY(lock, FolderLock::take(folder, reach_wait, program.clock));
  const auto log = warnings_on_stderr(program);
  std::optional<std::string> from;
  if (!arguments.from.empty()) from = arguments.from;
  TRY_DO(runtime::drop_at_rest(folder, program.adapters, from, {*log, program.clock}));
  remove_state_folder(folder);
  return Done{};
}

}  // namespace

int do_status(const StatusArguments& arguments, const Program& program) {
  const Result<std::string> folder = existing_folder(arguments.mirror);
  if (!folder.ok()) return report(folder.error());
  const Result<std::string> json = ask_status(folder.value(), program);
  if (!json.ok()) return report(json.error());
  if (arguments.json) {
    print(json.value() + "\n");
    return exit_done;
  }
  const Result<std::string> text = status_text(json.value());
  if (!text.ok()) return report(text.error());
  print(text.value());
  return exit_done;
}

int do_wait(const WaitArguments& arguments, const Program& program) {
  constexpr std::chrono::milliseconds look_every{50};
  const auto begun = program.clock.monotonic();
  while (true) {
    std::optional<std::chrono::milliseconds> left;
    if (arguments.timeout) {
      const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(program.clock.monotonic() - begun);
      left = std::max(*arguments.timeout - waited, std::chrono::milliseconds{0});
    }
    const Status reached = wait_once(arguments, left, program);
    if (reached.ok()) return exit_done;
    const ErrorKind kind = reached.error().kind;
    if (kind != ErrorKind::cancelled && retry_for(kind) != Retry::later) return report(reached.error());
    if (left && left->count() == 0) {
      report({ErrorKind::cancelled,
              "not reached in time" + (kind == ErrorKind::cancelled ? "" : ": " + to_text(reached.error()))});
      return exit_timed_out;
    }
    if (kind != ErrorKind::cancelled) pause_for(look_every);
  }
}

int do_query(const QueryArguments& arguments, const Program& program) {
  const Result<std::string> folder = existing_folder(arguments.mirror);
  if (!folder.ok()) return report(folder.error());
  const Result<destination::Answer> answer = reach<destination::Answer>(
      folder.value(), reach_wait, program.clock,
      [&](Client& client) -> Result<destination::Answer> {
        TRY(line, ask(client, QueryRequest{arguments.sql}, program));
        return parse_query(line);
      },
      [&] { return runtime::query_at_rest(folder.value(), program.adapters, arguments.sql); });
  if (!answer.ok()) {
    report(answer.error());
    return exit_failed;  // the statement is wrong, not our usage
  }
  print(answer_text(answer.value(), arguments.format));
  return exit_done;
}

int do_plain(const PlainArguments& arguments, const Program& program) {
  const Result<std::string> folder = existing_folder(arguments.mirror);
  if (!folder.ok()) return report(folder.error());
  const Result<std::string> said = do_to_mirror(arguments, folder.value(), program);
  if (!said.ok()) return report(said.error());
  print(said.value() + "\n");
  return exit_done;
}

int do_drop(const DropArguments& arguments, const Program& program) {
  const Result<std::string> folder = find_state_folder(arguments.mirror);
  const bool remembered = !folder.ok() || holds_mirror(folder.value());
  if (remembered && (folder.ok() || arguments.from.empty())) {
    const Status dropped = drop(arguments, program);
    if (!dropped.ok()) return report(dropped.error());
    print("dropped; the copied tables stay\n");
    return exit_done;
  }
  if (folder.ok()) remove_state_folder(folder.value());  // what an interrupted drop may have left
  if (arguments.from.empty()) {
    print("there is no mirror in " + folder.value() +
          ": nothing to drop; with --from, what it left at the source goes too\n");
    return exit_done;
  }
  const Status dropped = drop_by_name(arguments, program);
  if (!dropped.ok()) return report(dropped.error());
  print("nothing here remembers this mirror; what it had at the source is gone\n");
  return exit_done;
}

}  // namespace lockstep::control

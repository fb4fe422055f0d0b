#include "control/cli/program.hpp"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/failpoint.hpp"
#include "control/cli/arguments.hpp"
#include "control/cli/exit_code.hpp"
#include "control/cli/verbs.hpp"

namespace lockstep::control {
namespace {

/// Overwrites the password of "scheme://user:password@…" in place. `env:` and `file:` are names, not secrets.
void wipe_password(char* argument) {
  const std::string_view text(argument);
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return;
  const auto wipe = [&](std::size_t begin, std::size_t end) {
    const std::string_view secret = text.substr(begin, end - begin);
    if (!secret.starts_with("env:") && !secret.starts_with("file:")) std::memset(argument + begin, 'x', end - begin);
  };
  const std::size_t authority = scheme + 3;
  const std::size_t at = text.substr(0, text.find('?')).rfind('@');
  if (at != std::string_view::npos && at > authority) {
    const std::size_t colon = text.find(':', authority);
    if (colon < at) wipe(colon + 1, at);
  }
  constexpr std::string_view parameter = "password=";
  for (std::size_t found = text.find(parameter); found != std::string_view::npos;
       found = text.find(parameter, found + 1)) {
    const std::size_t begin = found + parameter.size();
    wipe(begin, std::min(text.find('&', begin), text.size()));
  }
}

struct Doing {
  const Program& program;
  int operator()(const RunArguments& arguments) const { return do_run(arguments, program); }
  int operator()(const StatusArguments& arguments) const { return do_status(arguments, program); }
  int operator()(const WaitArguments& arguments) const { return do_wait(arguments, program); }
  int operator()(const QueryArguments& arguments) const { return do_query(arguments, program); }
  int operator()(const PlainArguments& arguments) const { return do_plain(arguments, program); }
  int operator()(const DropArguments& arguments) const { return do_drop(arguments, program); }
  int operator()(const VersionArguments& arguments) const { return do_version(arguments); }
  int operator()(const JustSay& say) const {
    std::fputs(say.text.c_str(), say.exit_code == exit_done ? stdout : stderr);
    return say.exit_code;
  }
};

}  // namespace

int run_program(int argc, char** argv, const runtime::Adapters& adapters, const Clock& clock) {
  // A reader that goes away (`lockstep query … | head`) is an error of one write, not the end of a mirror.
  std::signal(SIGPIPE, SIG_IGN);
  const Arguments arguments = parse_arguments(argc, argv);
  for (int i = 1; i < argc; ++i) wipe_password(argv[i]);
  return std::visit(Doing{Program{adapters, clock}}, arguments);
}

int do_version(const VersionArguments& arguments) {
  if (!arguments.failpoints) {
    print("lockstep " LOCKSTEP_VERSION "\n");  // from the project() line of CMakeLists.txt
    return exit_done;
  }
  for (const std::string_view name : failpoint_names) print(std::string(name) + "\n");
  return exit_done;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int report(const Error& error) {
  std::fprintf(stderr, "lockstep: %s\n", to_text(error).c_str());
  return error.kind == ErrorKind::bad_input ? exit_wrong_usage : exit_failed;
}

}  // namespace lockstep::control

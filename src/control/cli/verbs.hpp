#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/cli/arguments.hpp"
#include "runtime/adapters.hpp"

namespace lockstep::control {

struct Program {
  const runtime::Adapters& adapters;
  const Clock& clock;
};

// One function a verb; each prints its result to standard output, reports its error, and gives the exit code.
int do_run(const RunArguments& arguments, const Program& program);
int do_status(const StatusArguments& arguments, const Program& program);
int do_wait(const WaitArguments& arguments, const Program& program);
int do_query(const QueryArguments& arguments, const Program& program);
int do_plain(const PlainArguments& arguments, const Program& program);
int do_drop(const DropArguments& arguments, const Program& program);
int do_version(const VersionArguments& arguments);

/// Reports to standard error; the exit code that fits.
int report(const Error& error);
void print(const std::string& text);

}  // namespace lockstep::control

#pragma once

#include "base/clock.hpp"
#include "runtime/adapters.hpp"

namespace lockstep::control {

/// The whole program: reads the command line, does what it says, gives the exit code. Passwords on the command line are
/// overwritten in `argv` as soon as they have been read, so that other users' `ps` shows them for an instant only.
int run_program(int argc, char** argv, const runtime::Adapters& adapters, const Clock& clock);

}  // namespace lockstep::control

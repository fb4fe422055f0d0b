#pragma once

namespace lockstep {

/// Reports a broken invariant and aborts. A broken invariant is a bug: there is nothing to handle.
[[noreturn]] void broken_invariant(const char* sentence, const char* file, int line);

}  // namespace lockstep

/// Stops the process, in every build, when `cond` does not hold.
#define CHECK(cond) static_cast<void>((cond) ? 0 : (::lockstep::broken_invariant(#cond, __FILE__, __LINE__), 0))

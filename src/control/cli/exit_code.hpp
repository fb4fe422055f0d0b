#pragma once

namespace lockstep::control {

// The exit codes of every verb (design: scripts depend on them).
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_wrong_usage = 2;
inline constexpr int exit_assessment = 3;  ///< the assessment found a blocking problem
inline constexpr int exit_timed_out = 4;

}  // namespace lockstep::control

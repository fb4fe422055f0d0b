#include "destination/destination.hpp"

#include "base/check.hpp"

namespace lockstep::destination {

const char* name_of(TableState state) {
  switch (state) {
    case TableState::waiting: return "waiting";
    case TableState::copying: return "copying";
    case TableState::joining: return "joining";
    case TableState::live: return "live";
    case TableState::resyncing: return "resyncing";
    case TableState::quarantined: return "quarantined";
    case TableState::left_out: return "left_out";
  }
  CHECK(false);
}

}  // namespace lockstep::destination

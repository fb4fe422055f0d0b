#include "probes.hpp"

namespace lockstep::sim {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Probe::count_)> probe_names{
    "snapshot is no prefix of the log",
    "slot's snapshot shows more than an ordinary one",
    "keys change places",
    "row moves to another page",
    "TRUNCATE",
    "VACUUM FULL",
    "savepoint rolled back",
    "big column unchanged",
    "part of an open transaction",
    "part aborted",
    "acknowledged transaction streamed again",
    "committed transaction sent again",
    "open transaction sent again",
    "keepalive inside a transaction",
};

constexpr std::array<std::string_view, static_cast<std::size_t>(Fault::count_)> fault_names{
    "power cut",       "connection lost", "snapshot lost", "read broken", "mark failed", "acknowledgement lost",
    "acknowledgement late",
};

}  // namespace

std::string_view name_of(Probe probe) { return probe_names[static_cast<std::size_t>(probe)]; }
std::string_view name_of(Fault fault) { return fault_names[static_cast<std::size_t>(fault)]; }

void Record::add(const Record& other) {
  for (std::size_t i = 0; i < probes_.size(); ++i) probes_[i] += other.probes_[i];
  for (std::size_t i = 0; i < faults_.size(); ++i) faults_[i] += other.faults_[i];
  steps_ += other.steps_;
}

}  // namespace lockstep::sim

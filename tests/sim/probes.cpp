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
    "copied under the slot's snapshot",
    "snapshot does not show enough yet",
    "copy beside live tables",
    "unit loaded",
    "unit loaded, answer lost",
    "table rewritten while it was copied",
    "copy group over",
    "hidden table caught up before it was published",
    "first copy published",
    "table published beside live ones",
    "batch of several transactions",
    "batch waits for its age",
    "chunk of a large transaction",
    "journal at its limit",
    "journal trimmed",
    "died while copying",
    "died with a step open",
    "unsynced commits lost",
};

constexpr std::array<std::string_view, static_cast<std::size_t>(Fault::count_)> fault_names{
    "killed",
    "killed in a call to the destination",
    "power cut",
    "power cut in a call to the disk",
    "disk failed",
    "failpoint",
    "destination down",
    "destination refused",
    "destination's answer lost",
    "connection lost",
    "snapshot lost",
    "read broken",
    "mark failed",
    "acknowledgement lost",
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

// The simulation: lockstep's journal, recorder, applier and copy group against a simulated source, disk and destination.
//
//   sim rule [SEEDS [FIRST]]                  every promise holds in so many runs, and every rare place was reached
//   sim flaws [NAME…]                         every planted bug is found within its number of seeds
//   sim same [SEEDS]                          a seed gives the same run twice
//   sim --seed N [--flaw NAME] [--trace]      one run again

#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "run.hpp"

namespace lockstep::sim {
namespace {

void print_counts(const Record& total) {
  std::printf("steps %llu\nfaults:", static_cast<unsigned long long>(total.steps()));
  for (std::size_t i = 0; i < static_cast<std::size_t>(Fault::count_); ++i) {
    const auto fault = static_cast<Fault>(i);
    std::printf("%s %s %llu", i == 0 ? "" : ",", std::string(name_of(fault)).c_str(),
                static_cast<unsigned long long>(total.count(fault)));
  }
  std::printf("\nreached:");
  for (std::size_t i = 0; i < static_cast<std::size_t>(Probe::count_); ++i) {
    const auto probe = static_cast<Probe>(i);
    std::printf("%s %s %llu", i == 0 ? "" : ",", std::string(name_of(probe)).c_str(),
                static_cast<unsigned long long>(total.count(probe)));
  }
  std::printf("\n");
}

bool everything_reached(const Record& total) {
  bool all = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Probe::count_) + static_cast<std::size_t>(Fault::count_); ++i) {
    const std::size_t probes = static_cast<std::size_t>(Probe::count_);
    const bool is_probe = i < probes;
    const auto fault = static_cast<Fault>(is_probe ? 0 : i - probes);
    const auto probe = static_cast<Probe>(is_probe ? i : 0);
    if ((is_probe ? total.count(probe) : total.count(fault)) > 0) continue;
    std::printf("never reached: %s\n", std::string(is_probe ? name_of(probe) : name_of(fault)).c_str());
    all = false;
  }
  return all;
}

int rule(std::uint64_t seeds, std::uint64_t first) {
  Record total;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    std::fprintf(stderr, "\rseed %llu",
                 static_cast<unsigned long long>(seed));  // last thing seen should a CHECK end us
    Run run(seed, Flaw::none, false);
    run.go();
    total.add(run.record());
    if (run.record().holds()) continue;
    std::printf("seed %llu: %s\nagain: sim --seed %llu --trace\n", static_cast<unsigned long long>(seed),
                run.record().broken_promise().c_str(), static_cast<unsigned long long>(seed));
    return 1;
  }
  std::printf("%llu seeds hold every promise\n", static_cast<unsigned long long>(seeds));
  print_counts(total);
  return everything_reached(total) ? 0 : 1;
}

// In a process of its own, because a broken invariant in the real code aborts: that is a find, too.
int seeds_until_found(const FlawAbout& about) {
  std::fflush(stdout);
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stderr) == nullptr) std::_Exit(2);
    for (std::uint64_t seed = 0; seed < about.seeds_max; ++seed) {
      if (::write(pipe_ends[1], &seed, sizeof seed) != sizeof seed) std::_Exit(2);
      Run run(seed, about.flaw, false);
      run.go();
      if (run.record().holds()) continue;
      std::printf("%-30s found at seed %4llu: %.150s\n", std::string(about.name).c_str(),
                  static_cast<unsigned long long>(seed), run.record().broken_promise().c_str());
      std::fflush(stdout);
      std::_Exit(0);
    }
    std::_Exit(1);
  }
  ::close(pipe_ends[1]);
  std::uint64_t seed = 0;
  while (::read(pipe_ends[0], &seed, sizeof seed) == sizeof seed) {}
  ::close(pipe_ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    std::printf("%-30s found at seed %4llu: a CHECK in the real code\n", std::string(about.name).c_str(),
                static_cast<unsigned long long>(seed));
    return 0;
  }
  return WEXITSTATUS(status);
}

int flaws(const std::vector<std::string>& names) {
  int missed = 0;
  for (const FlawAbout& about : all_flaws()) {
    bool wanted = names.empty();
    for (const std::string& name : names) wanted = wanted || name == about.name;
    if (!wanted || seeds_until_found(about) == 0) continue;
    std::printf("%-30s NOT found in %llu seeds: %s\n", std::string(about.name).c_str(),
                static_cast<unsigned long long>(about.seeds_max), std::string(about.what).c_str());
    ++missed;
  }
  return missed == 0 ? 0 : 1;
}

int same(std::uint64_t seeds) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Run one(seed, Flaw::none, false);
    one.go();
    Run two(seed, Flaw::none, false);
    two.go();
    if (one.trace_hash() == two.trace_hash()) continue;
    std::printf("seed %llu gave two different runs\n", static_cast<unsigned long long>(seed));
    return 1;
  }
  std::printf("%llu seeds gave the same run twice\n", static_cast<unsigned long long>(seeds));
  return 0;
}

int one_seed(int argc, char** argv) {
  std::uint64_t seed = 0;
  Flaw flaw = Flaw::none;
  bool trace = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--trace") trace = true;
    if (word == "--seed" && i + 1 < argc) seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (word != "--flaw" || i + 1 >= argc) continue;
    const std::optional<Flaw> named = flaw_named(argv[i + 1]);
    if (!named) return std::printf("no flaw has that name\n"), 2;
    flaw = *named;
  }
  Run run(seed, flaw, trace);
  run.go();
  std::printf("trace %016llx\n%s\n", static_cast<unsigned long long>(run.trace_hash()),
              run.record().holds() ? "every promise holds" : run.record().broken_promise().c_str());
  print_counts(run.record());
  return run.record().holds() ? 0 : 1;
}

int main_of(int argc, char** argv) {
  const auto number = [&](int at, std::uint64_t otherwise) {
    return argc > at ? std::strtoull(argv[at], nullptr, 10) : otherwise;
  };
  const std::string mode = argc > 1 ? argv[1] : "rule";
  if (mode == "rule") return rule(number(2, 2000), number(3, 0));
  if (mode == "flaws") return flaws(std::vector<std::string>(argv + 2, argv + argc));
  if (mode == "same") return same(number(2, 50));
  return one_seed(argc, argv);
}

}  // namespace
}  // namespace lockstep::sim

int main(int argc, char** argv) { return lockstep::sim::main_of(argc, argv); }

#include "runtime/mirror.hpp"

#include <shared_mutex>
#include <utility>

#include "runtime/patience.hpp"
#include "runtime/setup.hpp"
#include "runtime/state_files.hpp"

// The leading thread sets the mirror up and then runs sessions: each opens the journal, makes the comparisons that must
// hold before any work, and lets receiver, syncer and applying run until one falls. Only a broken journal is worth another
// session; everything else that ends by itself is waited for inside.
namespace lockstep::runtime {

Result<std::unique_ptr<Mirror>> Mirror::make(MirrorOptions options, const Adapters& adapters, Surroundings around) {
  TRY(source, adapters.make_source(options.source_url, options.selection));
  // Positions are asked for on connections of their own, so that nothing waits for the one that follows the log.
  TRY(probe, adapters.make_source(options.source_url, options.selection));
  TRY(destination, adapters.make_destination(options.destination, options.destination_options));
  TRY(catalog, adapters.open_catalog(options.state_folder));
  std::unique_ptr<Mirror> mirror(new Mirror(std::move(options), adapters, around, std::move(source),
                                            std::move(destination), std::move(probe.changes), std::move(catalog)));
  TRY_DO(mirror->record_.load());
  if (const auto known = mirror->record_.get()) mirror->paused_ = known->paused;
  return mirror;
}

Mirror::Mirror(MirrorOptions options, const Adapters& adapters, Surroundings around, source::Source source,
               OpenDestination destination, std::unique_ptr<source::ChangeSource> probe,
               std::unique_ptr<catalog::Catalog> catalog)
    : options_(std::move(options)),
      adapters_(adapters),
      around_(around),
      source_(std::move(source)),
      catalog_(std::move(catalog)),
      record_(*catalog_),
      probe_(std::move(probe), board_, around) {
  destination_.opened = std::move(destination);
  destination_.address = options_.destination;
  board_.update([&](MirrorStatus& status) {
    status.mirror = options_.mirror;
    status.state = MirrorState::assessing;
  });
}

Mirror::~Mirror() { request_stop(); }

void Mirror::start(std::function<void(const Outcome&)> ended) {
  leading_ = std::jthread([this, ended = std::move(ended)] {
    const Outcome outcome = lead(stop_.get_token());
    finish(outcome);
    ended(outcome);
  });
}

void Mirror::finish(const Outcome& outcome) {
  close_shared(destination_);
  board_.update([&](MirrorStatus& status) {
    status.state = outcome.error ? MirrorState::failed : MirrorState::stopped;
    if (outcome.error) status.error = to_text(*outcome.error);
  });
}

Outcome Mirror::lead(const std::stop_token& stop) {
  Outcome outcome;
  SetUp set_up({options_, adapters_, *source_.setter, destination_, record_, around_});
  Result<Ready> ready = set_up.run(stop, outcome.obstacles);
  if (!ready.ok()) {
    if (!stop.stop_requested()) outcome.error = ready.error();
    return outcome;
  }
  const std::string& identity = ready.value().mirror.source_identity;
  board_.update([&](MirrorStatus& status) { status.source_kind = identity.substr(0, identity.find(' ')); });
  if (paused_ != ready.value().mirror.paused) {  // somebody paused it while it was set up
    const Status saved = set_paused(paused_);
    if (!saved.ok()) around_.log.warn("pause_not_saved", {{"why", to_text(saved.error())}});
  }
  return watched(ready.value(), stop);
}

Outcome Mirror::watched(Ready& ready, const std::stop_token& stop) {
  const std::jthread probing([this](const std::stop_token& asked) { probe_.run(asked); });
  const std::jthread waiting([this](const std::stop_token& asked) {
    if (options_.until_caught_up) end_when_caught_up(asked);
  });
  return keep_going(ready, stop);
}

Outcome Mirror::keep_going(Ready& ready, const std::stop_token& stop) {
  const Session::Parts parts{source_, destination_, record_, board_, bell_, paused_, around_};
  Backoff backoff;
  std::chrono::milliseconds hold_receiving{0};
  Outcome outcome;
  while (!stop.stop_requested()) {
    Session::End end;
    Result<std::unique_ptr<journal::Journal>> journal = open_journal(ready, stop);
    if (!journal.ok()) {
      end.error = journal.error();
    } else if (const Status compared = compare(ready, *journal.value(), stop); !compared.ok()) {
      end.error = compared.error();
    } else {
      end = Session::run(parts, *journal.value(), ready, options_, hold_receiving, stop);
    }
    if (stop.stop_requested()) break;
    CHECK(end.error.has_value());
    const bool again = end.journal_broken && retry_for(end.error->kind) == Retry::later;
    if (again) {
      if (hold_receiving.count() == 0) around_.log.warn("journal_waited_for", {{"why", to_text(*end.error)}});
      hold_receiving = backoff.failed();
      continue;
    }
    outcome.error = end.error;
    if (ready.first_run && !end.anything_loaded) take_back(ready);
    break;
  }
  return outcome;
}

Result<std::unique_ptr<journal::Journal>> Mirror::open_journal(const Ready& ready, const std::stop_token& stop) {
  return patiently(around_, stop, "journal_waited_for", std::nullopt,
                   [&] { return runtime::open_journal(options_.state_folder, ready.mirror, options_.journal); });
}

Status Mirror::compare(const Ready& ready, const journal::Journal& journal, const std::stop_token& stop) {
  TRY(slot, patiently(around_, stop, "source_waited_for", std::nullopt,
                      [&] { return source_.setter->log_state(setup_of(ready.mirror)); }));
  return compare_slot(slot, ready.mirror, journal.durable());
}

void Mirror::take_back(const Ready& ready) {
  SetUp set_up({options_, adapters_, *source_.setter, destination_, record_, around_});
  const Status taken_back = set_up.take_back(ready.mirror);
  if (!taken_back.ok()) around_.log.warn("setup_left_behind", {{"why", to_text(taken_back.error())}});
}

void Mirror::end_when_caught_up(const std::stop_token& stop) {
  const Result<Position> end =
      patiently(around_, stop, "source_waited_for", std::nullopt, [&] { return probe_.end_of_log(); });
  if (!end.ok() || !board_.wait_for(CaughtUp{end.value()}, stop)) return;
  around_.log.info("caught_up",
                   {{"position", to_text(end.value())},
                    {"note", "the replication slot is kept for the next run; `lockstep drop` removes it"}});
  request_stop();
}

Status Mirror::set_paused(bool paused) {
  TRY_DO(record_.change([&](catalog::Mirror& mirror) { mirror.paused = paused; }));
  paused_ = paused;
  bell_.ring();
  return Done{};
}

Result<destination::Answer> Mirror::query(const std::string& sql) {
  if (destination_.opened.queries == nullptr) {
    return Error{ErrorKind::unsupported, "this destination cannot be asked", "ask it with its own tools"};
  }
  const std::shared_lock shared(destination_.in_use);
  if (!destination_.is_open) return Error{ErrorKind::busy, "the destination is not open yet", "try again in a moment"};
  return destination_.opened.queries->query(sql);
}

}  // namespace lockstep::runtime

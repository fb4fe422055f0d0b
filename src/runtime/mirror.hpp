#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "runtime/adapters.hpp"
#include "runtime/controls.hpp"
#include "runtime/options.hpp"
#include "runtime/probe.hpp"
#include "runtime/record.hpp"
#include "runtime/session.hpp"
#include "runtime/status_board.hpp"

namespace lockstep::runtime {

/// One running mirror: sets it up or takes it up again, keeps it going, and answers for it. Everything is thread-safe.
class Mirror final : public Controls {
 public:
  /// Opens nothing yet; `adapters` must outlive it. Errors: bad_input (addresses), the catalog's.
  static Result<std::unique_ptr<Mirror>> make(MirrorOptions options, const Adapters& adapters, Surroundings around);
  /// Stops it and waits for it.
  ~Mirror() override;

  /// `ended` is called once, from a thread of the mirror, when it is over.
  void start(std::function<void(const Outcome&)> ended);

  /// False while, or since, nothing of it has to be remembered.
  bool is_remembered() const { return record_.get().has_value(); }

  MirrorStatus status() const override { return board_.read(); }
  Status pause() override { return set_paused(true); }
  Status resume() override { return set_paused(false); }
  void request_stop() override { stop_.request_stop(); }
  Result<Position> end_of_log() override { return probe_.end_of_log(); }
  Result<destination::Answer> query(const std::string& sql) override;
  void on_change(std::function<void()> listener) override { board_.on_change(std::move(listener)); }

 private:
  Mirror(MirrorOptions options, const Adapters& adapters, Surroundings around, source::Source source,
         OpenDestination destination, std::unique_ptr<source::ChangeSource> probe,
         std::unique_ptr<catalog::Catalog> catalog);
  Outcome lead(const std::stop_token& stop);
  Outcome watched(Ready& ready, const std::stop_token& stop);
  Outcome keep_going(Ready& ready, const std::stop_token& stop);
  Result<std::unique_ptr<journal::Journal>> open_journal(const Ready& ready, const std::stop_token& stop);
  Status compare(const Ready& ready, const journal::Journal& journal, const std::stop_token& stop);
  void take_back(const Ready& ready);
  void finish(const Outcome& outcome);
  void end_when_caught_up(const std::stop_token& stop);
  Status set_paused(bool paused);

  const MirrorOptions options_;
  const Adapters& adapters_;
  const Surroundings around_;
  source::Source source_;
  SharedDestination destination_;
  std::unique_ptr<catalog::Catalog> catalog_;
  Record record_;
  StatusBoard board_;
  Wakeup bell_;
  std::atomic<bool> paused_{false};
  Probe probe_;
  std::stop_source stop_;
  std::jthread leading_;  // last: it uses the rest
};

}  // namespace lockstep::runtime

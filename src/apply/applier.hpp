#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apply/cut.hpp"
#include "apply/join.hpp"
#include "apply/lane.hpp"
#include "apply/ledger.hpp"
#include "base/result.hpp"
#include "destination/destination.hpp"
#include "journal/journal.hpp"
#include "model/decoder.hpp"
#include "model/position.hpp"

namespace lockstep::apply {

struct ApplierOptions {
  BatchLimits limits;
  std::vector<TableId> wanted;    ///< the mirror's tables: live ones, and those still to be copied
  std::vector<TableId> left_out;  ///< their changes may come and are skipped
  Position start{};               ///< state 0: where the slot began
};

/// What one call of `advance` did.
struct Progress {
  enum class Did : std::uint8_t {
    nothing,      ///< nothing to do: ask again when the journal has more, or at `look_again_at`
    folded,       ///< the batch waits for its age: ask again when the journal has more, or at `look_again_at`
    wrote_chunk,  ///< a large transaction goes on: ask again at once; the destination's Step is open
    committed,    ///< a batch is visible
  };
  Did did = Did::nothing;
  std::optional<std::chrono::nanoseconds> look_again_at;  ///< monotonic; nothing: only more in the journal matters
  std::uint64_t transactions = 0;                         ///< of the batch that was committed
  std::vector<TableChanges> tables;                       ///< what it changed
};

/// What one call of `publish` did.
struct Published {
  std::vector<TableId> tables;  ///< visible now
  bool more = false;  ///< there is more to do at once; else wait for the journal, or for the next complete copy
};

/// Brings the journal's transactions to the destination, batch by batch, each in one Step with the state it shows. The
/// destination alone says what has been applied. Small steps: whoever drives it may stop between any two calls, and
/// destroying it loses nothing. One thread; while `step_is_open` nothing but `copy_into` may be asked of the destination.
class Applier {
 public:
  Applier(destination::Destination& destination, journal::Journal& journal, const DecoderFactory& decoders,
          ApplierOptions options);
  ~Applier();

  /// Asks the destination what it holds and compares that with the journal. Errors: conflict (the destination is ahead,
  /// or shows another history), lost_history (the journal no longer holds what comes next).
  Status open();

  /// Does at most one batch, or one chunk of a large transaction. After an error the same call may be made again: it asks
  /// the destination first what has become of the step. Errors: unsupported (a schema change; everything before it has
  /// been committed), does_not_fit, conflict (another engine moved the destination), the destination's and journal's own.
  Result<Progress> advance(std::chrono::nanoseconds now);

  /// Publishes the complete hidden tables that are joined; those of the first copy all in one step. Does at most one batch:
  /// tables that lack much catch up first, unseen. Call it between batches while `publish_waits`. Errors as `advance`.
  Result<Published> publish();
  /// Some hidden table is complete and not yet published, as of the last look.
  bool publish_waits() const { return publish_waits_; }
  /// Asks the destination again: after hidden tables were created, dropped or completed. Takes back a batch in hand.
  Status look_again();

  /// Replaces rows of `lockstep.tables` in a step of its own. Only between batches.
  Status note(std::span<const destination::TableNote> notes);

  /// What readers see. `position` includes what is known to hold no change of ours.
  std::optional<destination::Shown> shown() const;
  /// Everything durable in the journal at the time of the call is visible.
  bool caught_up() const;
  /// The destination's contents as of the last look, kept up with what this applier did.
  const destination::Contents& contents() const { return contents_; }
  /// Up to where the journal may forget, by what the destination holds. Release nothing from before a copy begins until
  /// its hidden tables exist and `look_again` has seen them.
  StateId may_release() const { return release_floor(contents_, options_.wanted); }
  bool step_is_open() const { return step_ != nullptr; }

 private:
  /// Nothing from this transaction on can be applied.
  struct Blocked {
    StateId state;
    Error why;
  };

  Status settle();
  Status start_lane();
  void forget_batch();
  Result<Progress> fold_until_due(std::chrono::nanoseconds now);
  Result<Progress> rest(std::chrono::nanoseconds now);
  Result<Progress> write_chunk();
  Result<Progress> commit_batch();
  Result<Progress> move_position(std::chrono::nanoseconds now);
  bool may_take() const;
  PendingBatch pending(std::chrono::nanoseconds now, bool more_waiting) const;
  Status ensure_step();
  Status commit(const destination::Shown& now);
  Error failed(Error error);
  destination::Shown with_newest_position(destination::Shown shown) const;

  std::vector<destination::CopyLedger> ready_to_join() const;
  Result<Published> publish_or_catch_up(const std::vector<destination::CopyLedger>& ready, StateId at);
  Result<bool> fold_hidden(Lane& lane, StateId upto);
  Status finish_publish(const std::vector<destination::CopyLedger>& ready, const destination::Shown& at);
  Status finish_catch_up(const std::vector<destination::CopyLedger>& ready, StateId reached);
  Result<destination::Shown> shown_at(StateId state) const;

  destination::Destination& destination_;
  journal::Journal& journal_;
  const DecoderFactory& decoders_;
  const ApplierOptions options_;

  destination::Contents contents_;
  bool must_look_ = true;  ///< nobody knows what became of the last step
  bool has_looked_ = false;
  std::optional<destination::Shown> attempted_;  ///< by a commit whose answer may have been lost
  std::unique_ptr<Lane> lane_;                   ///< of the live tables; nothing before the first publish
  std::unique_ptr<destination::Step> step_;      ///< open while a large transaction is under way
  std::optional<Blocked> blocked_;
  std::uint64_t batch_transactions_ = 0;
  std::optional<std::chrono::nanoseconds> batch_since_;
  std::optional<std::chrono::nanoseconds> position_due_;
  bool publish_waits_ = false;
  std::unique_ptr<JoinSearch> search_;  ///< for the marks of the tables that wait
};

}  // namespace lockstep::apply

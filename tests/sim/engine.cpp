#include "engine.hpp"

#include <algorithm>

#include "base/failpoint.hpp"

namespace lockstep::sim {
namespace {

constexpr const char* journal_folder = "journal";
const source::Setup setup{"slot", "publication", {}, {}};

SourceFlaws source_flaws(Flaw flaw) {
  SourceFlaws flaws;
  flaws.no_storage_check = flaw == Flaw::no_filenode_check;
  flaws.plan_ignores_rewrite = flaw == Flaw::plan_ignores_rewrite;
  flaws.bounded_last_range = flaw == Flaw::bounded_last_range;
  flaws.range_ignores_snapshot = flaw == Flaw::range_ignores_snapshot;
  flaws.join_by_log = flaw == Flaw::join_by_lsn;
  flaws.progress_too_far = flaw == Flaw::progress_too_far;
  return flaws;
}

}  // namespace

EngineOptions draw_options(Dice& dice) {
  EngineOptions options;
  options.limits.changes_behind = 1 + dice.below(12);
  options.limits.transactions_max = 1 + dice.below(20);
  options.limits.bytes_max = dice.one_in(2) ? 1 + dice.below(400) : 1 << 20;  // one change fills a chunk, or none does
  options.limits.age_max = std::chrono::milliseconds(dice.below(30));
  options.limits.position_age_max = std::chrono::milliseconds(dice.below(200));
  options.journal.segment_bytes_max = 300 + dice.below(3000);
  options.journal.free_disk_percent_min = 0;
  if (dice.one_in(2)) options.journal.bytes_max = 200 + dice.below(1500);
  options.table_bytes = 1000;
  options.unit_bytes = 1 + dice.below(1500);
  return options;
}

Engine::Engine(World& world, const EngineOptions& options, Flaw flaw, std::set<Xid>& emptied)
    : world_(world),
      options_(options),
      flaw_(flaw),
      emptied_(emptied),
      lying_disk_(world.disk),
      destination_(world.destination, flaw, world.dice) {
  world_.snapshots.plant(source_flaws(flaw));
  world_.changes.plant(source_flaws(flaw));
  for (const SimTable& table : world_.server.tables()) {
    const bool wanted = table.first_copy || (table.published && world_.notebook.late_is_wanted);
    (wanted ? wanted_ : left_out_).push_back(table.shape.table);
  }
}

Status Engine::step() {
  now_ += std::chrono::milliseconds(world_.dice.below(20));
  survived_.clear();
  if (!started()) {
    did_ = "start";
    const Status begun = start();
    return begun.ok() ? begun : survive(begun.error());
  }
  enum { receive_, sync_, acknowledge_, apply_, publish_, copy_, release_, late_ };
  constexpr std::uint32_t weights[] = {30, 14, 8, 20, 6, 20, 5, 1};
  switch (world_.dice.weighted(weights)) {
    case receive_: did_ = "receive"; return receive();
    case sync_: did_ = "sync"; return sync();
    case acknowledge_: did_ = "acknowledge"; return acknowledge();
    case apply_: did_ = "apply"; return apply();
    case publish_: did_ = "publish"; return publish();
    case copy_: did_ = "copy"; return copy();
    case release_: did_ = "release"; return release();
    case late_: did_ = "want late"; return want_late();
    default: return Done{};
  }
}

Status Engine::survive(const Error& error) {
  survived_ = to_text(error);
  return retry_for(error.kind) == Retry::later ? Status(Done{}) : Status(error);
}

// ---- start

Status Engine::start() {
  if (journal_ == nullptr) {
    TRY(opened, journal::open(lying_disk_, journal_folder, {"sim", "simulated", setup.slot}, options_.journal));
    journal_ = std::make_unique<FlawedJournal>(std::move(opened), flaw_, emptied_);
    recorder_ = std::make_unique<journal::Recorder>(*journal_);
    world_.changes.close();
  }
  TRY_DO(destination_.open({"sim", "simulated"}));
  apply::ApplierOptions options;
  options.limits = options_.limits;
  options.wanted = wanted_;
  options.left_out = left_out_;
  options.start = PgPosition{world_.server.slot_start()};
  auto applier = std::make_unique<apply::Applier>(destination_, *journal_, decoders_, options);
  TRY_DO(applier->open());
  applier_ = std::move(applier);
  return Done{};
}

// ---- receiving

// An error that comes from here is the journal's, which must then be opened again.
Status Engine::receive() {
  if (!world_.changes.connected()) {
    TRY_DO(recorder_->begin_connection());
    const Position from = journal_->durable().through.value_or(PgPosition{world_.server.slot_start()});
    const Status connected = world_.changes.start(setup, from);
    return connected.ok() ? connected : survive(connected.error());
  }
  const std::uint64_t messages = 1 + world_.dice.below(12);
  for (std::uint64_t i = 0; i < messages; ++i) {
    if (!may_receive()) {
      world_.record.reach(Probe::journal_full);
      const Status alive = world_.changes.keep_alive();
      return alive.ok() ? alive : survive(alive.error());
    }
    const Result<SourceMessage> message = world_.changes.next(std::chrono::milliseconds(0));
    if (!message.ok()) {
      world_.changes.close();
      return survive(message.error());
    }
    TRY_DO(recorder_->take(message.value()));
  }
  return Done{};
}

// The limit gives way to a table that waits for its mark: only what is still to come can make room again.
bool Engine::may_receive() const {
  if (flaw_ == Flaw::limit_counts_open_blocks && options_.journal.bytes_max > 0) {
    return journal_->bytes() < options_.journal.bytes_max + options_.journal.segment_bytes_max;
  }
  if (journal_->has_room(nullptr)) return true;
  return applier_->publish_waits() && flaw_ != Flaw::limit_blocks_join;
}

Status Engine::sync() {
  lying_disk_.lie(flaw_ == Flaw::apply_unsynced && world_.dice.percent(70));
  const Result<journal::Durable> durable = journal_->sync();
  lying_disk_.lie(false);
  if (!durable.ok()) return durable.error();
  if (flaw_ == Flaw::apply_unsynced && world_.dice.percent(70)) return Done{};
  TRY_DO(lying_disk_.catch_up());
  honestly_durable_ = durable.value().through;
  return Done{};
}

Status Engine::acknowledge() {
  std::optional<Position> durable = recorder_->acknowledgeable();
  if (flaw_ == Flaw::apply_unsynced) durable = honestly_durable_;
  if (flaw_ == Flaw::ack_before_fsync) durable = world_.changes.sent();
  if (!durable || !world_.changes.connected()) return Done{};
  if (const Status passed = pass_failpoint(failpoint_index("ack.before")); !passed.ok()) return passed;
  const Status acknowledged = world_.changes.acknowledge(*durable);
  return acknowledged.ok() ? acknowledged : survive(acknowledged.error());
}

// ---- applying

Status Engine::apply() {
  const Result<apply::Progress> progress = applier_->advance(now_);
  if (!progress.ok()) return survive(progress.error());
  if (progress.value().did == apply::Progress::Did::wrote_chunk) world_.record.reach(Probe::chunk_written);
  if (progress.value().did == apply::Progress::Did::folded) world_.record.reach(Probe::batch_waits_for_age);
  if (progress.value().transactions > 1) world_.record.reach(Probe::batch_of_several);
  return Done{};
}

Status Engine::publish() {
  if (must_look_ || !applier_->publish_waits() || applier_->step_is_open()) return Done{};
  const bool shown_before = applier_->shown().has_value();
  const Result<apply::Published> published = applier_->publish();
  if (!published.ok()) return survive(published.error());
  if (published.value().more) world_.record.reach(Probe::hidden_table_caught_up);
  if (published.value().tables.empty()) return Done{};
  world_.record.reach(shown_before ? Probe::published_beside_live : Probe::published_first_copy);
  return Done{};
}

Status Engine::release() {
  if (copy_begins_) return Done{};
  StateId upto = applier_->may_release();
  if (flaw_ == Flaw::release_ignores_copies && !applier_->contents().copies.empty()) upto = journal_->durable().last;
  std::vector<Xid>& trimmed = world_.notebook.trimmed;
  for (StateId state = journal_->first_held(); state <= upto; ++state.value) {
    TRY(commit, journal_->commit_at(state));
    trimmed.push_back(commit.xid);  // written down first, so that a crash between the two loses nothing
  }
  const VisibleSet visible = world_.server.snapshot();
  std::erase_if(trimmed, [&](Xid xid) { return visible.contains(xid); });
  const StateId held = journal_->first_held();
  TRY_DO(journal_->release(upto));
  if (journal_->first_held() > held) world_.record.reach(Probe::journal_trimmed);
  return Done{};
}

// The operator adds a table; the engine starts again with it.
Status Engine::want_late() {
  if (world_.notebook.late_is_wanted) return Done{};
  if (!world_.calm() && (!applier_->shown() || !world_.dice.one_in(3))) return Done{};
  world_.notebook.late_is_wanted = true;
  return Error{ErrorKind::cancelled, "restart with another table"};
}

bool Engine::at_rest() const {
  if (!started() || applier_->step_is_open() || group_ || applier_->publish_waits() || !applier_->shown()) return false;
  if (!world_.notebook.late_is_wanted || !apply::copy_needs(applier_->contents(), wanted_).to_copy.empty())
    return false;
  const auto& shown = world_.destination.shown();
  return shown && std::get<PgPosition>(shown->position).end >= world_.server.log_end();
}

}  // namespace lockstep::sim

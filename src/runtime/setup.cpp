#include "runtime/setup.hpp"

#include <utility>

#include "base/failpoint.hpp"
#include "runtime/patience.hpp"
#include "runtime/state_files.hpp"

// The order on the first run: look (identity, obstacles), open the destination, choose names and remember them, publish,
// create the slot, remember where it starts. A crash between any two leaves a record in phase `preparing`; the next run
// takes away whatever may have been made under those names and begins again, since nothing has been copied.
namespace lockstep::runtime {
namespace {

Error start_again(ErrorKind kind, const catalog::Mirror& mirror, std::string what) {
  return {kind, std::move(what),
          "run `lockstep drop --yes --mirror " + mirror.name + "` and then `run` again, which copies afresh"};
}

/// Nothing here remembers having made this slot. Taking it over would end another mirror.
Error somebody_elses(const catalog::Mirror& planned) {
  return {ErrorKind::conflict,
          "replication slot " + planned.slot + " exists already: another mirror of this name follows the database",
          "choose another name with --mirror; if nobody needs it any more, run `lockstep drop --yes --mirror " +
              planned.name + " --from …`"};
}

}  // namespace

std::string identity_text(const source::Identity& identity) {
  return database_text(identity) + " timeline=" + std::to_string(identity.timeline);
}

std::string database_text(const source::Identity& identity) {
  return identity.kind + " system=" + identity.system + " database=" + identity.database + "/" +
         std::to_string(identity.database_id);
}

source::Setup setup_of(const catalog::Mirror& mirror) {
  return {mirror.slot, mirror.publication, mirror.tables, mirror.full_identities};
}

Result<Ready> SetUp::run(const std::stop_token& stop, std::vector<Error>& obstacles) {
  const std::optional<catalog::Mirror> known = parts_.record.get();
  if (known && known->name != parts_.options.mirror) {
    return Error{ErrorKind::bad_input,
                 "the state folder belongs to mirror '" + known->name + "', not to '" + parts_.options.mirror + "'",
                 "give another folder with --state, or leave --mirror away"};
  }
  const bool made_before = known && known->phase == catalog::Phase::ready;
  // Somebody who has mistyped an address should hear so soon; a mirror that was made waits as long as it takes.
  std::optional<std::chrono::nanoseconds> wait_max;
  if (!made_before) wait_max = predecessor_wait;
  TRY(identity,
      patiently(parts_.around, stop, "source_waited_for", wait_max, [&] { return parts_.setter.identify(); }));
  if (known && known->phase == catalog::Phase::dropping) {
    return start_again(ErrorKind::conflict, *known, "this mirror is being dropped");
  }
  if (made_before) return check(*known, identity, stop);
  if (known) {
    parts_.around.log.info("setup_taken_back", {{"slot", known->slot}});
    TRY_DO(patiently(parts_.around, stop, "source_waited_for", predecessor_wait, [&] { return take_back(*known); }));
  }
  return make(identity, stop, obstacles);
}

Result<catalog::Mirror> SetUp::choose(const source::Identity& identity,
                                      const std::vector<source::Table>& tables) const {
  catalog::Mirror mirror;
  mirror.name = parts_.options.mirror;
  mirror.source_address = parts_.options.source_printable;
  mirror.source_identity = identity_text(identity);
  mirror.destination = parts_.options.destination;
  const source::Setup names = parts_.adapters.plan_setup(identity, mirror.name);
  mirror.slot = names.slot;
  mirror.publication = names.publication;
  for (const source::Table& table : tables) {
    if (!table.left_out.empty()) {
      parts_.around.log.warn("table_left_out", {{"table", to_text(table.shape.name)}, {"why", table.left_out}});
      continue;
    }
    mirror.tables.push_back(table.shape.table);
    if (table.needs_full_identity) mirror.full_identities.push_back(table.shape.table);
  }
  if (mirror.tables.empty()) {
    return Error{ErrorKind::bad_input, "no table is left to mirror",
                 "look at --tables and --exclude, and at the tables left out"};
  }
  return mirror;
}

Status SetUp::assess(const catalog::Mirror& planned, const std::stop_token& stop, std::vector<Error>& obstacles) {
  TRY(blocking, patiently(parts_.around, stop, "source_waited_for", predecessor_wait,
                          [&] { return parts_.setter.obstacles(setup_of(planned)); }));
  obstacles = std::move(blocking);
  TRY(slot, patiently(parts_.around, stop, "source_waited_for", predecessor_wait,
                      [&] { return parts_.setter.log_state(setup_of(planned)); }));
  if (slot.exists) obstacles.push_back(somebody_elses(planned));
  if (!obstacles.empty()) return obstacles.front();
  const destination::MirrorIdentity identity{planned.name, planned.source_identity};
  TRY_DO(patiently(parts_.around, stop, "destination_waited_for", predecessor_wait,
                   [&] { return open_shared(parts_.destination, identity); }));
  TRY(contents, parts_.destination.opened.writer->contents());
  if (contents.shown || !contents.live.empty()) {
    return Error{ErrorKind::conflict, "the destination holds a copy made by this mirror, but its state folder is gone",
                 "give another destination with --to, or remove this one"};
  }
  return Done{};
}

/// What the user asked for cannot be: the assessment says so, and nothing was touched.
Error SetUp::found(const Error& error, std::vector<Error>& obstacles) {
  if (error.kind == ErrorKind::bad_input) obstacles = {error};
  return error;
}

Result<Ready> SetUp::make(const source::Identity& identity, const std::stop_token& stop,
                          std::vector<Error>& obstacles) {
  Ready ready;
  ready.first_run = true;
  Result<std::vector<source::Table>> tables =
      patiently(parts_.around, stop, "source_waited_for", predecessor_wait, [&] { return parts_.setter.tables(); });
  if (!tables.ok()) return found(tables.error(), obstacles);
  ready.tables = std::move(tables).value();
  Result<catalog::Mirror> chosen = choose(identity, ready.tables);
  if (!chosen.ok()) return found(chosen.error(), obstacles);
  catalog::Mirror mirror = std::move(chosen).value();
  TRY_DO(assess(mirror, stop, obstacles));
  TRY_DO(remove_journal(parts_.options.state_folder));
  TRY_DO(parts_.record.set(mirror));
  ready.mirror = std::move(mirror);
  if (const Status created = create(ready, stop); !created.ok()) {
    const Status taken_back = take_back(ready.mirror);
    if (!taken_back.ok()) parts_.around.log.warn("setup_left_behind", {{"why", to_text(taken_back.error())}});
    return created.error();
  }
  return ready;
}

Status SetUp::create(Ready& ready, const std::stop_token& stop) {
  catalog::Mirror& mirror = ready.mirror;
  const source::Setup setup = setup_of(mirror);
  TRY_DO(
      patiently(parts_.around, stop, "publishing_waited", std::nullopt, [&] { return parts_.setter.publish(setup); }));
  FAILPOINT("setup.publication_created");
  std::string said;
  const auto waiting = [&](const std::string& blockers) {
    if (blockers != said) parts_.around.log.warn("slot_waited_for", {{"blockers", blockers}});
    said = blockers;
    return !stop.stop_requested();
  };
  TRY(slot, parts_.setter.create_slot(setup, waiting));
  FAILPOINT("setup.slot_created");
  ready.slot_snapshot = std::move(slot.snapshot);
  mirror.slot_start = slot.start;
  if (ready.slot_snapshot) mirror.slot_visible = ready.slot_snapshot->visible();
  mirror.phase = catalog::Phase::ready;
  TRY_DO(parts_.record.set(mirror));
  FAILPOINT("setup.recorded");
  parts_.around.log.info("mirror_set_up",
                         {{"slot", mirror.slot}, {"tables", mirror.tables.size()}, {"start", to_text(slot.start)}});
  return Done{};
}

Result<Ready> SetUp::check(catalog::Mirror mirror, const source::Identity& identity, const std::stop_token& stop) {
  if (identity_text(identity) != mirror.source_identity) {
    return start_again(ErrorKind::conflict, mirror,
                       "the source is another database than the one that was copied (" + identity_text(identity) +
                           " instead of " + mirror.source_identity + ")");
  }
  if (parts_.options.destination != mirror.destination) {
    return Error{ErrorKind::bad_input,
                 "mirror " + mirror.name + " goes to " + mirror.destination + ", not to " + parts_.options.destination,
                 "leave --to away, or give the new mirror another name with --mirror"};
  }
  Ready ready;
  TRY(tables,
      patiently(parts_.around, stop, "source_waited_for", std::nullopt, [&] { return parts_.setter.tables(); }));
  ready.tables = std::move(tables);
  ready.mirror = std::move(mirror);
  // Only a short wait: a lock of a predecessor that is just ending, or of a verb that reads the file.
  const destination::MirrorIdentity copy{ready.mirror.name, ready.mirror.source_identity};
  TRY_DO(patiently(parts_.around, stop, "destination_waited_for", predecessor_wait,
                   [&] { return open_shared(parts_.destination, copy); }));
  return ready;
}

Status SetUp::take_back(const catalog::Mirror& mirror) {
  TRY_DO(parts_.setter.remove(setup_of(mirror)));
  const destination::MirrorIdentity identity{mirror.name, mirror.source_identity};
  if (open_shared(parts_.destination, identity).ok()) TRY_DO(parts_.destination.opened.writer->forget());
  close_shared(parts_.destination);
  TRY_DO(parts_.record.forget());
  return remove_journal(parts_.options.state_folder);
}

Status compare_slot(const source::LogState& slot, const catalog::Mirror& mirror, const journal::Durable& durable) {
  if (!slot.exists) {
    return start_again(ErrorKind::lost_history, mirror, "the replication slot " + mirror.slot + " is gone");
  }
  if (!slot.lost.empty()) {
    return start_again(ErrorKind::lost_history, mirror,
                       "the replication slot " + mirror.slot + " is lost: " + slot.lost);
  }
  CHECK(mirror.slot_start.has_value());
  const Position through = durable.through.value_or(*mirror.slot_start);
  if (slot.confirmed > through) {
    return start_again(ErrorKind::lost_history, mirror,
                       "the source has forgotten its log up to " + to_text(slot.confirmed) +
                           ", but it was received only up to " + to_text(through));
  }
  return Done{};
}

}  // namespace lockstep::runtime

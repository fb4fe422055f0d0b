#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "journal/journal.hpp"
#include "model/change.hpp"
#include "support/memory_disk.hpp"

namespace lockstep::journal {

inline Position at(std::uint64_t lsn) { return PgPosition{Lsn{lsn}}; }

/// Changes that are recognised again: one message.
inline std::vector<std::byte> note(std::string_view text) {
  std::vector<std::byte> bytes;
  Change change;
  change.kind = ChangeKind::message;
  change.prefix = "note";
  change.content = bytes_of(text);
  encode_change(change, bytes);
  return bytes;
}

/// A transaction as a reader gives it.
struct Seen {
  std::uint64_t state = 0;
  std::uint64_t xid = 0;
  std::vector<std::string> notes;
  bool operator==(const Seen&) const = default;
};

inline std::vector<std::string> notes_in(Bytes part) {
  std::vector<std::string> notes;
  ChangeReader changes(part);
  Change change;
  while (changes.next(change)) notes.emplace_back(text_of(change.content));
  EXPECT_TRUE(changes.ok());
  return notes;
}

/// The next transaction, whole.
inline Result<std::optional<Seen>> read_next(Reader& reader) {
  TRY(commit, reader.next());
  if (!commit.has_value()) return std::optional<Seen>{};
  Seen seen{commit->state.value, commit->xid.value, {}};
  while (true) {
    TRY(part, reader.next_part());
    if (!part.has_value()) return std::optional(seen);
    for (std::string& text : notes_in(**part)) seen.notes.push_back(std::move(text));
  }
}

inline Result<std::vector<Seen>> read_all(Journal& journal, StateId after) {
  TRY(reader, journal.reader(after));
  std::vector<Seen> all;
  while (true) {
    TRY(seen, read_next(*reader));
    if (!seen.has_value()) return all;
    all.push_back(std::move(*seen));
  }
}

/// A journal on a disk in memory.
class JournalStory : public ::testing::Test {
 protected:
  void open_again() {
    journal_.reset();
    auto opened = journal::open(disk_, "state/journal", owner_, options_);
    ASSERT_TRUE(opened.ok()) << to_text(opened.error());
    journal_ = std::move(opened).value();
  }
  Error open_error() {
    journal_.reset();
    auto opened = journal::open(disk_, "state/journal", owner_, options_);
    EXPECT_FALSE(opened.ok());
    return opened.ok() ? Error{} : opened.error();
  }

  void part(std::uint64_t xid, std::uint64_t sub, bool first, std::string_view text) {
    const Status appended = journal_->append_part(Xid{xid}, Xid{sub}, first, note(text));
    ASSERT_TRUE(appended.ok()) << to_text(appended.error());
  }
  std::uint64_t commit(std::uint64_t xid, std::uint64_t lsn) {
    const auto state = journal_->commit(Xid{xid}, at(lsn), UnixMicros{1});
    EXPECT_TRUE(state.ok()) << to_text(state.error());
    return state.ok() && state.value().has_value() ? state.value()->value : 0;
  }
  void whole(std::uint64_t xid, std::uint64_t lsn, std::string_view text) {
    part(xid, xid, true, text);
    ASSERT_NE(commit(xid, lsn), 0u);
  }
  Durable sync() {
    const auto durable = journal_->sync();
    EXPECT_TRUE(durable.ok()) << to_text(durable.error());
    return durable.ok() ? durable.value() : Durable{};
  }
  std::vector<Seen> all(std::uint64_t after = 0) {
    auto seen = read_all(*journal_, StateId{after});
    EXPECT_TRUE(seen.ok()) << to_text(seen.error());
    return seen.ok() ? seen.value() : std::vector<Seen>{};
  }
  /// Fills segments until the journal has at least this many.
  std::uint64_t fill_segments(std::size_t wanted, std::uint64_t next_xid) {
    while (disk_.paths().size() < wanted) {
      whole(next_xid, next_xid * 10, std::string(300, 'x'));
      sync();
      ++next_xid;
    }
    return next_xid;
  }

  test::MemoryDisk disk_;
  Owner owner_{"shop", "pg 7012 shop", "lockstep_shop"};
  Options options_;
  std::unique_ptr<Journal> journal_;
};

}  // namespace lockstep::journal

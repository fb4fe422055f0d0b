#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/clock.hpp"
#include "source/postgres/address.hpp"
#include "source/postgres/connection.hpp"
#include "source/postgres/copy_channel.hpp"
#include "source/postgres/pgoutput.hpp"
#include "source/postgres/relation_shape.hpp"
#include "source/source.hpp"

namespace lockstep::postgres {

class PgChangeSource final : public source::ChangeSource {
 public:
  PgChangeSource(Address address, const Clock& clock) : address_(std::move(address)), clock_(clock) {}

  Status start(const source::Setup& setup, const Position& from) override;
  Result<SourceMessage> next(std::chrono::milliseconds wait_max) override;
  Status acknowledge(const Position& durable) override;
  Status keep_alive() override;
  Result<Position> end_of_log() override;
  Status heartbeat() override;
  void close() override;

 private:
  /// What the catalog said of a table, and when that was last asked for.
  struct Known {
    Catalog catalog;
    const CatalogTable* table(std::uint32_t oid) const {
      const auto found = catalog.tables.find(TableId{oid});
      return found == catalog.tables.end() ? nullptr : &found->second;
    }
  };

  Status check_slot(const source::Setup& setup);
  Status choose_form(const source::Setup& setup);
  Status start_stream(const source::Setup& setup, Lsn from);
  Status check_start(const std::string& slot, Lsn from);
  Status check_publication();
  Result<Rows> ask(const std::string& sql);
  Result<Connection*> service();

  Result<std::optional<SourceMessage>> read_frame(Bytes bytes);
  std::optional<SourceMessage> heard(const pgoutput::KeepAlive& alive);
  Result<std::optional<SourceMessage>> translate(pgoutput::Message& message);
  Result<std::optional<SourceMessage>> announce(const pgoutput::Relation& relation);
  Result<const Known*> know(const pgoutput::Relation& relation);
  std::optional<SourceMessage> ended(Xid xid, bool was_open, Lsn end, UnixMicros time);

  Xid widen(std::uint32_t xid);
  Xid owner(std::uint32_t xid) { return in_part_ ? widen(xid) : current_; }
  Status send_status();
  Status send_status_if_due();

  Address address_;
  const Clock& clock_;
  std::unique_ptr<Connection> service_;  // for questions; lives across starts
  std::unique_ptr<Connection> replication_;
  std::unique_ptr<CopyChannel> channel_;  // ends before replication_
  std::map<std::uint32_t, Known> known_;  // by relation
  source::Setup setup_;                   // of the last start
  std::uint64_t publication_oid_ = 0;     // as seen first; 0: not yet
  std::chrono::nanoseconds looked_{0};    // at the publication
  bool text_only_ = false;                // a column came up whose binary form nobody reads
  bool binary_ = false;

  Xid current_;  // of the transaction or part that is being read
  bool in_transaction_ = false;
  bool in_part_ = false;
  Xid newest_;      // the xid that 32-bit ones are widened against
  Lsn durable_;     // what the server may forget
  Lsn progressed_;  // what was last reported as Progressed
  std::chrono::nanoseconds status_sent_{0};
};

}  // namespace lockstep::postgres

#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>

#include "source/source.hpp"
#include "world/server.hpp"
#include "world/snapshots.hpp"

namespace lockstep::sim {

/// The server's walsender and our connection to it: decodes the log in order, sends whole transactions at their commit,
/// parts of open ones before, and after a reconnect sends much of it again (docs/copy-join-publish.md, H9).
class SimChangeSource final : public source::ChangeSource {
 public:
  SimChangeSource(Server& server, Dice& dice, Record& record, const Weather& weather, Meanwhile meanwhile)
      : server_(server), dice_(dice), record_(record), weather_(weather), meanwhile_(std::move(meanwhile)) {}

  Status start(const source::Setup& setup, const Position& from) override;
  Result<SourceMessage> next(std::chrono::milliseconds wait_max) override;
  Status acknowledge(const Position& durable) override;
  Status keep_alive() override;
  Result<Position> end_of_log() override { return Position{PgPosition{server_.log_end()}}; }
  Status heartbeat() override;
  void close() override;

  void plant(const SourceFlaws& flaws) { flaws_ = flaws; }
  bool connected() const { return connected_; }
  /// The furthest commit that was ever given to the engine; nothing: none.
  std::optional<Position> sent() const;
  /// The network goes away: what is under way is lost.
  void lose_connection();
  /// The furthest position that was ever acknowledged, whether or not it has arrived.
  Lsn claimed() const { return claimed_; }

 private:
  struct Queued {
    SourceMessage message;
    std::vector<std::byte> old_row;
    std::vector<std::byte> new_row;
    LoggedChange text;  ///< keeps a message's prefix and content
  };
  struct Buffered {
    Xid sub;
    const LoggedChange* change;
  };
  /// The server's reorder buffer of one transaction.
  struct Decoding {
    std::vector<Buffered> changes;
    std::set<Xid> subs;        ///< that did something and were not rolled back
    std::set<Xid> subs_sent;   ///< of those, the ones that the receiver has heard of
    std::set<TableId> shapes;  ///< sent inside this streamed transaction
    bool streamed = false;
  };

  void decode_one();
  void decode_change(const LogRecord& record);
  void decode_commit(const LogRecord& record);
  void drop(const LogRecord& record);
  void abort_streamed(Xid xid, const std::vector<Xid>& subs);
  void stream_part(Xid xid);
  bool published(const LoggedChange& change) const;
  void send_change(Xid sub, const LoggedChange& change, std::set<TableId>& shapes);
  void send_shape(Xid sub, std::size_t table, std::set<TableId>& shapes);
  void send(SourceMessage message);
  void progress();
  void deliver_acknowledgements();

  Server& server_;
  Dice& dice_;
  Record& record_;
  const Weather& weather_;
  Meanwhile meanwhile_;
  SourceFlaws flaws_;
  bool connected_ = false;
  bool was_connected_ = false;
  std::size_t next_record_ = 0;
  Lsn decoded_;         ///< end of the last record decoded
  Lsn send_after_;      ///< commits up to here are not sent
  Lsn committed_sent_;  ///< the furthest commit ever sent, for probes
  std::map<Xid, Decoding> transactions_;
  std::set<TableId> shapes_;  ///< sent on this connection
  std::deque<std::unique_ptr<Queued>> queue_;
  std::unique_ptr<Queued> current_;
  std::vector<Lsn> acknowledgements_;  ///< under way
  Lsn claimed_;
};

}  // namespace lockstep::sim

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "destination/destination.hpp"

namespace lockstep::destination {

struct DuckDbOptions {
  std::uint64_t memory_bytes = 512ull << 20;  ///< DuckDB's own buffers; it spills beside the file beyond it
  std::uint32_t threads = 0;                  ///< 0: one a core
  std::uint64_t checkpoint_bytes = 256ull
                                   << 20;  ///< of DuckDB's write-ahead log before a commit waits for a checkpoint
};

namespace duck {
struct Core;
}

/// A copy in one DuckDB file, which this process holds locked while it is open; so it also answers queries.
/// Threads: as Destination says; `query` at any time from any thread. A reader's transaction sees one state.
class DuckDbDestination : public Destination, public ServesQueries {
 public:
  explicit DuckDbDestination(std::string path, DuckDbOptions options = {});
  ~DuckDbDestination() override;

  Status open(const MirrorIdentity& identity) override;
  Result<Contents> contents() override;
  Status create_hidden(const CopyLedger& ledger) override;
  Result<CopyCounts> copy_into(TableId hidden, const std::string& snapshot, std::span<const std::uint32_t> done,
                               std::span<const std::unique_ptr<RowStream>> streams) override;
  Status drop_hidden(TableId hidden) override;
  Result<std::unique_ptr<Step>> begin(const std::optional<Shown>& expected) override;
  Status drop_live(const TableName& table) override;
  Status tidy_up() override;
  Status forget() override;
  void close() override;

  Result<Answer> query(const std::string& sql) override;
  void cancel_queries() override;

 private:
  std::unique_ptr<duck::Core> core_;
};

/// Opens the file for queries only, while no process holds it. Errors: busy (names the process that does), refused (no
/// such file), bad_data, unsupported.
Result<std::unique_ptr<ServesQueries>> open_read_only(const std::string& path, const DuckDbOptions& options = {});

}  // namespace lockstep::destination

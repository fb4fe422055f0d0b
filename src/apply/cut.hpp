#pragma once

#include <chrono>
#include <cstdint>

namespace lockstep::apply {

/// When a batch ends. Defaults are the middle of what was measured to matter.
struct BatchLimits {
  std::uint64_t changes_behind = 50'000;     ///< enough when more is waiting: larger ones save little CPU
  std::uint64_t transactions_max = 200'000;  ///< bounds a batch of transactions that change nothing of ours
  std::uint64_t bytes_max = 64ull << 20;     ///< held in memory; also where a transaction is cut into chunks
  std::chrono::nanoseconds age_max = std::chrono::milliseconds(25);      ///< worst extra delay when caught up
  std::chrono::nanoseconds position_age_max = std::chrono::seconds(10);  ///< how old a position without changes gets
};

/// The batch in hand, at the end of a transaction.
struct PendingBatch {
  std::uint64_t transactions = 0;
  std::uint64_t changes = 0;
  std::uint64_t bytes = 0;
  std::chrono::nanoseconds age{0};  ///< since its first transaction was met
  bool more_waiting = false;        ///< another durable transaction is there to be folded at once
};

/// True when the batch is to be committed now.
bool should_end(const PendingBatch& batch, const BatchLimits& limits);

/// True when memory forces a chunk out in the middle of a transaction.
bool chunk_is_full(std::uint64_t bytes_held, const BatchLimits& limits);

}  // namespace lockstep::apply

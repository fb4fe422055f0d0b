#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"
#include "destination/destination.hpp"
#include "model/position.hpp"
#include "runtime/status.hpp"

namespace lockstep::runtime {

/// What may be asked of a running mirror. Thread-safe.
class Controls {
 public:
  virtual ~Controls() = default;
  virtual MirrorStatus status() const = 0;
  /// Leaves the destination alone from the end of the batch in hand on; receiving goes on. Remembered over restarts.
  virtual Status pause() = 0;
  virtual Status resume() = 0;
  /// Finishes the batch in hand and ends. Returns at once.
  virtual void request_stop() = 0;
  /// Where the source's log ends now. Also makes the source's log move, so that this position will be passed even when
  /// nothing happens there. Blocks on the network.
  virtual Result<Position> end_of_log() = 0;
  /// Blocks. Errors: as ServesQueries; unsupported when the destination cannot be asked; busy while it is not open.
  virtual Result<destination::Answer> query(const std::string& sql) = 0;
  /// `listener` is called, from any thread, whenever the status has changed. It must not block.
  virtual void on_change(std::function<void()> listener) = 0;
};

}  // namespace lockstep::runtime

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "journal/format.hpp"
#include "model/shape.hpp"

namespace lockstep::journal {

/// The shapes of a journal and their numbers. Each segment holds every shape that its parts use, so that a segment can
/// be dropped without a thought for the later ones. Not thread-safe.
class ShapeBook {
 public:
  struct Known {
    ShapeId id;
    std::shared_ptr<const TableShape> shape;
    std::string encoded;
    std::uint32_t segment = 0;     ///< the last one that holds it; 0: none yet
    std::uint64_t connection = 0;  ///< the last one that added it
  };

  /// The known one, or a new one under the next number.
  Known& add(const TableShape& shape);
  /// One read from a segment.
  Status restore(const ShapeRecord& record, std::uint32_t segment);
  Known* find(ShapeId id);
  const Known* find(ShapeId id) const;

  void begin_connection() { ++connection_; }
  /// Forgets what no segment from `front` on holds, unless this connection has added it.
  void forget_before(std::uint32_t front);

  ShapeId next() const { return next_; }
  void set_next(ShapeId next) { next_ = next; }

 private:
  std::unordered_map<ShapeId, Known> by_id_;
  std::unordered_map<std::string, ShapeId> by_bytes_;
  ShapeId next_{1};
  std::uint64_t connection_ = 0;
};

}  // namespace lockstep::journal

#pragma once

#include <memory>
#include <optional>

#include "journal/frames.hpp"
#include "journal/shape_book.hpp"

namespace lockstep::journal {

/// What the files of a journal say, after the torn end was cut and what survives was made durable.
struct Recovered {
  Index index;
  ShapeBook shapes;
  std::optional<Commit> last;  ///< the last commit
  std::optional<Position> through;
  std::shared_ptr<DiskFile> file;  ///< the last segment, to go on with
};

/// Opens the journal in `folder`, or makes a new one there. Errors as those of `open`.
Result<Recovered> recover(Disk& disk, const std::string& folder, const Owner& owner);

}  // namespace lockstep::journal

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/decoder.hpp"
#include "model/row_stream.hpp"
#include "source/postgres/connection_pool.hpp"
#include "source/source.hpp"

namespace lockstep::postgres {

/// Reads ranges of `plan` as `ranges` gives them out, each in a short transaction of its own under the snapshot.
Result<std::unique_ptr<RowStream>> open_copy_stream(std::shared_ptr<ConnectionPool> pool,
                                                    std::unique_ptr<Connection> connection, std::string snapshot_name,
                                                    const source::RangePlan& plan,
                                                    std::shared_ptr<source::RangeQueue> ranges,
                                                    std::vector<ColumnDecoder> decoders);

}  // namespace lockstep::postgres

#include "destination/duckdb/feed.hpp"

#include <duckdb.h>

#include "base/check.hpp"
#include "destination/duckdb/type_map.hpp"

namespace lockstep::destination::duck {

// What one scanning thread of DuckDB keeps between its calls.
struct ThreadState {
  explicit ThreadState(const FeedSlot& slot, std::size_t number) : thread(number), lender(slot.types()) {}
  std::size_t thread;
  ChunkLender lender;
};

struct FeedCallbacks {
  static void bind(duckdb_bind_info info) {
    FeedFunction& function = **static_cast<std::shared_ptr<FeedFunction>*>(duckdb_bind_get_extra_info(info));
    duckdb_client_context context = nullptr;
    duckdb_table_function_get_client_context(info, &context);
    const std::uint64_t connection = duckdb_client_context_get_connection_id(context);
    duckdb_destroy_client_context(&context);
    if (connection != function.connection_) return duckdb_bind_set_error(info, "this function is lockstep's own");
    duckdb_value parameter = duckdb_bind_get_parameter(info, 0);
    const std::uint64_t number = duckdb_get_uint64(parameter);
    duckdb_destroy_value(&parameter);
    const auto found = function.slots_.find(number);
    if (found == function.slots_.end()) return duckdb_bind_set_error(info, "there is no such feed");
    FeedSlot& slot = *found->second;
    for (std::size_t i = 0; i < slot.types_.size(); ++i) {
      const OwnedLogicalType type = logical_type(slot.types_[i]);
      duckdb_bind_add_result_column(info, ("c" + std::to_string(i)).c_str(), type.get());
    }
    // A small number, fixed when the statement is prepared: a feed of keys must be the side that is hashed.
    duckdb_bind_set_cardinality(info, 1000, false);
    duckdb_bind_set_bind_data(info, &slot, nullptr);
  }

  static void init(duckdb_init_info info) {
    auto& slot = *static_cast<FeedSlot*>(duckdb_init_get_bind_data(info));
    if (slot.feed_ == nullptr) return duckdb_init_set_error(info, "nothing is plugged in");
    slot.threads_started_ = 0;
    duckdb_init_set_max_threads(info, slot.feed_->threads_max());
  }

  static void init_thread(duckdb_init_info info) {
    auto& slot = *static_cast<FeedSlot*>(duckdb_init_get_bind_data(info));
    auto* state = new ThreadState(slot, slot.threads_started_.fetch_add(1));
    duckdb_init_set_init_data(info, state, [](void* kept) { delete static_cast<ThreadState*>(kept); });
  }

  static void read(duckdb_function_info info, duckdb_data_chunk chunk) {
    auto& slot = *static_cast<FeedSlot*>(duckdb_function_get_bind_data(info));
    auto& state = *static_cast<ThreadState*>(duckdb_function_get_local_init_data(info));
    if (state.thread >= slot.feed_->threads_max()) return duckdb_data_chunk_set_size(chunk, 0);
    if (!slot.feed_->keeps_strings()) state.lender.arena().clear();
    std::vector<VectorView>& columns = state.lender.lend(chunk);
    const Result<std::size_t> rows = slot.feed_->read(state.thread, columns, duckdb_vector_size());
    if (rows.ok()) return state.lender.give_back(chunk, rows.value());
    slot.keep_error(rows.error());
    state.lender.give_back(chunk, 0);
    duckdb_function_set_error(info, "the rows ended with an error");
  }
};

void FeedSlot::keep_error(const Error& error) {
  if (!has_error_.exchange(true)) error_ = error;
}

Result<std::uint64_t> FeedSlot::run(Statement& statement, Feed& feed) {
  feed_ = &feed;
  has_error_ = false;
  error_.reset();
  Result<std::uint64_t> ran = statement.run();
  feed_ = nullptr;
  if (!ran.ok() && error_) return *error_;
  return ran;
}

Result<std::shared_ptr<FeedFunction>> FeedFunction::make(Connection& connection) {
  std::shared_ptr<FeedFunction> made(new FeedFunction(connection.id()));
  duckdb_table_function function = duckdb_create_table_function();
  duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT);
  duckdb_table_function_set_name(function, ("lockstep_feed_" + std::to_string(connection.id())).c_str());
  duckdb_table_function_add_parameter(function, number);
  duckdb_table_function_set_extra_info(function, new std::shared_ptr<FeedFunction>(made),
                                       [](void* held) { delete static_cast<std::shared_ptr<FeedFunction>*>(held); });
  duckdb_table_function_set_bind(function, FeedCallbacks::bind);
  duckdb_table_function_set_init(function, FeedCallbacks::init);
  duckdb_table_function_set_local_init(function, FeedCallbacks::init_thread);
  duckdb_table_function_set_function(function, FeedCallbacks::read);
  const bool registered = duckdb_register_table_function(connection.handle(), function) == DuckDBSuccess;
  duckdb_destroy_logical_type(&number);
  duckdb_destroy_table_function(&function);
  if (!registered) return Error{ErrorKind::unexpected, "DuckDB does not take our table function"};
  return made;
}

FeedSlot& FeedFunction::add(std::vector<LogicalType> types) {
  return *slots_.emplace(next_++, std::make_unique<FeedSlot>(std::move(types))).first->second;
}

void FeedFunction::remove(const FeedSlot& slot) {
  std::erase_if(slots_, [&](const auto& entry) { return entry.second.get() == &slot; });
}

std::string FeedFunction::call(const FeedSlot& slot) const {
  for (const auto& [number, candidate] : slots_) {
    if (candidate.get() == &slot) {
      return "lockstep_feed_" + std::to_string(connection_) + "(" + std::to_string(number) + ")";
    }
  }
  CHECK(false);
}

}  // namespace lockstep::destination::duck

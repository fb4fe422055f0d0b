#include "model/vector.hpp"

#include "base/check.hpp"

namespace lockstep {

std::uint64_t pack_time_tz(std::int64_t micros_of_day, std::int32_t seconds_east) {
  constexpr std::int32_t offset_max = 16 * 60 * 60 - 1;
  return (static_cast<std::uint64_t>(micros_of_day) << 24) | static_cast<std::uint64_t>(offset_max - seconds_east);
}

char* Arena::allocate(std::size_t size) {
  if (size > chunk_bytes / 4) {
    large_.push_back(std::make_unique_for_overwrite<char[]>(size));
    return large_.back().get();
  }
  if (chunk_ < chunks_.size() && used_ + size > chunk_bytes) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes));
  char* place = chunks_[chunk_].get() + used_;
  used_ += size;
  return place;
}

std::string_view Arena::keep(std::string_view text) {
  char* place = allocate(text.size());
  std::memcpy(place, text.data(), text.size());
  return {place, text.size()};
}

void Arena::clear() {
  large_.clear();
  chunk_ = 0;
  used_ = 0;
}

std::size_t width_of(const LogicalType& type) {
  if (type.list_depth > 0) return sizeof(ListValue);
  switch (type.kind) {
    case TypeKind::boolean: return 1;
    case TypeKind::int16: return 2;
    case TypeKind::int32:
    case TypeKind::uint32:
    case TypeKind::float32:
    case TypeKind::date: return 4;
    case TypeKind::int64:
    case TypeKind::float64:
    case TypeKind::time:
    case TypeKind::time_tz:
    case TypeKind::timestamp:
    case TypeKind::timestamp_tz: return 8;
    case TypeKind::decimal:
      if (type.precision <= 4) return 2;
      if (type.precision <= 9) return 4;
      return type.precision <= 18 ? 8 : 16;
    case TypeKind::interval:
    case TypeKind::uuid:
    case TypeKind::text:
    case TypeKind::bytes:
    case TypeKind::json: return 16;
  }
  CHECK(false);
}

struct ColumnBatch::Storage {
  std::vector<std::byte> values;
  std::vector<std::uint64_t> validity;
  std::unique_ptr<Storage> child;
  VectorView child_view;

  void make_room(const LogicalType& type, std::size_t capacity) {
    values.resize(width_of(type) * capacity);
    validity.resize((capacity + 63) / 64, ~std::uint64_t{0});
  }
  void clear(VectorView& view) {
    std::fill(validity.begin(), validity.end(), ~std::uint64_t{0});
    view.child_size = 0;
    if (child) child->clear(child_view);
  }
};

namespace {

template <class Storage>
void attach(Storage& storage, VectorView& view, const LogicalType& type, std::size_t capacity, Arena& arena) {
  storage.make_room(type, capacity);
  view.type = type;
  view.values = storage.values.data();
  view.validity = storage.validity.data();
  view.arena = &arena;
  if (type.list_depth == 0) return;
  LogicalType element = type;
  --element.list_depth;
  storage.child = std::make_unique<Storage>();
  attach(*storage.child, storage.child_view, element, capacity, arena);
  view.child = &storage.child_view;
  view.owner = &storage;
  view.reserve_child = [](VectorView& list, std::uint64_t child_capacity) {
    auto& parent = *static_cast<Storage*>(list.owner);
    parent.child->make_room(list.child->type, child_capacity);
    list.child->values = parent.child->values.data();
    list.child->validity = parent.child->validity.data();
  };
}

}  // namespace

ColumnBatch::ColumnBatch(const std::vector<LogicalType>& types, std::size_t capacity) : capacity_(capacity) {
  views_.resize(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    storage_.push_back(std::make_unique<Storage>());
    attach(*storage_[i], views_[i], types[i], capacity, arena_);
  }
}

ColumnBatch::~ColumnBatch() = default;

void ColumnBatch::clear() {
  for (std::size_t i = 0; i < views_.size(); ++i) storage_[i]->clear(views_[i]);
  arena_.clear();
}

}  // namespace lockstep

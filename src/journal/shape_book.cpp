#include "journal/shape_book.hpp"

#include <algorithm>

namespace lockstep::journal {

ShapeBook::Known& ShapeBook::add(const TableShape& shape) {
  std::vector<std::byte> bytes;
  encode_shape(shape, bytes);
  std::string encoded(text_of(bytes));
  if (const auto found = by_bytes_.find(encoded); found != by_bytes_.end()) {
    Known& known = by_id_.at(found->second);
    known.connection = connection_;
    return known;
  }
  const ShapeId id = next_;
  ++next_.value;
  by_bytes_[encoded] = id;
  Known& known = by_id_[id];
  known = {id, std::make_shared<const TableShape>(shape), std::move(encoded), 0, connection_};
  return known;
}

Status ShapeBook::restore(const ShapeRecord& record, std::uint32_t segment) {
  std::string encoded(text_of(record.shape));
  if (Known* known = find(record.id)) {
    if (known->encoded != encoded) return Error{ErrorKind::bad_data, "two shapes have the same number"};
    known->segment = std::max(known->segment, segment);
    return Done{};
  }
  TRY(shape, decode_shape(record.shape));
  by_bytes_[encoded] = record.id;
  by_id_[record.id] = {record.id, std::make_shared<const TableShape>(std::move(shape)), std::move(encoded), segment, 0};
  next_.value = std::max(next_.value, record.id.value + 1);
  return Done{};
}

ShapeBook::Known* ShapeBook::find(ShapeId id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}

const ShapeBook::Known* ShapeBook::find(ShapeId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}

void ShapeBook::forget_before(std::uint32_t front) {
  std::erase_if(by_id_, [&](const auto& entry) {
    const Known& known = entry.second;
    if (known.segment >= front || known.connection == connection_) return false;
    by_bytes_.erase(known.encoded);
    return true;
  });
}

}  // namespace lockstep::journal

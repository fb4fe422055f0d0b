#include "source/postgres/copy_rows.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/wire.hpp"

namespace lockstep::postgres {
namespace {

/// Takes any cell as text, but "no" as malformed and "big" as too big.
Decoded take(const ColumnDecoder&, const Cell& cell, VectorView& out, std::size_t row) {
  if (cell.state == Cell::State::null) {
    out.set_null(row);
    return Decoded::ok;
  }
  if (text_of(cell.bytes) == "no") return Decoded::malformed;
  if (text_of(cell.bytes) == "big") return Decoded::does_not_fit;
  out.set(row, StringValue::of(text_of(cell.bytes)));
  return Decoded::ok;
}

CopyRows two_texts() {
  const ColumnDecoder decoder{take, {}, 25, -1};
  return CopyRows({decoder, decoder}, {false, true});
}

const std::string header("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);

std::vector<std::byte> message(const std::string& front, std::initializer_list<const char*> cells) {
  std::vector<std::byte> out;
  WireWriter writer(out);
  writer.bytes(bytes_of(front));
  writer.u16(static_cast<std::uint16_t>(cells.size()));
  for (const char* cell : cells) {
    if (cell == nullptr) {
      writer.u32(0xffffffffu);
    } else {
      writer.sized(std::string_view(cell));
    }
  }
  return out;
}

class CopyRowsTest : public ::testing::Test {
 protected:
  Result<std::size_t> decode(const std::vector<std::byte>& bytes, std::size_t row = 0) {
    return rows_.decode(bytes, batch_.columns(), row);
  }
  CopyRows rows_ = two_texts();
  ColumnBatch batch_{{LogicalType{}, LogicalType{}}, 4};
};

TEST_F(CopyRowsTest, TheHeaderComesWithTheFirstRowOrAlone) {
  const auto first = message(header, {"a", nullptr});
  EXPECT_EQ(decode(first).value(), 1u);
  EXPECT_EQ(value_text(batch_.columns()[0], 0), "a");
  EXPECT_EQ(value_text(batch_.columns()[1], 0), "NULL");
  rows_.restart();
  const std::string alone = header;
  EXPECT_EQ(rows_.decode(bytes_of(alone), batch_.columns(), 0).value(), 0u);
  const auto second = message("", {"b", "c"});
  EXPECT_EQ(decode(second, 1).value(), 1u);
}

TEST_F(CopyRowsTest, TheEndIsNoRow) {
  const auto first = message(header, {"a", "b"});
  EXPECT_EQ(decode(first).value(), 1u);
  EXPECT_EQ(decode({std::byte{0xff}, std::byte{0xff}}, 1).value(), 0u);
}

TEST_F(CopyRowsTest, WhatIsMalformedIsRefused) {
  for (const auto& bytes : {message("PGCOPX", {"a", "b"}), message(header, {"a"}), message(header, {"a", "b", "c"}),
                            message(header, {"a", "no"})}) {
    rows_.restart();
    EXPECT_EQ(decode(bytes).error().kind, ErrorKind::bad_data);
  }
  rows_.restart();
  auto cut = message(header, {"a", "b"});
  cut.pop_back();
  EXPECT_FALSE(decode(cut).ok());
  rows_.restart();
  auto longer = message(header, {"a", "b"});
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer).ok());
}

TEST_F(CopyRowsTest, AValueThatDoesNotFitNamesItsColumn) {
  const auto bytes = message(header, {"a", "big"});
  EXPECT_EQ(decode(bytes).error().kind, ErrorKind::does_not_fit);
  EXPECT_EQ(rows_.column_at_fault(), 1u);
}

}  // namespace
}  // namespace lockstep::postgres

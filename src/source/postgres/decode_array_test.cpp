#include <gmock/gmock.h>

#include "source/postgres/decode_test.hpp"

namespace lockstep::postgres {
namespace {

using decode_test::binary;
using decode_test::bytes;
using decode_test::shown;
using decode_test::Source;
using decode_test::text;

constexpr Source numbers{1007, "int32[]"};
constexpr Source matrix{1007, "int32[][]"};
constexpr Source texts{1009, "text[]"};

// dimensions, has NULLs, type of the elements; then length and lower bound of each dimension; then the elements.
const std::string one_null_three =
    "00000001 00000001 00000017  00000003 00000001  00000004 00000001  ffffffff  00000004 00000003";
const std::string two_by_two =
    "00000002 00000000 00000017  00000002 00000001 00000002 00000001"
    "  00000004 00000001  00000004 00000002  00000004 00000003  00000004 00000004";
const std::string from_five = "00000001 00000000 00000017  00000002 00000005  00000004 00000007  00000004 00000008";
const std::string empty = "00000000 00000000 00000017";

TEST(decode_array, makes_a_list_with_its_nulls) {
  EXPECT_EQ(binary(numbers, one_null_three), "[1, NULL, 3]");
  EXPECT_EQ(text(numbers, "{1,NULL,3}"), "[1, NULL, 3]");
  EXPECT_EQ(shown(numbers, one_null_three), "{1,NULL,3}");
}

TEST(decode_array, nests_lists_by_dimension) {
  EXPECT_EQ(binary(matrix, two_by_two), "[[1, 2], [3, 4]]");
  EXPECT_EQ(text(matrix, "{{1,2},{3,NULL}}"), "[[1, 2], [3, NULL]]");
  EXPECT_EQ(shown(matrix, two_by_two), "{{1,2},{3,4}}");
}

TEST(decode_array, takes_an_empty_array_at_any_depth) {
  EXPECT_EQ(binary(numbers, empty), "[]");
  EXPECT_EQ(binary(matrix, empty), "[]");
  EXPECT_EQ(text(matrix, "{}"), "[]");
  EXPECT_EQ(shown(matrix, empty), "{}");
}

TEST(decode_array, loses_no_bounds_and_no_dimension) {
  EXPECT_EQ(binary(numbers, from_five), "(does not fit)");
  EXPECT_EQ(text(numbers, "[5:6]={7,8}"), "(does not fit)");
  EXPECT_EQ(shown(numbers, from_five), "[5:6]={7,8}");
  EXPECT_EQ(binary(numbers, two_by_two), "(does not fit)");
  EXPECT_EQ(binary(matrix, one_null_three), "(does not fit)");
  EXPECT_EQ(text(numbers, "{{1}}"), "(does not fit)");
  EXPECT_EQ(text(matrix, "[1:1][1:1]={{1}}"), "[[1]]");
}

TEST(decode_array, reads_quoted_elements) {
  EXPECT_EQ(text(texts, R"({a,NULL,"NULL","x,y","{z}","q\"q","b\\s",""})"),
            R"([a, NULL, "NULL", "x,y", {z}, "q\"q", "b\\s", ""])");
  EXPECT_EQ(text({1001, "bytes[]"}, R"({"\\x00ff"})"), "[\\x00ff]");
}

TEST(decode_array, quotes_elements_as_the_server_does) {
  // 'null' in any case, blanks, braces, commas, quotes and backslashes; but not brackets.
  const auto shows = [](const std::string& hex_of_one) {
    const std::size_t size = bytes(hex_of_one).size();
    const char* const digits = "0123456789abcdef";
    return shown(texts,
                 std::string("00000001 00000000 00000019 00000001 00000001 0000000") + digits[size] + hex_of_one);
  };
  EXPECT_EQ(shows("61"), "{a}");
  EXPECT_EQ(shows(""), "{\"\"}");
  EXPECT_EQ(shows("6e754c4c"), "{\"nuLL\"}");
  EXPECT_EQ(shows("225c"), R"({"\"\\"})");
  EXPECT_EQ(shows("0b"), "{\"\v\"}");
  EXPECT_EQ(shows("5b5d"), "{[]}");
  EXPECT_EQ(shows("c2a0"), "{\u00A0}");
}

TEST(decode_array, refuses_texts_that_are_none) {
  for (const char* value : {"",
                            "{",
                            "}",
                            "{1",
                            "{1,}",
                            "{,1}",
                            "{1}}",
                            "{1}x",
                            "1",
                            "{{1},{1,2}}",
                            "{1,{2}}",
                            "{{1},2}",
                            "{{}}",
                            "{}{}",
                            "[1:2]={1}",
                            "[1:1]{1}",
                            "[2:1]={}",
                            "[1:1",
                            "{a b",
                            "{\"a",
                            "{\"a\\",
                            "{1x}",
                            "{{{{{{{1}}}}}}}",
                            "[1:1][1:1][1:1][1:1][1:1][1:1][1:1]={1}",
                            "{1,,2}",
                            "{\"1\"2}"}) {
    EXPECT_EQ(text(numbers, value), "(malformed)") << value;
  }
}

TEST(decode_array, refuses_bytes_that_are_none) {
  const auto full = bytes(two_by_two);
  const Column column{"c", decode_test::type("int32[][]"), 1007};
  for (std::size_t length = 0; length < full.size(); ++length) {
    const std::vector<std::byte> cut(full.begin(), full.begin() + static_cast<std::ptrdiff_t>(length));
    const Cell cell{Cell::State::binary, cut};
    EXPECT_EQ(decode_test::decode({1007, "int32[][]"}, cell, column.type), "(malformed)") << length;
    EXPECT_EQ(decode_test::decode({1007, "int32[][]"}, cell, {TypeKind::text}), "(malformed)") << length;
  }
  EXPECT_EQ(binary(matrix, two_by_two + "00"), "(malformed)");
  EXPECT_EQ(binary(numbers, empty + "00"), "(malformed)");
  EXPECT_EQ(binary(numbers, "00000007 00000000 00000017"), "(malformed)");
  // Four milliards of elements that are not there: no memory is asked for.
  EXPECT_EQ(binary(numbers, "00000001 00000000 00000017 ffffffff 00000001"), "(malformed)");
  EXPECT_EQ(binary(matrix, "00000002 00000000 00000017 ffffffff 00000001 ffffffff 00000001"), "(malformed)");
}

// What does not fit leaves no trace: the same slots serve the next row.
TEST(decode_array, takes_back_what_it_wrote_of_a_value_that_does_not_fit) {
  const Column column{"c", decode_test::type("decimal(4,2)[][]"), 1231};
  const auto decoder = PgDecoderFactory().decoder(column, column.type).value();
  ColumnBatch batch({column.type}, 3);
  VectorView& out = batch.columns().front();
  const auto decode = [&](std::string_view value, std::size_t row) {
    return decoder.decode(decoder, {Cell::State::text, bytes_of(value)}, out, row);
  };
  EXPECT_EQ(decode("{{1,2},{3,4}}", 0), Decoded::ok);
  EXPECT_EQ(decode("{{NULL,NULL},{NULL,NaN}}", 1), Decoded::does_not_fit);
  EXPECT_EQ(decode("{{NULL,5},{x,6}}", 1), Decoded::malformed);
  EXPECT_EQ(decode("{{5,6},{7,8}}", 1), Decoded::ok);
  EXPECT_EQ(decode("{}", 2), Decoded::ok);
  EXPECT_EQ(value_text(out, 0), "[[1.00, 2.00], [3.00, 4.00]]");
  EXPECT_EQ(value_text(out, 1), "[[5.00, 6.00], [7.00, 8.00]]");
  EXPECT_EQ(value_text(out, 2), "[]");
  EXPECT_EQ(out.child_size, 4u);
  EXPECT_EQ(out.child->child_size, 8u);
}

TEST(decode_array, shows_arrays_that_stay_text) {
  EXPECT_EQ(binary({1041, "text"}, "00000001 00000000 00000365 00000001 00000001 00000008 02200004c0a80001"),
            "{192.168.0.1}");
  EXPECT_EQ(text({1041, "text"}, "{192.168.0.1}"), "{192.168.0.1}");
  EXPECT_EQ(
      binary({oid::int2_vector, "text"}, "00000001 00000000 00000015 00000002 00000000 00000002 0001 00000002 fffe"),
      "1 -2");
}

TEST(decode_array, goes_by_the_lists_type_where_the_array_types_number_says_nothing) {
  EXPECT_EQ(binary({20'001, "int32[]"}, one_null_three), "[1, NULL, 3]");
  EXPECT_EQ(shown({20'001, "int32[]"}, one_null_three), "{1,NULL,3}");
}

}  // namespace
}  // namespace lockstep::postgres

// Every logical type, at its edges: what was put into a vector comes out as the same value.

#include <limits>

#include "destination/conformance/suite.hpp"

namespace lockstep::destination::conformance {
namespace {

using Put = std::function<void(VectorView&, std::size_t)>;

struct Value {
  Put put;
  std::string duckdb;  // as DuckDB prints it
};

template <class T>
Put number(T value) {
  return [value](VectorView& out, std::size_t row) { out.set<T>(row, value); };
}
Put text(std::string value) {
  return [value = std::move(value)](VectorView& out, std::size_t row) {
    out.set(row, StringValue::of(out.arena->keep(value)));
  };
}
Put null() {
  return [](VectorView& out, std::size_t row) { out.set_null(row); };
}
Put list(std::vector<Put> elements) {
  return [elements = std::move(elements)](VectorView& out, std::size_t row) {
    const ListValue value{out.child_size, elements.size()};
    out.reserve_child(out, out.child_size + elements.size());
    out.child_size += elements.size();
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i](*out.child, value.offset + i);
    out.set(row, value);
  };
}
__extension__ typedef __int128 Wide;
Put wide(Wide value) {
  return
      [value](VectorView& out, std::size_t row) { std::memcpy(static_cast<char*>(out.values) + 16 * row, &value, 16); };
}

struct TypeCase {
  LogicalType type;
  std::vector<Value> values;
};

LogicalType plain(TypeKind kind) { return {kind, 0, 0, 0}; }

std::vector<TypeCase> number_cases() {
  const Wide widest = static_cast<Wide>(10'000'000'000'000'000'000ull) * 10'000'000'000'000'000'000ull - 1;
  return {
      {plain(TypeKind::boolean), {{number<bool>(true), "true"}, {number<bool>(false), "false"}}},
      {plain(TypeKind::int16), {{number<std::int16_t>(-32768), "-32768"}, {number<std::int16_t>(32767), "32767"}}},
      {plain(TypeKind::int32), {{number<std::int32_t>(std::numeric_limits<std::int32_t>::min()), "-2147483648"}}},
      {plain(TypeKind::int64),
       {{number<std::int64_t>(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808"}}},
      {plain(TypeKind::uint32), {{number<std::uint32_t>(4294967295u), "4294967295"}}},
      {plain(TypeKind::float32), {{number<float>(0.1f), "0.1"}, {number<float>(-0.0f), "-0.0"}}},
      {plain(TypeKind::float64),
       {{number<double>(0.1), "0.1"},
        {number<double>(-0.0), "-0.0"},
        {number<double>(5e-324), "5e-324"},
        {number<double>(std::numeric_limits<double>::quiet_NaN()), "nan"},
        {number<double>(-std::numeric_limits<double>::infinity()), "-inf"}}},
      {{TypeKind::decimal, 4, 2, 0}, {{number<std::int16_t>(-9999), "-99.99"}, {number<std::int16_t>(5), "0.05"}}},
      {{TypeKind::decimal, 9, 0, 0}, {{number<std::int32_t>(999'999'999), "999999999"}}},
      {{TypeKind::decimal, 18, 18, 0}, {{number<std::int64_t>(-1), "-.000000000000000001"}}},
      {{TypeKind::decimal, 38, 10, 0},
       {{wide(widest), "9999999999999999999999999999.9999999999"},
        {wide(-widest), "-9999999999999999999999999999.9999999999"}}},
  };
}

std::vector<TypeCase> text_cases() {
  const std::string large(3'000'000, 'x');
  return {
      {plain(TypeKind::text),
       {{text(""), ""},
        {text("twelve bytes"), "twelve bytes"},
        {text("thirteen byte"), "thirteen byte"},
        {text("Größe 表 🦆"), "Größe 表 🦆"},
        {text(large), large}}},
      {plain(TypeKind::json), {{text("{\"a\": [1,  2]}"), "{\"a\": [1,  2]}"}}},
      {plain(TypeKind::bytes), {{text(std::string("a\0b\xff", 4)), "a\\x00b\\xFF"}, {text(""), ""}}},
      {plain(TypeKind::uuid),
       {{wide(static_cast<Wide>(static_cast<__uint128_t>(1) << 127) + 1), "00000000-0000-0000-0000-000000000001"}}},
  };
}

std::vector<TypeCase> time_cases() {
  constexpr std::int64_t day = 86'400'000'000;
  return {
      {plain(TypeKind::date),
       {{number<std::int32_t>(0), "1970-01-01"},
        {number<std::int32_t>(date_infinity), "infinity"},
        {number<std::int32_t>(-date_infinity), "-infinity"},
        {number<std::int32_t>(-719'529), "0002-12-31 (BC)"}}},
      {plain(TypeKind::time),
       {{number<std::int64_t>(day - 1), "23:59:59.999999"}, {number<std::int64_t>(day), "24:00:00"}}},
      {plain(TypeKind::time_tz),
       {{number<std::uint64_t>(pack_time_tz(3'600'000'000, 5 * 3600 + 1800)), "01:00:00+05:30"},
        {number<std::uint64_t>(pack_time_tz(0, -15 * 3600)), "00:00:00-15"}}},
      {plain(TypeKind::timestamp),
       {{number<std::int64_t>(-1), "1969-12-31 23:59:59.999999"},
        {number<std::int64_t>(timestamp_infinity), "infinity"},
        {number<std::int64_t>(-timestamp_infinity), "-infinity"}}},
      {plain(TypeKind::timestamp_tz), {{number<std::int64_t>(timestamp_infinity), "infinity"}}},
      {plain(TypeKind::interval),
       {{number<IntervalValue>({14, -3, 1}), "1 year 2 months -3 days 00:00:00.000001"},
        {number<IntervalValue>({}), "00:00:00"}}},
  };
}

std::vector<TypeCase> list_cases() {
  std::vector<Put> many;
  std::string many_text = "[";
  for (std::int32_t i = 0; i < 5000; ++i) {
    many.push_back(i % 7 == 0 ? null() : number<std::int32_t>(i));
    many_text += (i == 0 ? "" : ", ") + (i % 7 == 0 ? std::string("NULL") : std::to_string(i));
  }
  const Put inner = list({text("a longer text than twelve"), null(), text("b")});
  return {
      {{TypeKind::int32, 0, 0, 1},
       {{list({}), "[]"},
        {list({number<std::int32_t>(1), null(), number<std::int32_t>(3)}), "[1, NULL, 3]"},
        {list(many), many_text + "]"}}},
      {{TypeKind::text, 0, 0, 2},
       {{list({inner, list({}), null(), inner}),
         "[[a longer text than twelve, NULL, b], [], NULL, [a longer text than twelve, NULL, b]]"}}},
      {{TypeKind::decimal, 18, 2, 3},
       {{list({list({list({number<std::int64_t>(-150)})}), null()}), "[[[-1.50]], NULL]"}}},
      {{TypeKind::json, 0, 0, 1}, {{list({text("{}"), text("[1]")}), "[{}, [1]]"}}},
      {{TypeKind::boolean, 0, 0, 1}, {{list({number<bool>(true)}), "[true]"}}},
  };
}

/// One column of values, each `times` times, with a number beside it; every value is followed by a NULL.
class ValueStream : public RowStream {
 public:
  ValueStream(const TypeCase& values, std::size_t times) : case_(values), rows_(values.values.size() * 2 * times) {}

  Result<std::size_t> read(std::span<VectorView> columns, std::size_t capacity) override {
    const std::size_t count = std::min({capacity, std::size_t{1000}, rows_ - next_});
    for (std::size_t row = 0; row < count; ++row, ++next_) {
      columns[0].set<std::int64_t>(row, static_cast<std::int64_t>(next_));
      const std::size_t which = next_ / 2 % case_.values.size();
      if (next_ % 2 == 1) columns[1].set_null(row);
      else case_.values[which].put(columns[1], row);
    }
    return count;
  }

 private:
  const TypeCase& case_;
  std::size_t rows_;
  std::size_t next_ = 0;
};

std::string printed_like_value_text(const LogicalType& type, const Put& put) {
  ColumnBatch batch({type}, 1);
  put(batch.columns()[0], 0);
  return value_text(batch.columns()[0], 0);
}

void check_rows(DestinationPromises& test, const TableShape& shape, const TypeCase& one, std::size_t times) {
  std::vector<std::string> expected;
  for (const Value& value : one.values) {
    expected.push_back(test.harness_->prints_like_duckdb() ? value.duckdb
                                                           : printed_like_value_text(one.type, value.put));
  }
  const std::vector<TextRow> all = test.rows(shape);
  ASSERT_EQ(all.size(), one.values.size() * 2 * times);
  for (const TextRow& row : all) {
    const std::size_t number = std::stoul(row[0]);
    const std::string& wanted = number % 2 == 1 ? "NULL" : expected[number / 2 % expected.size()];
    ASSERT_TRUE(row[1] == wanted) << "row " << number << ": " << row[1].substr(0, 200) << "\nnot "
                                  << wanted.substr(0, 200);
  }
}

void round_trip(DestinationPromises& test, const std::vector<TypeCase>& cases) {
  std::uint64_t id = 900;
  for (const TypeCase& one : cases) {
    SCOPED_TRACE(to_text(one.type));
    const TableShape shape = make_shape(++id, {"public", to_text(one.type)}, {{"n", int64_type}, {"v", one.type}}, {0});
    ASSERT_THAT(test.destination().create_hidden(DestinationPromises::ledger_of(shape)), IsOk());
    // Over several vectors, so that each is used again.
    const bool is_large = one.type.kind == TypeKind::text && one.type.list_depth == 0;
    const std::size_t times = is_large ? 2 : 3000 / one.values.size();
    std::vector<std::unique_ptr<RowStream>> streams;
    streams.push_back(std::make_unique<ValueStream>(one, times));
    ASSERT_THAT(test.destination().copy_into(shape.table, "group 1", std::vector<std::uint32_t>{0}, streams), IsOk());
    const auto step = test.begin();
    ASSERT_THAT(step->publish(shape.table), IsOk());
    ASSERT_THAT(step->commit(test.next_shown()), IsOk());
    check_rows(test, shape, one, times);
  }
}

TEST_P(DestinationPromises, NumbersArriveAsTheyAre) { round_trip(*this, number_cases()); }
TEST_P(DestinationPromises, TextsAndBytesArriveAsTheyAre) { round_trip(*this, text_cases()); }
TEST_P(DestinationPromises, DatesAndTimesArriveAsTheyAre) { round_trip(*this, time_cases()); }
TEST_P(DestinationPromises, ListsArriveAsTheyAre) { round_trip(*this, list_cases()); }

}  // namespace
}  // namespace lockstep::destination::conformance

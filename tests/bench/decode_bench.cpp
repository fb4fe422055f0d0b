// What one value costs on its way from PostgreSQL's bytes into a column vector. Items are values.
#include <benchmark/benchmark.h>

#include <random>

#include "base/wire.hpp"
#include "model/vector.hpp"
#include "source/postgres/decoder_factory.hpp"
#include "source/postgres/type_oids.hpp"

namespace {

using namespace lockstep;  // NOLINT: a program of its own
namespace oid = lockstep::postgres::oid;

constexpr std::size_t rows = 2048;  // of a DuckDB vector

struct Values {
  std::vector<std::byte> bytes;
  std::vector<std::size_t> ends;

  template <class Write>
  static Values make(Write write) {
    Values values;
    WireWriter out(values.bytes);
    std::mt19937_64 dice(7);
    for (std::size_t i = 0; i < rows; ++i) {
      write(out, dice());
      values.ends.push_back(values.bytes.size());
    }
    return values;
  }
  std::vector<Cell> cells() const {
    std::vector<Cell> cells;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      cells.push_back({Cell::State::binary, Bytes(bytes).subspan(begin, end - begin)});
      begin = end;
    }
    return cells;
  }
};

void run(benchmark::State& state, const Values& values, std::uint32_t source_type, const LogicalType& own,
         const LogicalType& target) {
  const Column column{"c", own, source_type};
  const ColumnDecoder decoder = postgres::PgDecoderFactory().decoder(column, target).value();
  ColumnBatch batch({target}, rows);
  VectorView& out = batch.columns().front();
  const std::vector<Cell> cells = values.cells();
  for (auto _ : state) {
    batch.clear();
    for (std::size_t row = 0; row < rows; ++row) {
      if (decoder.decode(decoder, cells[row], out, row) != Decoded::ok) return state.SkipWithError("not decoded");
    }
    benchmark::DoNotOptimize(out.values);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows));
}

void write_numeric(WireWriter& out, std::uint64_t unscaled) {  // of scale 2, up to 12 digits
  const std::uint64_t cents = unscaled % 1'000'000'000'000;
  const std::uint64_t whole = cents / 100;
  const std::uint16_t digits[] = {
      static_cast<std::uint16_t>(whole / 100'000'000), static_cast<std::uint16_t>(whole / 10'000 % 10'000),
      static_cast<std::uint16_t>(whole % 10'000), static_cast<std::uint16_t>(cents % 100 * 100)};
  for (const std::uint16_t word : {std::uint16_t{4}, std::uint16_t{2}, std::uint16_t{0}, std::uint16_t{2}})
    out.u16(word);
  for (const std::uint16_t digit : digits) out.u16(digit);
}

const Values fours =
    Values::make([](WireWriter& out, std::uint64_t chance) { out.u32(static_cast<std::uint32_t>(chance)); });
const Values eights =
    Values::make([](WireWriter& out, std::uint64_t chance) { out.u64(chance & 0x3fff'ffff'ffff'ffff); });
const Values days =
    Values::make([](WireWriter& out, std::uint64_t chance) { out.u32(static_cast<std::uint32_t>(chance % 20'000)); });
const Values instants =
    Values::make([](WireWriter& out, std::uint64_t chance) { out.u64(chance % 900'000'000'000'000); });
const Values truths =
    Values::make([](WireWriter& out, std::uint64_t chance) { out.u8(static_cast<std::uint8_t>(chance % 2)); });
const Values sixteens = Values::make([](WireWriter& out, std::uint64_t chance) {
  out.u64(chance);
  out.u64(~chance);
});
const Values numerics = Values::make(write_numeric);
const Values words =
    Values::make([](WireWriter& out, std::uint64_t chance) { out.bytes(bytes_of(std::string(chance % 40, 'x'))); });
const Values accented = Values::make([](WireWriter& out, std::uint64_t chance) {
  out.bytes(bytes_of("Gr\u00fc\u00dfe aus K\u00f6ln " + std::string(chance % 20, 'x')));
});
const Values documents = Values::make([](WireWriter& out, std::uint64_t chance) {
  out.u8(1);
  out.bytes(bytes_of("{\"id\": " + std::to_string(chance) +
                     ", \"tags\": [\"a\", \"b\"], \"note\": \"some longer text here\"}"));
});
const Values lists = Values::make([](WireWriter& out, std::uint64_t chance) {
  for (const std::uint32_t word : {1u, 0u, oid::int4, 4u, 1u}) out.u32(word);
  for (std::uint32_t i = 0; i < 4; ++i) {
    out.u32(4);
    out.u32(static_cast<std::uint32_t>(chance) + i);
  }
});

constexpr LogicalType as_text{TypeKind::text};

// The braces of a LogicalType hold commas, so it comes as the rest of the arguments.
#define DECODE(name, values, type, ...) \
  void name(benchmark::State& state) {  \
    const LogicalType own __VA_ARGS__;  \
    run(state, values, type, own, own); \
  }                                     \
  BENCHMARK(name)
#define SHOW(name, values, type, ...)                                                                \
  void name(benchmark::State& state) { run(state, values, type, LogicalType __VA_ARGS__, as_text); } \
  BENCHMARK(name)

DECODE(boolean, truths, oid::boolean, {TypeKind::boolean});
DECODE(int4, fours, oid::int4, {TypeKind::int32});
DECODE(int8, eights, oid::int8, {TypeKind::int64});
DECODE(float8, eights, oid::float8, {TypeKind::float64});
DECODE(date, days, oid::date, {TypeKind::date});
DECODE(timestamptz, instants, oid::timestamp_tz, {TypeKind::timestamp_tz});
DECODE(uuid, sixteens, oid::uuid, {TypeKind::uuid});
DECODE(text_up_to_40, words, oid::text, {TypeKind::text});
DECODE(text_not_ascii, accented, oid::text, {TypeKind::text});
DECODE(jsonb_80, documents, oid::jsonb, {TypeKind::json});
DECODE(numeric_18_2, numerics, oid::numeric, {TypeKind::decimal, 18, 2});
DECODE(numeric_38_10, numerics, oid::numeric, {TypeKind::decimal, 38, 10});
DECODE(int4_list_of_4, lists, 1007, {TypeKind::int32, 0, 0, 1});
SHOW(numeric_to_text, numerics, oid::numeric, {TypeKind::decimal, 18, 2});
SHOW(float8_to_text, eights, oid::float8, {TypeKind::float64});
SHOW(timestamptz_to_text, instants, oid::timestamp_tz, {TypeKind::timestamp_tz});
SHOW(int4_list_to_text, lists, 1007, {TypeKind::int32, 0, 0, 1});

}  // namespace

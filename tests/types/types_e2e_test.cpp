// Each value is fetched in binary and in text. The server's own text is the measure: what the decoders make of the
// binary form must be that text, byte for byte, and both forms must give the same value of the column's own type,
// which the server, asked, takes for equal to its own.
#include <gmock/gmock.h>

#include <stdexcept>

#include "base/bytes.hpp"
#include "model/vector.hpp"
#include "postgres/server.hpp"
#include "session.hpp"
#include "source/postgres/decoder_factory.hpp"
#include "source/postgres/type_map.hpp"
#include "type_cases.hpp"

namespace lockstep::types_test {
namespace {

int number(std::string_view text) { return std::stoi(std::string(text)); }
std::uint32_t oid_number(std::string_view text) { return static_cast<std::uint32_t>(std::stoul(std::string(text))); }

postgres::TypeRows read_type_rows(Session& session) {
  const Answer answer = session.run(std::string(postgres::type_rows_query));
  postgres::TypeRows rows;
  for (int i = 0; i < answer.rows(); ++i) {
    postgres::TypeRow row;
    row.oid = oid_number(answer.get(i, 0));
    row.kind = answer.get(i, 1).front();
    row.category = answer.get(i, 2).front();
    row.name = answer.get(i, 3);
    row.element = oid_number(answer.get(i, 4));
    row.base = oid_number(answer.get(i, 5));
    row.base_modifier = number(answer.get(i, 6));
    row.base_dimensions = number(answer.get(i, 7));
    rows[row.oid] = row;
  }
  return rows;
}

/// What became of one cell: the value's text, or why there is none.
std::string outcome(Decoded decoded, const VectorView& column) {
  switch (decoded) {
    case Decoded::ok: return "= " + value_text(column, 0);
    case Decoded::does_not_fit: return "does not fit";
    case Decoded::malformed: return "malformed";
  }
  return "?";
}

std::string decode(const Column& column, const LogicalType& target, const Cell& cell) {
  auto decoder = postgres::PgDecoderFactory().decoder(column, target);
  if (!decoder.ok()) return to_text(decoder.error());
  ColumnBatch batch({target}, 1);
  VectorView& out = batch.columns().front();
  return outcome(decoder.value().decode(decoder.value(), cell, out, 0), out);
}

/// The bytes of a decoded text, not its value_text.
std::string exact_text(const Column& column, const Cell& cell) {
  const LogicalType target{TypeKind::text};
  auto decoder = postgres::PgDecoderFactory().decoder(column, target);
  ColumnBatch batch({target}, 1);
  VectorView& out = batch.columns().front();
  const Decoded decoded = decoder.value().decode(decoder.value(), cell, out, 0);
  if (decoded != Decoded::ok) return "(" + outcome(decoded, out) + ")";
  return std::string(out.get<StringValue>(0).view());
}

Cell cell_of(const Answer& answer, int row, Cell::State state) {
  if (answer.is_null(row, 0)) return {};
  return {state, bytes_of(answer.get(row, 0))};
}

class Types : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<postgres_test::Server>(postgres_test::programs_of(15), "");
    session_ = std::make_unique<Session>(server_->url("postgres"));
    for (std::size_t i = 0; i < preparation_count; ++i) session_->run(preparations[i]);
    rows_ = read_type_rows(*session_);
  }
  static void TearDownTestSuite() {
    session_.reset();
    server_.reset();
  }

  static void make_table(const TypeCase& type) {
    session_->run("DROP TABLE IF EXISTS v");
    session_->run("CREATE TABLE v (id bigserial PRIMARY KEY, v " + type.sql_type + ")");
    session_->run("BEGIN");
    const std::string insert = "INSERT INTO v (v) VALUES (CAST(CAST($1 AS text) AS " + type.sql_type + "))";
    for (const std::string& value : type.values) session_->run(insert, {value});
    Dice dice(20240229);
    for (int i = 0; i < type.random_count; ++i) session_->run(insert, {type.random(dice)});
    session_->run("INSERT INTO v (v) VALUES (NULL)");
    session_->run("COMMIT");
  }

  static postgres::SourceType source_type() {
    const Answer answer = session_->run(
        "SELECT atttypid, atttypmod, attndims FROM pg_attribute WHERE attrelid = 'v'::regclass AND attname = 'v'");
    return postgres::resolve_type(rows_, oid_number(answer.get(0, 0)), number(answer.get(0, 1)),
                                  number(answer.get(0, 2)));
  }

  /// Whether the server takes value_text for the value it sent.
  static bool server_agrees(const TypeCase& type, int row, const std::string& value) {
    const Answer answer = session_->run("SELECT v IS NOT DISTINCT FROM CAST(CAST($1 AS text) AS " + type.sql_type +
                                            ") FROM v ORDER BY id OFFSET " + std::to_string(row) + " LIMIT 1",
                                        {value});
    return answer.get(0, 0) == "t";
  }

  static inline std::unique_ptr<postgres_test::Server> server_;
  static inline std::unique_ptr<Session> session_;
  static inline postgres::TypeRows rows_;
};

void expect_both_forms_agree(const TypeCase& type, const Column& column, const Answer& binary, const Answer& text) {
  int misfits = 0;
  for (int row = 0; row < text.rows(); ++row) {
    const Cell in_binary = cell_of(binary, row, Cell::State::binary);
    const Cell in_text = cell_of(text, row, Cell::State::text);
    const std::string shown = type.sql_type + " " + std::string(text.get(row, 0));
    const std::string from_text = decode(column, column.type, in_text);
    EXPECT_EQ(decode(column, column.type, in_binary), from_text) << shown;
    EXPECT_NE(from_text, "malformed") << shown;
    if (row < static_cast<int>(type.values.size()) && from_text == "does not fit") ++misfits;
    if (text.is_null(row, 0)) continue;
    EXPECT_EQ(exact_text(column, in_binary), text.get(row, 0)) << shown;
    EXPECT_EQ(exact_text(column, in_text), text.get(row, 0)) << shown;
  }
  EXPECT_EQ(misfits, type.misfits) << type.sql_type;
}

TEST_F(Types, arrive_as_the_server_shows_them) {
  for (const TypeCase& type : type_cases()) {
    SCOPED_TRACE(type.sql_type);
    make_table(type);
    const postgres::SourceType source = source_type();
    const Column column{"v", postgres::logical_type(source), source.oid, source.modifier, 2};
    ASSERT_TRUE(postgres::has_binary_decoder(source));
    const Answer binary = session_->run("SELECT v FROM v ORDER BY id", {}, Form::binary);
    const Answer text = session_->run("SELECT v FROM v ORDER BY id");
    ASSERT_NO_FATAL_FAILURE(expect_both_forms_agree(type, column, binary, text));
    // Of texts and lists the bytes were compared above, and value_text does not write them as SQL does.
    const bool is_text = column.type.kind == TypeKind::text || column.type.kind == TypeKind::json;
    if (column.type.list_depth > 0 || is_text) continue;
    for (int row = 0; row < std::min(text.rows() - 1, 60); ++row) {
      const std::string value = decode(column, column.type, cell_of(binary, row, Cell::State::binary));
      if (!value.starts_with("= ")) continue;
      EXPECT_TRUE(server_agrees(type, row, value.substr(2))) << text.get(row, 0) << " became " << value;
    }
  }
}

// Cut anywhere, a value is never read beyond its end. (Under the address sanitizer this proves more.)
TEST_F(Types, cut_short_are_malformed_and_never_read_beyond) {
  for (const TypeCase& type : type_cases()) {
    make_table({type.sql_type, type.values, 0});
    const postgres::SourceType source = source_type();
    const Column column{"v", postgres::logical_type(source), source.oid, source.modifier, 2};
    const bool any_length =
        source.element == 0 && (column.type.kind == TypeKind::text || column.type.kind == TypeKind::json ||
                                column.type.kind == TypeKind::bytes);
    const Answer binary = session_->run("SELECT v FROM v ORDER BY id", {}, Form::binary);
    for (int row = 0; row < binary.rows(); ++row) {
      const std::string_view value = binary.get(row, 0);
      for (std::size_t length = 0; length < std::min<std::size_t>(value.size(), 300); ++length) {
        // A copy of exactly this length, so that reading beyond it is seen.
        const auto copy = std::make_unique<char[]>(length);
        std::copy_n(value.data(), length, copy.get());
        const Cell cell{Cell::State::binary, bytes_of({copy.get(), length})};
        const std::string own = decode(column, column.type, cell);
        const std::string as_text = decode(column, {TypeKind::text}, cell);
        if (any_length) continue;
        EXPECT_FALSE(own.starts_with("=")) << type.sql_type << " cut at " << length << " became " << own;
        EXPECT_FALSE(as_text.starts_with("=")) << type.sql_type << " cut at " << length << " became " << as_text;
      }
    }
  }
}

TEST_F(Types, without_a_binary_decoder_come_as_text_and_stay_it) {
  const std::vector<TypeCase> cases{
      {"pair", {"(1,\"x,\"\"y\")", "(,)"}},
      {"hstore", {"a=>1, b=>NULL", ""}},
      {"int4range", {"[1,10)", "empty", "(,)"}},
      {"nummultirange", {"{[1.10,2.5),(7,)}", "{}"}},
      {"tsvector", {"'a':1A 'b':2"}},
      {"point", {"(1,2.5)"}},
      {"box[]", {"{(1,1),(0,0);(2,2),(1,1)}"}},
      {"pair[]", {"{\"(1,x)\",NULL}"}},
      {"hstore[]", {"{\"\\\"a\\\"=>\\\"1\\\"\"}"}},
      {"regclass", {"pg_class"}},
      {"json_domain[]", {"{\"{\\\"a\\\": 1}\"}"}},
  };
  for (const TypeCase& type : cases) {
    SCOPED_TRACE(type.sql_type);
    make_table(type);
    const postgres::SourceType source = source_type();
    const Column column{"v", postgres::logical_type(source), source.oid, source.modifier, 2};
    EXPECT_FALSE(postgres::has_binary_decoder(source));
    const Answer text = session_->run("SELECT v FROM v ORDER BY id");
    const Answer binary = session_->run("SELECT v FROM v ORDER BY id", {}, Form::binary);
    for (int row = 0; row < text.rows() - 1; ++row) {
      EXPECT_EQ(exact_text(column, cell_of(text, row, Cell::State::text)), text.get(row, 0));
      if (type.sql_type == "json_domain[]") continue;  // its elements' version byte is told from text only in lists
      EXPECT_EQ(exact_text(column, cell_of(binary, row, Cell::State::binary)), "(malformed)");
    }
  }
}

// The numbers of array types stand in our table, not in the column.
TEST_F(Types, the_servers_catalog_agrees_with_our_table_of_array_types) {
  int known = 0;
  for (const auto& [oid, row] : rows_) {
    const std::uint32_t element = postgres::element_of_builtin_array(oid);
    if (element == 0) continue;
    ++known;
    EXPECT_EQ(row.element, element) << row.name;
    EXPECT_EQ(row.category, 'A') << row.name;
  }
  EXPECT_EQ(known, 40);
}

}  // namespace
}  // namespace lockstep::types_test

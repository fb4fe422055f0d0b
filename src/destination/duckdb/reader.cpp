// Problem: a query is any text of a user. It must only read, only this file, and its values must come out as DuckDB
// prints them. Idea: one statement, of a type that reads, in a READ ONLY transaction, on a database whose settings are
// locked and that has no access to other files. To print, the result's own vectors are handed back to DuckDB through a
// table function and cast to VARCHAR there: so every type, also nested and user-defined ones, has one printer.

#include "destination/duckdb/reader.hpp"

#include <duckdb.h>

#include <algorithm>

#include "destination/duckdb/names.hpp"

namespace lockstep::destination::duck {

/// A result on its way through the printing function.
struct ResultTexts {
  std::uint64_t connection = 0;
  duckdb_result* result = nullptr;
  duckdb_data_chunk chunk = nullptr;  // referred to by the vectors that were handed out last

  void drop_chunk() {
    if (chunk != nullptr) duckdb_destroy_data_chunk(&chunk);
    chunk = nullptr;
  }
};

namespace {

std::string function_name(const Connection& connection) { return "lockstep_texts_" + std::to_string(connection.id()); }

void bind_texts(duckdb_bind_info info) {
  ResultTexts& texts = **static_cast<std::shared_ptr<ResultTexts>*>(duckdb_bind_get_extra_info(info));
  duckdb_client_context context = nullptr;
  duckdb_table_function_get_client_context(info, &context);
  const std::uint64_t connection = duckdb_client_context_get_connection_id(context);
  duckdb_destroy_client_context(&context);
  if (connection != texts.connection || texts.result == nullptr) {
    return duckdb_bind_set_error(info, "this function is lockstep's own");
  }
  for (idx_t i = 0; i < duckdb_column_count(texts.result); ++i) {
    duckdb_logical_type type = duckdb_column_logical_type(texts.result, i);
    duckdb_bind_add_result_column(info, ("c" + std::to_string(i)).c_str(), type);
    duckdb_destroy_logical_type(&type);
  }
  duckdb_bind_set_bind_data(info, &texts, nullptr);
}

void init_texts(duckdb_init_info info) { duckdb_init_set_max_threads(info, 1); }

void read_texts(duckdb_function_info info, duckdb_data_chunk out) {
  auto& texts = *static_cast<ResultTexts*>(duckdb_function_get_bind_data(info));
  texts.drop_chunk();
  texts.chunk = duckdb_fetch_chunk(*texts.result);
  if (texts.chunk == nullptr) return duckdb_data_chunk_set_size(out, 0);
  for (idx_t i = 0; i < duckdb_data_chunk_get_column_count(out); ++i) {
    duckdb_vector_reference_vector(duckdb_data_chunk_get_vector(out, i), duckdb_data_chunk_get_vector(texts.chunk, i));
  }
  duckdb_data_chunk_set_size(out, duckdb_data_chunk_get_size(texts.chunk));
}

bool register_texts(Connection& connection, const std::shared_ptr<ResultTexts>& texts) {
  duckdb_table_function function = duckdb_create_table_function();
  duckdb_table_function_set_name(function, function_name(connection).c_str());
  duckdb_table_function_set_extra_info(function, new std::shared_ptr<ResultTexts>(texts),
                                       [](void* held) { delete static_cast<std::shared_ptr<ResultTexts>*>(held); });
  duckdb_table_function_set_bind(function, bind_texts);
  duckdb_table_function_set_init(function, init_texts);
  duckdb_table_function_set_function(function, read_texts);
  const bool registered = duckdb_register_table_function(connection.handle(), function) == DuckDBSuccess;
  duckdb_destroy_table_function(&function);
  return registered;
}

Error refused(const std::string& what) {
  return {ErrorKind::refused, what,
          "queries may only read the copy: SELECT, WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE or EXPLAIN"};
}

// The user sees DuckDB's own words about the user's own statement.
Error error_of_query(int type, const std::string& said) {
  if (said.find("Permission Error") != std::string::npos || said.find("read-only mode") != std::string::npos) {
    return refused("the statement does more than read: " + said.substr(0, said.find('\n')));
  }
  // What the parser or binder was doing when it was interrupted is not the user's mistake.
  if (said.starts_with("INTERRUPT")) return error_of(DUCKDB_ERROR_INTERRUPT, said);
  const Error sorted = error_of(type, said);
  if (sorted.kind != ErrorKind::unexpected && sorted.kind != ErrorKind::conflict) return sorted;
  return {ErrorKind::bad_input, said};
}

struct Extracted {
  duckdb_extracted_statements raw = nullptr;
  idx_t count = 0;
  Extracted(const Connection& connection, const std::string& sql) {
    count = duckdb_extract_statements(connection.handle(), sql.c_str(), &raw);
  }
  Extracted(const Extracted&) = delete;
  Extracted& operator=(const Extracted&) = delete;
  ~Extracted() { duckdb_destroy_extracted(&raw); }
};

struct Prepared {
  duckdb_prepared_statement raw = nullptr;
  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  ~Prepared() { duckdb_destroy_prepare(&raw); }
};

struct Executed {
  duckdb_result raw{};
  Executed() = default;
  Executed(const Executed&) = delete;
  Executed& operator=(const Executed&) = delete;
  ~Executed() { duckdb_destroy_result(&raw); }
};

Status prepare_one(const Connection& connection, const std::string& sql, Prepared& prepared) {
  const Extracted statements(connection, sql);
  if (statements.count == 0) {
    const char* said = duckdb_extract_statements_error(statements.raw);
    const std::string text = said == nullptr ? "" : said;
    return text.empty() ? Error{ErrorKind::bad_input, "there is no statement"}
                        : error_of_query(DUCKDB_ERROR_PARSER, text);
  }
  if (statements.count > 1) return refused("one statement at a time");
  if (duckdb_prepare_extracted_statement(connection.handle(), statements.raw, 0, &prepared.raw) == DuckDBSuccess)
    return Done{};
  const char* said = duckdb_prepare_error(prepared.raw);
  return error_of_query(DUCKDB_ERROR_BINDER, said == nullptr ? "" : said);
}

std::string_view skip_blanks_and_comments(std::string_view sql) {
  for (;;) {
    const std::size_t start = sql.find_first_not_of(" \t\r\n\f\v");
    sql.remove_prefix(std::min(start, sql.size()));
    if (sql.starts_with("--")) {
      sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
    } else if (sql.starts_with("/*")) {
      const std::size_t end = sql.find("*/");
      sql.remove_prefix(end == std::string_view::npos ? sql.size() : end + 2);
    } else {
      return sql;
    }
  }
}

bool take_word(std::string_view& sql, std::string_view word) {
  sql = skip_blanks_and_comments(sql);
  if (folded(sql.substr(0, word.size())) != word) return false;
  sql.remove_prefix(word.size());
  return true;
}

// EXPLAIN ANALYZE runs its statement, and not every harm that one could do is stopped by the transaction.
Status check_explained(const Connection& connection, std::string_view sql) {
  if (!take_word(sql, "explain")) return refused("only plain EXPLAIN is answered");
  take_word(sql, "analyze");
  sql = skip_blanks_and_comments(sql);
  if (sql.starts_with("(") && take_word(sql, "(")) {
    const std::string_view inside = skip_blanks_and_comments(sql);
    const bool is_option = folded(inside.substr(0, 6)) == "format" || folded(inside.substr(0, 7)) == "analyze";
    if (is_option) sql.remove_prefix(std::min(sql.find(')') + 1, sql.size()));
    else return refused("only plain EXPLAIN is answered");
  }
  Prepared inner;
  TRY_DO(prepare_one(connection, std::string(sql), inner));
  if (duckdb_prepared_statement_type(inner.raw) == DUCKDB_STATEMENT_TYPE_SELECT) return Done{};
  return refused("the statement does more than read");
}

Status check_only_reads(const Connection& connection, const std::string& sql, const Prepared& prepared) {
  if (duckdb_nparams(prepared.raw) > 0) return Error{ErrorKind::bad_input, "a query has no parameters"};
  const duckdb_statement_type type = duckdb_prepared_statement_type(prepared.raw);
  if (type == DUCKDB_STATEMENT_TYPE_SELECT) return Done{};
  if (type == DUCKDB_STATEMENT_TYPE_EXPLAIN) return check_explained(connection, sql);
  return refused("the statement does more than read");
}

// The printing function hands the result out once: `texts.result` is set for as long as it may.
Result<Answer> print(Connection& connection, ResultTexts& texts, duckdb_result& result) {
  Answer answer;
  texts.result = &result;
  const std::string from = " FROM " + function_name(connection) + "()";
  Result<TextRows> described = connection.query("SELECT column_type FROM (DESCRIBE SELECT *" + from + ")");
  std::string columns;
  for (idx_t i = 0; i < duckdb_column_count(&result); ++i) {
    answer.columns.emplace_back(duckdb_column_name(&result, i));
    columns += (i == 0 ? "CAST(c" : ", CAST(c") + std::to_string(i) + " AS VARCHAR)";
  }
  Result<TextRows> printed = described.ok() ? connection.query("SELECT " + columns + from) : described;
  texts.drop_chunk();
  texts.result = nullptr;
  if (!printed.ok()) return printed.error();
  for (const auto& row : described.value()) answer.types.push_back(row.at(0).value_or(""));
  answer.rows = std::move(printed).value();
  return answer;
}

Result<Answer> answer_in_transaction(Connection& connection, ResultTexts& texts, const std::string& sql) {
  Prepared prepared;
  TRY_DO(prepare_one(connection, sql, prepared));
  TRY_DO(check_only_reads(connection, sql, prepared));
  Executed executed;
  if (duckdb_execute_prepared(prepared.raw, &executed.raw) != DuckDBSuccess) {
    const char* said = duckdb_result_error(&executed.raw);
    return error_of_query(duckdb_result_error_type(&executed.raw), said == nullptr ? "" : said);
  }
  return print(connection, texts, executed.raw);
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::make(std::shared_ptr<Database> database) {
  TRY(connected, Connection::connect(std::move(database)));
  auto reader = std::make_unique<Reader>();
  reader->texts = std::make_shared<ResultTexts>();
  reader->texts->connection = connected->id();
  if (!register_texts(*connected, reader->texts)) {
    return Error{ErrorKind::unexpected, "DuckDB does not take our table function"};
  }
  reader->connection = std::move(connected);
  return reader;
}

Result<Answer> Reader::answer(const std::string& sql) {
  connection->rollback();  // whoever cancelled the query before may have hit its rollback, too
  // As at the source. Fails while nothing has been published there; locked settings leave this one open.
  if (!finds_public) finds_public = connection->run("SET search_path = 'public,main'").ok();
  TRY_DO(connection->run("BEGIN TRANSACTION READ ONLY"));
  Result<Answer> answer = answer_in_transaction(*connection, *texts, sql);
  connection->rollback();
  return answer;
}

}  // namespace lockstep::destination::duck

#include "control/cli/answer_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "control/cli/progress.hpp"

namespace lockstep::control {
namespace {

using Json = nlohmann::ordered_json;
using destination::Answer;

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

/// Line ends and tabs would break the table.
std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c == '\r') out += "\\r";
    else out += c;
  }
  return out;
}

bool is_number(const std::string& type) {
  constexpr std::array numbers{"TINYINT",   "SMALLINT", "INTEGER", "BIGINT",   "HUGEINT", "UTINYINT",
                               "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT",   "DOUBLE"};
  return type.starts_with("DECIMAL") || std::find(numbers.begin(), numbers.end(), type) != numbers.end();
}

std::string table_text(const std::vector<std::string>& columns, const std::vector<bool>& right,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& column : columns) widths.push_back(width_of(column));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string pad(widths[i] - width_of(cells[i]), ' ');
      text += (i == 0 ? "" : "  ") + (right[i] ? pad + cells[i] : cells[i] + pad);
    }
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::vector<std::string> rule;
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  std::string text = line(columns) + line(rule);
  for (const auto& row : rows) text += line(row);
  return text;
}

std::string as_table(const Answer& answer) {
  std::vector<std::string> columns;
  std::vector<bool> right;
  for (std::size_t i = 0; i < answer.columns.size(); ++i) {
    columns.push_back(one_line(answer.columns[i]));
    right.push_back(is_number(answer.types[i]));
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : answer.rows) {
    auto& cells = rows.emplace_back();
    for (const auto& cell : row) cells.push_back(cell ? one_line(*cell) : "NULL");
  }
  return table_text(columns, right, rows) + fmt::format("({} row{})\n", rows.size(), rows.size() == 1 ? "" : "s");
}

std::string csv_cell(const std::string& text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string as_csv(const Answer& answer) {
  std::string text;
  for (std::size_t i = 0; i < answer.columns.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(answer.columns[i]);
  text += "\r\n";
  for (const auto& row : answer.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ",") + (row[i] ? csv_cell(*row[i]) : "");
    text += "\r\n";
  }
  return text;
}

std::string json_text(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_cell(const std::optional<std::string>& cell, const std::string& type) {
  if (!cell) return "null";
  if (type == "BOOLEAN") return *cell;
  // Infinities and NaN are no JSON numbers; they stay text.
  const bool finite = cell->find_first_not_of("+-0123456789.eE") == std::string::npos;
  return is_number(type) && finite ? *cell : json_text(*cell);
}

std::string as_json(const Answer& answer) {
  std::string text = "[";
  for (const auto& row : answer.rows) {
    text += &row == &answer.rows.front() ? "\n  {" : ",\n  {";
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += (i == 0 ? "" : ", ") + json_text(answer.columns[i]) + ": " + json_cell(row[i], answer.types[i]);
    }
    text += "}";
  }
  return text + (answer.rows.empty() ? "]\n" : "\n]\n");
}

std::string shown(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

std::string tables_text(const Json& tables) {
  const std::vector<std::string> keys{"name", "state", "rows_copied", "inserts", "updates", "deletes", "error"};
  const std::vector<std::string> heads{"table", "state", "rows copied", "inserts", "updates", "deletes", ""};
  std::vector<std::vector<std::string>> rows;
  for (const Json& table : tables) {
    auto& cells = rows.emplace_back();
    for (const std::string& key : keys) {
      const Json value = table.value(key, Json());
      cells.push_back(key == "error" && value.is_null() ? "" : one_line(shown(value)));
    }
  }
  return table_text(heads, {false, false, true, true, true, true, false}, rows);
}

}  // namespace

std::string answer_text(const Answer& answer, TableFormat format) {
  switch (format) {
    case TableFormat::table: return as_table(answer);
    case TableFormat::csv: return as_csv(answer);
    case TableFormat::json: return as_json(answer);
  }
  CHECK(false);
}

Result<std::string> status_text(const std::string& json) {
  const Json status = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  const Error bad{ErrorKind::bad_data, "the status does not parse"};
  if (!status.is_object()) return bad;
  for (const char* part : {"source", "received", "journal", "applied"}) {
    if (!status.contains(part) || !status[part].is_object()) return bad;
  }
  const auto at = [&](const char* part, const char* key) { return status[part].value(key, Json()); };
  const Json lag = at("source", "lag_bytes");
  std::string text = fmt::format("mirror    {}\nstate     {}\n", shown(status.value("mirror", Json())),
                                 shown(status.value("state", Json())));
  text += fmt::format("source    {} at {}\n", shown(at("source", "kind")), shown(at("source", "position")));
  text += fmt::format("received  {}\n", shown(at("received", "position")));
  text += fmt::format("applied   {}, state {}, committed {}\n", shown(at("applied", "position")),
                      shown(at("applied", "state_id")), shown(at("applied", "commit_time")));
  text += fmt::format("behind    {}, {:.1f} s\n", lag.is_number() ? human_bytes(lag.get<double>()) : "-",
                      status.value("lag_seconds", Json(0)).get<double>());
  text += fmt::format("journal   {}, state {}\n",
                      human_bytes(at("journal", "bytes").is_number() ? at("journal", "bytes").get<double>() : 0),
                      shown(at("journal", "state_id")));
  if (!status.value("error", Json()).is_null()) text += "error     " + shown(status["error"]) + "\n";
  return text + "\n" + tables_text(status.value("tables", Json::array()));
}

}  // namespace lockstep::control

#include "catalog/sqlite/sqlite.hpp"

#include <sqlite3.h>

#include <charconv>
#include <functional>
#include <utility>

#include "base/failpoint.hpp"

// One row of named values a mirror, rewritten as a whole in one transaction: a save is all or nothing, and with
// synchronous=FULL and a rollback journal it has reached the disk when it returns. `application_id` tells our file from
// another, `user_version` tells which format it has.
namespace lockstep::catalog {
namespace {

constexpr int application_id = 0x4C4B5354;  // "LKST"
constexpr int format_version = 1;

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

ErrorKind kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorKind::busy;
    case SQLITE_FULL: return ErrorKind::no_space;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorKind::bad_data;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH: return ErrorKind::refused;
    default: return ErrorKind::unexpected;
  }
}

std::string remedy_for(ErrorKind kind, const std::string& path) {
  if (kind == ErrorKind::bad_data) {
    return "restore the file from a backup taken while the mirror was stopped, or start afresh: drop the replication slot "
           "and the publication at the source, and remove the folder of " +
           path;
  }
  if (kind == ErrorKind::busy) return "another process uses it; wait for it or stop it";
  if (kind == ErrorKind::refused) return "give this user the right to write the file and its folder";
  return {};
}

class SqliteCatalog final : public Catalog {
 public:
  SqliteCatalog(Database db, std::string path) : db_(std::move(db)), path_(std::move(path)) {}

  Status prepare();
  Result<std::optional<Mirror>> load() override;
  Status save(const Mirror& mirror) override;
  Status forget() override;

 private:
  Error failed(const std::string& doing) const {
    const int code = sqlite3_extended_errcode(db_.get());
    const ErrorKind kind = kind_of(code);
    return {kind,
            "catalog " + path_ + ": " + doing + ": " + sqlite3_errmsg(db_.get()),
            remedy_for(kind, path_),
            {},
            {},
            "sqlite " + std::to_string(code)};
  }
  Error damaged(const std::string& what) const {
    return {ErrorKind::bad_data, "catalog " + path_ + " is damaged: " + what, remedy_for(ErrorKind::bad_data, path_)};
  }
  Status run(const char* sql) {
    if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failed(sql);
    return Done{};
  }
  Result<Statement> prepare_statement(const char* sql) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(db_.get(), sql, -1, &raw, nullptr) != SQLITE_OK) return failed("prepare");
    return Statement(raw);
  }
  Result<std::int64_t> number(const char* sql) {
    TRY(statement, prepare_statement(sql));
    if (sqlite3_step(statement.get()) != SQLITE_ROW) return failed(sql);
    return std::int64_t{sqlite3_column_int64(statement.get(), 0)};
  }
  Status put(const char* name, const std::string& value);
  Status put_all(const Mirror& mirror);
  Status read_value(Mirror& mirror, const std::string& name, const std::string& value) const;
  Status in_transaction(const std::function<Status()>& work);

  const Database db_;
  const std::string path_;
};

// ---- Values as text

std::string list_of(const std::vector<TableId>& tables) {
  std::string text;
  for (const TableId table : tables) text += std::to_string(table.value) + " ";
  return text;
}

bool parse_number(std::string_view text, std::uint64_t& into) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), into);
  return !text.empty() && parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

bool parse_list(std::string_view text, std::vector<TableId>& into) {
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos || !parse_number(text.substr(0, blank), into.emplace_back().value))
      return false;
    text.remove_prefix(blank + 1);
  }
  return true;
}

const char* name_of(Phase phase) {
  switch (phase) {
    case Phase::preparing: return "preparing";
    case Phase::ready: return "ready";
    case Phase::dropping: return "dropping";
  }
  CHECK(false);
}

bool parse_phase(std::string_view text, Phase& into) {
  for (const Phase phase : {Phase::preparing, Phase::ready, Phase::dropping}) {
    if (text != name_of(phase)) continue;
    into = phase;
    return true;
  }
  return false;
}

// ---- The catalog

Status SqliteCatalog::prepare() {
  TRY_DO(run("PRAGMA synchronous=FULL"));
  TRY(application, number("PRAGMA application_id"));
  TRY(version, number("PRAGMA user_version"));
  TRY(objects, number("SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && version == 0 && objects == 0) {
    return in_transaction([&]() -> Status {
      TRY_DO(run("CREATE TABLE IF NOT EXISTS mirror (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"));
      TRY_DO(run(("PRAGMA application_id=" + std::to_string(application_id)).c_str()));
      return run(("PRAGMA user_version=" + std::to_string(format_version)).c_str());
    });
  }
  if (application != application_id) {
    return Error{ErrorKind::bad_data, "file " + path_ + " is no catalog of lockstep", "give --state another folder"};
  }
  if (version > format_version) {
    return Error{ErrorKind::unsupported,
                 "catalog " + path_ + " has format " + std::to_string(version) + ", this program knows up to " +
                     std::to_string(format_version),
                 "use the version of lockstep that wrote it, or a newer one"};
  }
  TRY(check, prepare_statement("PRAGMA quick_check(1)"));
  if (sqlite3_step(check.get()) != SQLITE_ROW) return failed("check");
  const std::string verdict = reinterpret_cast<const char*>(sqlite3_column_text(check.get(), 0));
  if (verdict != "ok") return damaged(verdict);
  return Done{};
}

Status SqliteCatalog::in_transaction(const std::function<Status()>& work) {
  TRY_DO(run("BEGIN IMMEDIATE"));
  Status done = work();
  if (done.ok()) done = run("COMMIT");
  if (!done.ok()) static_cast<void>(sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr));
  return done;
}

Status SqliteCatalog::put(const char* name, const std::string& value) {
  TRY(insert, prepare_statement("INSERT INTO mirror (name, value) VALUES (?1, ?2)"));
  sqlite3_bind_text(insert.get(), 1, name, -1, SQLITE_STATIC);
  sqlite3_bind_text(insert.get(), 2, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  if (sqlite3_step(insert.get()) != SQLITE_DONE) return failed("save");
  return Done{};
}

Status SqliteCatalog::put_all(const Mirror& mirror) {
  TRY_DO(run("DELETE FROM mirror"));
  TRY_DO(put("name", mirror.name));
  TRY_DO(put("phase", name_of(mirror.phase)));
  TRY_DO(put("source_address", mirror.source_address));
  TRY_DO(put("source_identity", mirror.source_identity));
  TRY_DO(put("destination", mirror.destination));
  TRY_DO(put("slot", mirror.slot));
  TRY_DO(put("publication", mirror.publication));
  TRY_DO(put("tables", list_of(mirror.tables)));
  TRY_DO(put("full_identities", list_of(mirror.full_identities)));
  if (mirror.slot_start) TRY_DO(put("slot_start", to_text(*mirror.slot_start)));
  if (mirror.slot_visible) TRY_DO(put("slot_visible", to_text(*mirror.slot_visible)));
  return put("paused", mirror.paused ? "yes" : "no");
}

Status SqliteCatalog::save(const Mirror& mirror) {
  FAILPOINT("catalog.before_save");
  TRY_DO(in_transaction([&] { return put_all(mirror); }));
  FAILPOINT("catalog.after_save");
  return Done{};
}

Status SqliteCatalog::forget() { return run("DELETE FROM mirror"); }

Status SqliteCatalog::read_value(Mirror& mirror, const std::string& name, const std::string& value) const {
  bool good = true;
  if (name == "name") mirror.name = value;
  else if (name == "phase") good = parse_phase(value, mirror.phase);
  else if (name == "source_address") mirror.source_address = value;
  else if (name == "source_identity") mirror.source_identity = value;
  else if (name == "destination") mirror.destination = value;
  else if (name == "slot") mirror.slot = value;
  else if (name == "publication") mirror.publication = value;
  else if (name == "tables") good = parse_list(value, mirror.tables);
  else if (name == "full_identities") good = parse_list(value, mirror.full_identities);
  else if (name == "paused") mirror.paused = value == "yes";
  else if (name == "slot_start") {
    const Result<Lsn> lsn = parse_lsn(value);
    if (lsn.ok()) mirror.slot_start = PgPosition{lsn.value()};
    good = lsn.ok();
  } else if (name == "slot_visible") {
    Result<VisibleSet> set = parse_visible_set(value);
    if (set.ok()) mirror.slot_visible = std::move(set).value();
    good = set.ok();
  } else {
    good = false;
  }
  if (!good) return damaged("value of '" + name + "'");
  return Done{};
}

Result<std::optional<Mirror>> SqliteCatalog::load() {
  TRY(select, prepare_statement("SELECT name, value FROM mirror"));
  const auto text = [&](int column) {
    return std::string(reinterpret_cast<const char*>(sqlite3_column_text(select.get(), column)),
                       static_cast<std::size_t>(sqlite3_column_bytes(select.get(), column)));
  };
  std::optional<Mirror> mirror;
  int step = 0;
  while ((step = sqlite3_step(select.get())) == SQLITE_ROW) {
    if (!mirror) mirror.emplace();
    TRY_DO(read_value(*mirror, text(0), text(1)));
  }
  if (step != SQLITE_DONE) return failed("load");
  if (mirror && mirror->name.empty()) return damaged("the mirror has no name");
  return mirror;
}

}  // namespace

Result<std::unique_ptr<Catalog>> open_sqlite(const std::string& path, std::chrono::milliseconds busy_wait_max) {
  sqlite3* raw = nullptr;
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  Database db(raw);
  if (code != SQLITE_OK) {
    const ErrorKind kind = kind_of(code);
    return Error{kind,
                 "catalog " + path + ": " + sqlite3_errstr(code),
                 remedy_for(kind, path),
                 {},
                 {},
                 "sqlite " + std::to_string(code)};
  }
  sqlite3_busy_timeout(raw, static_cast<int>(busy_wait_max.count()));
  auto catalog = std::make_unique<SqliteCatalog>(std::move(db), path);
  TRY_DO(catalog->prepare());
  return std::unique_ptr<Catalog>(std::move(catalog));
}

}  // namespace lockstep::catalog

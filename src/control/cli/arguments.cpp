#include "control/cli/arguments.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <map>
#include <memory>

#include "base/log_writer.hpp"
#include "control/cli/completion.hpp"
#include "control/cli/exit_code.hpp"

namespace lockstep::control {
namespace {

constexpr const char* intro =
    "lockstep keeps a living copy of a database in a warehouse: it copies every table, then follows every change.";

constexpr const char* run_footer =
    "Examples:\n"
    "  lockstep run --from postgresql://app@db.example/shop\n"
    "      copies into ./shop.duckdb and follows; Ctrl-C ends it, the same command goes on\n"
    "  lockstep run --from postgresql://app:env:DB_PASSWORD@db.example/shop --to duckdb:/data/shop.duckdb \\\n"
    "      --tables 'sales.*' --exclude '*_log' --until-caught-up\n"
    "  lockstep query \"select count(*) from public.orders\"\n";

constexpr const char* wait_footer =
    "Examples:\n"
    "  lockstep wait --caught-up --timeout 60\n"
    "  lockstep wait --position \"$(psql -Atc 'select pg_current_wal_insert_lsn()' shop)\"\n";

constexpr const char* query_footer =
    "Examples:\n"
    "  lockstep query \"select * from lockstep.tables\"\n"
    "  lockstep query --format csv \"from public.orders\" > orders.csv\n";

/// Everything that a parse fills in; lives as long as the parser.
struct Parsing {
  CLI::App app{intro, "lockstep"};
  RunArguments run;
  StatusArguments status;
  WaitArguments wait;
  QueryArguments query;
  std::map<Verb, PlainArguments> plain;
  DropArguments drop;
  VersionArguments version;
  std::string keyless = "full";
  std::string log_level = "info";
  std::string memory;
  bool caught_up = false;
  std::string position;
  std::uint64_t state_id = 0;
  double timeout_seconds = 0;
  std::string format = "table";
  std::string shell;
};

void add_mirror(CLI::App* verb, MirrorChoice& choice, const std::string& name_default) {
  verb->add_option("--mirror", choice.name, "The mirror's name; default: " + name_default)->type_name("NAME");
  verb->add_option("--state", choice.state_folder, "Where journal, catalog and control socket are")->type_name("DIR");
}

void add_run(Parsing& parsing) {
  RunArguments& run = parsing.run;
  CLI::App* verb = parsing.app.add_subcommand("run", "Copy, then follow every change, until it is stopped");
  verb->add_option("--from", run.from,
                   "The source: postgresql://user@host:port/database; a password may be env:NAME or file:PATH")
      ->type_name("SOURCE")
      ->required();
  verb->add_option("--to", run.to, "The destination; default: duckdb:NAME.duckdb")->type_name("DESTINATION");
  add_mirror(verb, run.mirror, "the source's database name");
  verb->add_option("--tables", run.selection.tables, "Only these: names or patterns, with or without schema")
      ->delimiter(',')
      ->type_name("P,...");
  verb->add_option("--exclude", run.selection.exclude, "All but these")->delimiter(',')->type_name("P,...");
  verb->add_option("--keyless", parsing.keyless,
                   "Tables without a usable key: set REPLICA IDENTITY FULL, or leave them out")
      ->check(CLI::IsMember({"full", "leave-out"}))
      ->capture_default_str();
  verb->add_flag("--until-caught-up", run.until_caught_up,
                 "End once everything committed by now is visible; keeps the slot");
  verb->add_option("--memory", parsing.memory, "Memory to use, as in 512M or 4G")->type_name("SIZE");
  verb->add_option("--copy-workers", run.copy_workers, "Readers side by side during a table copy")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  verb->add_option("--log-level", parsing.log_level, "What to say")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  verb->footer(run_footer);
}

void add_asking(Parsing& parsing) {
  CLI::App* status = parsing.app.add_subcommand("status", "How the mirror stands; works without a running process too");
  add_mirror(status, parsing.status.mirror, "the only one there is");
  status->add_flag("--json", parsing.status.json, "As one JSON object");

  CLI::App* wait = parsing.app.add_subcommand("wait", "Wait until something is visible at the destination");
  add_mirror(wait, parsing.wait.mirror, "the only one there is");
  CLI::Option_group* goal = wait->add_option_group("goal", "What to wait for");
  goal->add_flag("--caught-up", parsing.caught_up, "Everything that is committed at the source by now");
  goal->add_option("--position", parsing.position, "Everything up to a position, as the source prints it")
      ->type_name("P");
  goal->add_option("--state-id", parsing.state_id, "A state id")->type_name("N");
  goal->require_option(1);
  wait->add_option("--timeout", parsing.timeout_seconds,
                   "Give up after so many seconds, with exit code 4; default: never")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS");
  wait->footer(wait_footer);

  CLI::App* query = parsing.app.add_subcommand("query", "Ask the copy; reading only, from one true state");
  query->add_option("sql", parsing.query.sql, "The statement")->required()->type_name("SQL");
  add_mirror(query, parsing.query.mirror, "the only one there is");
  query->add_option("--format", parsing.format, "How to print it")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  query->footer(query_footer);
}

void add_plain(Parsing& parsing, const char* name, Verb verb, const char* help) {
  PlainArguments& arguments = parsing.plain[verb];
  arguments.verb = verb;
  add_mirror(parsing.app.add_subcommand(name, help), arguments.mirror, "the only one there is");
}

void add_rest(Parsing& parsing) {
  add_plain(parsing, "pause", Verb::pause, "Leave the destination alone; receiving goes on");
  add_plain(parsing, "resume", Verb::resume, "Go on after a pause");
  add_plain(parsing, "stop", Verb::stop, "Finish the batch in hand and end the running process");

  CLI::App* drop =
      parsing.app.add_subcommand("drop", "Take the mirror away at source and here; the copied tables stay");
  add_mirror(drop, parsing.drop.mirror, "the only one there is");
  drop->add_flag("--yes", parsing.drop.yes, "Really");
  drop->add_option("--from", parsing.drop.from, "The source, when a password is needed")->type_name("SOURCE");

  CLI::App* version = parsing.app.add_subcommand("version", "Print the version");
  version->add_flag("--failpoints", parsing.version.failpoints, "List the steps that tests can interrupt");

  CLI::App* completion = parsing.app.add_subcommand("completion", "Print a completion script for a shell");
  completion->add_option("shell", parsing.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
}

/// What the parser knows, for completion scripts: they cannot lag behind it.
std::vector<VerbAbout> describe(const CLI::App& app) {
  const std::map<std::string, std::vector<std::string>> choices{{"--keyless", {"full", "leave-out"}},
                                                                {"--format", {"table", "csv", "json"}},
                                                                {"--log-level", {"debug", "info", "warn", "error"}}};
  std::vector<VerbAbout> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    VerbAbout about{verb->get_name(), verb->get_description(), {}, {}};
    if (about.name == "completion") about.words = {"bash", "zsh", "fish"};
    std::vector<const CLI::Option*> options = verb->get_options();
    for (const CLI::App* group : verb->get_subcommands([](const CLI::App*) { return true; })) {
      for (const CLI::Option* option : group->get_options()) options.push_back(option);
    }
    for (const CLI::Option* option : options) {
      if (option->get_lnames().empty()) continue;
      const std::string name = "--" + option->get_lnames().front();
      const auto known = choices.find(name);
      about.options.push_back({name, option->get_description(), option->get_expected_max() > 0,
                               known == choices.end() ? std::vector<std::string>{} : known->second});
    }
    verbs.push_back(std::move(about));
  }
  return verbs;
}

JustSay wrong_usage(const std::string& verb, const std::string& why) {
  return {"lockstep " + verb + ": " + why + "\nRun `lockstep " + verb + " --help` for its usage.\n", exit_wrong_usage};
}

Arguments finish_run(Parsing& parsing) {
  RunArguments run = parsing.run;
  run.selection.leave_keyless_out = parsing.keyless == "leave-out";
  run.log_level = log_level(parsing.log_level).value_or(LogLevel::info);
  if (!parsing.memory.empty()) {
    const Result<std::uint64_t> size = parse_size(parsing.memory);
    if (!size.ok()) return wrong_usage("run", to_text(size.error()));
    run.memory_bytes = size.value();
  }
  return run;
}

Arguments finish_wait(Parsing& parsing, bool has_timeout) {
  WaitArguments wait = parsing.wait;
  if (!parsing.position.empty()) {
    const Result<Lsn> lsn = parse_lsn(parsing.position);
    if (!lsn.ok()) return wrong_usage("wait", to_text(lsn.error()));
    wait.what = WaitPosition{PgPosition{lsn.value()}};
  } else if (!parsing.caught_up) {
    wait.what = WaitState{StateId{parsing.state_id}};
  }
  if (has_timeout) {
    constexpr double seconds_max = 1e9;  // thirty years; beyond it nobody has meant a number
    const double seconds = std::min(parsing.timeout_seconds, seconds_max);
    wait.timeout = std::chrono::milliseconds(std::llround(seconds * 1000));
  }
  return wait;
}

Arguments finish(Parsing& parsing) {
  const CLI::App* verb = parsing.app.get_subcommands().front();
  const std::string name = verb->get_name();
  if (name == "run") return finish_run(parsing);
  if (name == "status") return parsing.status;
  if (name == "wait") return finish_wait(parsing, verb->count("--timeout") > 0);
  if (name == "query") {
    parsing.query.format = parsing.format == "csv"    ? TableFormat::csv
                           : parsing.format == "json" ? TableFormat::json
                                                      : TableFormat::table;
    return parsing.query;
  }
  if (name == "pause") return parsing.plain[Verb::pause];
  if (name == "resume") return parsing.plain[Verb::resume];
  if (name == "stop") return parsing.plain[Verb::stop];
  if (name == "version") return parsing.version;
  if (name == "completion") return JustSay{completion_script(parsing.shell, describe(parsing.app)), exit_done};
  if (!parsing.drop.yes) {
    return wrong_usage("drop", "this takes the mirror away; say --yes if that is what you want");
  }
  return parsing.drop;
}

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv) {
  const auto parsing = std::make_unique<Parsing>();
  CLI::App& app = parsing->app;
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Print this help");
  app.footer("`lockstep VERB --help` tells more. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 blocked, 4 timed out.");
  add_run(*parsing);
  add_asking(*parsing);
  add_rest(*parsing);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    const int code = app.exit(error, out, out);
    return JustSay{out.str(), code == 0 ? exit_done : exit_wrong_usage};
  }
  return finish(*parsing);
}

Result<std::uint64_t> parse_size(const std::string& text) {
  const Error bad{ErrorKind::bad_input, "'" + text + "' is no size", "write it as in 512M or 4G"};
  std::size_t at = 0;
  std::uint64_t number = 0;
  constexpr std::uint64_t number_max = 1ull << 40;  // with any unit far from overflowing
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    number = number * 10 + static_cast<std::uint64_t>(text[at] - '0');
    if (number > number_max) return bad;
  }
  if (at == 0 || number == 0) return bad;
  while (at < text.size() && text[at] == ' ') ++at;
  const std::string unit = text.substr(at);
  const std::map<std::string, unsigned> shifts{{"", 0},    {"B", 0},    {"K", 10}, {"KB", 10}, {"KiB", 10}, {"M", 20},
                                               {"MB", 20}, {"MiB", 20}, {"G", 30}, {"GB", 30}, {"GiB", 30}};
  const auto shift = shifts.find(unit);
  if (shift == shifts.end()) return bad;
  return number << shift->second;
}

}  // namespace lockstep::control

#include "control/cli/arguments.hpp"

#include <gtest/gtest.h>

#include "control/cli/exit_code.hpp"

namespace lockstep::control {
namespace {

Arguments parse(std::vector<const char*> words) {
  words.insert(words.begin(), "lockstep");
  return parse_arguments(static_cast<int>(words.size()), words.data());
}

template <class Verb>
Verb parsed(const std::vector<const char*>& words) {
  Arguments arguments = parse(words);
  if (const auto* say = std::get_if<JustSay>(&arguments)) ADD_FAILURE() << say->text;
  return std::get<Verb>(arguments);
}

TEST(Arguments, RunTakesAllItsOptions) {
  const auto run = parsed<RunArguments>({"run",
                                         "--from",
                                         "postgresql://u@h/shop",
                                         "--to",
                                         "duckdb:x.duckdb",
                                         "--mirror",
                                         "m",
                                         "--state",
                                         "/s",
                                         "--tables",
                                         "a*,b",
                                         "--tables",
                                         "c",
                                         "--exclude",
                                         "d",
                                         "--keyless",
                                         "leave-out",
                                         "--until-caught-up",
                                         "--memory",
                                         "1G",
                                         "--copy-workers",
                                         "7"});
  EXPECT_EQ(run.from, "postgresql://u@h/shop");
  EXPECT_EQ(run.to, "duckdb:x.duckdb");
  EXPECT_EQ(run.mirror.name, "m");
  EXPECT_EQ(run.mirror.state_folder, "/s");
  EXPECT_EQ(run.selection.tables, (std::vector<std::string>{"a*", "b", "c"}));
  EXPECT_EQ(run.selection.exclude, std::vector<std::string>{"d"});
  EXPECT_TRUE(run.selection.leave_keyless_out);
  EXPECT_TRUE(run.until_caught_up);
  EXPECT_EQ(run.memory_bytes, 1ull << 30);
  EXPECT_EQ(run.copy_workers, 7u);
}

TEST(Arguments, RunHasDefaults) {
  const auto run = parsed<RunArguments>({"run", "--from", "postgresql://h/shop"});
  EXPECT_TRUE(run.to.empty());
  EXPECT_FALSE(run.selection.leave_keyless_out);
  EXPECT_FALSE(run.until_caught_up);
  EXPECT_EQ(run.copy_workers, 4u);
}

TEST(Arguments, EveryOtherVerb) {
  EXPECT_TRUE(parsed<StatusArguments>({"status", "--json", "--mirror", "m"}).json);
  const auto wait = parsed<WaitArguments>({"wait", "--position", "16/B374D848", "--timeout", "1.5"});
  EXPECT_EQ(std::get<WaitPosition>(wait.what).target, Position{PgPosition{Lsn{0x16b374d848}}});
  EXPECT_EQ(wait.timeout, std::chrono::milliseconds{1500});
  EXPECT_EQ(std::get<WaitState>(parsed<WaitArguments>({"wait", "--state-id", "9"}).what).target, StateId{9});
  EXPECT_FALSE(parsed<WaitArguments>({"wait", "--caught-up"}).timeout.has_value());
  const auto query = parsed<QueryArguments>({"query", "select 1", "--format", "csv"});
  EXPECT_EQ(query.sql, "select 1");
  EXPECT_EQ(query.format, TableFormat::csv);
  EXPECT_EQ(parsed<PlainArguments>({"pause"}).verb, Verb::pause);
  EXPECT_EQ(parsed<PlainArguments>({"resume"}).verb, Verb::resume);
  EXPECT_EQ(parsed<PlainArguments>({"stop", "--state", "/s"}).mirror.state_folder, "/s");
  EXPECT_EQ(parsed<DropArguments>({"drop", "--yes", "--from", "postgresql://h/d"}).from, "postgresql://h/d");
  EXPECT_TRUE(parsed<VersionArguments>({"version", "--failpoints"}).failpoints);
}

TEST(Arguments, WrongUsageIsExitCodeTwo) {
  const std::vector<std::vector<const char*>> wrong{{},
                                                    {"dance"},
                                                    {"run"},
                                                    {"run", "--from"},
                                                    {"run", "--from", "x", "--numeric", "DOUBLE"},
                                                    {"run", "--from", "x", "--keyless", "maybe"},
                                                    {"run", "--from", "x", "--copy-workers", "0"},
                                                    {"run", "--from", "x", "--memory", "lots"},
                                                    {"run", "--from", "x", "extra"},
                                                    {"wait"},
                                                    {"wait", "--caught-up", "--state-id", "3"},
                                                    {"wait", "--position", "there"},
                                                    {"wait", "--caught-up", "--timeout", "-1"},
                                                    {"query"},
                                                    {"query", "select 1", "--format", "xml"},
                                                    {"drop"},
                                                    {"pause", "--now"},
                                                    {"completion", "tcsh"},
                                                    {"status", "--config", "f"}};
  for (const auto& words : wrong) {
    const Arguments arguments = parse(words);
    const auto* say = std::get_if<JustSay>(&arguments);
    ASSERT_NE(say, nullptr) << (words.empty() ? "" : words.front());
    EXPECT_EQ(say->exit_code, exit_wrong_usage);
    EXPECT_FALSE(say->text.empty());
  }
}

TEST(Arguments, HelpIsDoneAndHasExamples) {
  for (const auto& words : std::vector<std::vector<const char*>>{{"--help"}, {"run", "--help"}, {"query", "-h"}}) {
    const JustSay say = std::get<JustSay>(parse(words));
    EXPECT_EQ(say.exit_code, exit_done);
    EXPECT_NE(say.text.find("lockstep"), std::string::npos);
  }
  EXPECT_NE(std::get<JustSay>(parse({"run", "--help"})).text.find("Examples:"), std::string::npos);
}

TEST(Arguments, CompletionKnowsEveryVerbAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const JustSay say = std::get<JustSay>(parse({"completion", shell}));
    EXPECT_EQ(say.exit_code, exit_done);
    for (const char* word : {"run", "status", "wait", "query", "pause", "resume", "stop", "drop", "version",
                             "until-caught-up", "caught-up", "leave-out", "csv"}) {
      EXPECT_NE(say.text.find(word), std::string::npos) << shell << " " << word;
    }
  }
}

TEST(Arguments, Sizes) {
  EXPECT_EQ(parse_size("512M").value(), 512ull << 20);
  EXPECT_EQ(parse_size("2 GiB").value(), 2ull << 30);
  EXPECT_EQ(parse_size("1048576").value(), 1048576u);
  for (const char* wrong : {"", "M", "-1M", "0", "1T", "1.5G", "99999999999999999999G", "1 M B"}) {
    EXPECT_FALSE(parse_size(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace lockstep::control

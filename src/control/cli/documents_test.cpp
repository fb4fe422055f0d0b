// README and manual page against the parser: a document that names an option which is not there, or hides one that is,
// fails here and not at somebody's desk.

#include <gmock/gmock.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "control/cli/arguments.hpp"

namespace lockstep::control {
namespace {

using Names = std::set<std::string>;

std::string content_of(const std::string& path) {
  std::ifstream file(std::string(LOCKSTEP_SOURCE) + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return std::regex_replace(text.str(), std::regex(R"(\\-)"), "-");  // roff's hyphen
}

std::string help_of(const std::string& verb) {
  std::vector<const char*> words{"lockstep"};
  if (!verb.empty()) words.push_back(verb.c_str());
  words.push_back("--help");
  return std::get<JustSay>(parse_arguments(static_cast<int>(words.size()), words.data())).text;
}

Names found(const std::string& text, const std::regex& what) {
  Names names;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), what); at != std::sregex_iterator(); ++at)
    names.insert((*at)[1]);
  return names;
}

Names options_in(const std::string& text) { return found(text, std::regex(R"((--[a-z]+(?:-[a-z]+)*))")); }

Names verbs() {
  const std::string help = help_of("");
  return found(help.substr(help.find("Subcommands:")), std::regex(R"(\n  ([a-z]+) )"));
}

Names all_options() {
  Names all;
  for (const std::string& verb : verbs()) all.merge(options_in(help_of(verb)));
  return all;
}

TEST(Documents, ReadmeAndManualNameNoOptionThatIsNotThere) {
  for (const char* document : {"README.md", "docs/lockstep.1"}) {
    EXPECT_THAT(options_in(content_of(document)), testing::IsSubsetOf(all_options())) << document;
  }
}

TEST(Documents, TheManualHasEveryVerbAndOption) {
  const std::string manual = content_of("docs/lockstep.1");
  EXPECT_THAT(verbs(), testing::Contains("run"));
  for (const std::string& verb : verbs()) EXPECT_THAT(manual, testing::ContainsRegex("(lockstep |B )" + verb));
  Names options = all_options();
  options.erase("--help");
  EXPECT_THAT(options, testing::IsSubsetOf(options_in(manual)));
}

TEST(Documents, ReadmeHasEveryOptionOfRun) {
  Names options = options_in(help_of("run"));
  options.erase("--help");
  EXPECT_THAT(options, testing::IsSubsetOf(options_in(content_of("README.md"))));
}

}  // namespace
}  // namespace lockstep::control

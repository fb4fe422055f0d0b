#pragma once

#include <memory>
#include <string>
#include <vector>

// What completion and parsing share: the tree of verbs and options, free of the library that parses it.
namespace lockstep::control {

struct OptionAbout {
  std::string name;  ///< "--tables"
  std::string help;
  bool takes_value = false;
  std::vector<std::string> choices;  ///< closed set of values; empty: any
};
struct VerbAbout {
  std::string name;
  std::string help;
  std::vector<OptionAbout> options;
  std::vector<std::string> words;  ///< closed set of positional words
};

/// A completion script for "bash", "zsh" or "fish".
std::string completion_script(const std::string& shell, const std::vector<VerbAbout>& verbs);

}  // namespace lockstep::control

#include "control/cli/completion.hpp"

#include <fmt/format.h>

namespace lockstep::control {
namespace {

std::string option_names(const VerbAbout& verb) {
  std::string names;
  for (const OptionAbout& option : verb.options) names += (names.empty() ? "" : " ") + option.name;
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

/// Inside single quotes, for any shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash(const std::vector<VerbAbout>& verbs) {
  std::string names;
  std::string cases;
  std::string values;
  for (const VerbAbout& verb : verbs) {
    names += (names.empty() ? "" : " ") + verb.name;
    const std::string words = joined(verb.words);
    cases += fmt::format("    {}) words={} ;;\n", verb.name,
                         quoted(option_names(verb) + (words.empty() ? "" : " " + words)));
    for (const OptionAbout& option : verb.options) {
      if (option.choices.empty()) continue;
      values += fmt::format("    '{} {}') COMPREPLY=($(compgen -W {} -- \"$current\")); return ;;\n", verb.name,
                            option.name, quoted(joined(option.choices)));
    }
  }
  return fmt::format(R"sh(# bash completion of lockstep: eval "$(lockstep completion bash)"
_lockstep() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" verb="${{COMP_WORDS[1]}}" words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W {} -- "$current"))
    return
  fi
  case "$verb $before" in
{}  esac
  case "$verb" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _lockstep lockstep
)sh",
                     quoted(names), values, cases);
}

std::string zsh(const std::vector<VerbAbout>& verbs) {
  std::string names;
  std::string cases;
  for (const VerbAbout& verb : verbs) {
    names += "    " + quoted(verb.name + ":" + verb.help) + "\n";
    std::string specs;
    for (const OptionAbout& option : verb.options) {
      std::string help = option.help;
      for (char& c : help) c = c == '[' || c == ']' || c == ':' ? ' ' : c;
      std::string spec = option.name + "[" + help + "]";
      if (!option.choices.empty()) spec += ":value:(" + joined(option.choices) + ")";
      else if (option.takes_value) spec += ":value:_files";
      specs += " " + quoted(spec);
    }
    if (!verb.words.empty()) specs += " " + quoted("1:word:(" + joined(verb.words) + ")");
    cases += fmt::format("    {}) _arguments{} ;;\n", verb.name, specs);
  }
  return fmt::format(R"sh(#compdef lockstep
# zsh completion of lockstep: source <(lockstep completion zsh)
_lockstep() {{
  local -a verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'verb' verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
{}  esac
}}
compdef _lockstep lockstep
)sh",
                     names, cases);
}

std::string fish(const std::vector<VerbAbout>& verbs) {
  std::string out = "# fish completion of lockstep: lockstep completion fish | source\ncomplete -c lockstep -f\n";
  for (const VerbAbout& verb : verbs) {
    out += fmt::format("complete -c lockstep -n __fish_use_subcommand -a {} -d {}\n", verb.name, quoted(verb.help));
    const std::string condition = quoted("__fish_seen_subcommand_from " + verb.name);
    for (const OptionAbout& option : verb.options) {
      out +=
          fmt::format("complete -c lockstep -n {} -l {} -d {}", condition, option.name.substr(2), quoted(option.help));
      if (!option.choices.empty()) out += " -x -a " + quoted(joined(option.choices));
      else if (option.takes_value) out += " -r -F";
      out += "\n";
    }
    if (!verb.words.empty())
      out += fmt::format("complete -c lockstep -n {} -a {}\n", condition, quoted(joined(verb.words)));
  }
  return out;
}

}  // namespace

std::string completion_script(const std::string& shell, const std::vector<VerbAbout>& verbs) {
  if (shell == "bash") return bash(verbs);
  return shell == "zsh" ? zsh(verbs) : fish(verbs);
}

}  // namespace lockstep::control

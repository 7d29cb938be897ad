// Options that take one of a few words offer those ("md|json|csv" as their type name); everything
// else that takes a value completes to files.
#include "cli/completion.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <string>
#include <vector>

namespace jaxtrace {
namespace {

std::vector<const CLI::App*> shown_subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

std::vector<const CLI::Option*> flags(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) {
    return option->nonpositional() && !option->get_group().empty();
  });
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> result;
  for (const std::string& name : option.get_lnames()) result.push_back("--" + name);
  for (const std::string& name : option.get_snames()) result.push_back("-" + name);
  return result;
}

/// The words an option takes: "md json csv"; empty if it takes anything or nothing.
std::string choices(const CLI::Option& option) {
  std::string words = option.get_type_name();
  if (option.get_items_expected_max() == 0 || words.find('|') == std::string::npos) return "";
  std::ranges::replace(words, '|', ' ');
  return words;
}

/// For zsh, inside single quotes and brackets.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
      continue;
    }
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') result += '\\';
    result += letter;
  }
  return result;
}

}  // namespace

void write_bash_completion(const CLI::App& app, std::ostream& out) {
  std::string names;
  std::string cases;
  for (const CLI::App* sub : shown_subcommands(app)) {
    names += (names.empty() ? "" : " ") + sub->get_name();
    std::string words;
    for (const CLI::Option* option : flags(*sub)) {
      for (const std::string& name : spellings(*option)) {
        words += (words.empty() ? "" : " ") + name;
        if (const std::string values = choices(*option); !values.empty()) {
          cases += fmt::format("    {}:{}) words=\"{}\" ;;\n", sub->get_name(), name, values);
        }
      }
    }
    cases +=
        fmt::format("    {}:*) [[ $current == -* ]] && words=\"{}\" ;;\n", sub->get_name(), words);
  }
  std::string top;
  for (const CLI::Option* option : flags(app)) {
    for (const std::string& name : spellings(*option)) top += " " + name;
  }
  fmt::print(out, R"(# bash completion for jaxtrace
_jaxtrace() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "{}{}" -- "$current")
    return
  fi
  case "${{COMP_WORDS[1]}}:$previous" in
{}  esac
  [[ -n $words ]] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _jaxtrace jaxtrace
)",
             names, top, cases);
}

void write_zsh_completion(const CLI::App& app, std::ostream& out) {
  std::string subs;
  std::string cases;
  for (const CLI::App* sub : shown_subcommands(app)) {
    subs += fmt::format(" '{}:{}'", sub->get_name(), zsh_text(sub->get_description()));
    cases += fmt::format("    {})\n      _arguments", sub->get_name());
    for (const CLI::Option* option : flags(*sub)) {
      std::string argument;
      if (const std::string words = choices(*option); !words.empty()) {
        argument = ":value:(" + words + ")";
      } else if (option->get_items_expected_max() > 0) {
        argument = ":value:_files";
      }
      for (const std::string& name : spellings(*option)) {
        cases += fmt::format(" \\\n        '{}[{}]{}'", name, zsh_text(option->get_description()),
                             argument);
      }
    }
    cases += " \\\n        '*:capture:_files'\n      ;;\n";
  }
  fmt::print(out, R"(#compdef jaxtrace
_jaxtrace() {{
  if ((CURRENT == 2)); then
    local -a subcommands=({} )
    _describe subcommand subcommands
    return
  fi
  local subcommand=$words[2]
  shift words
  ((CURRENT--))
  case $subcommand in
{}  esac
}}
_jaxtrace "$@"
)",
             subs, cases);
}

}  // namespace jaxtrace

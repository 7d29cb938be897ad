// A pattern comes from the command line and its subjects from a capture: neither may take the
// program's time or stack, so both are bounded.
#include "commands/attribute/user_frames.h"

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>
#include <regex>

namespace jaxtrace {
namespace {

constexpr std::size_t kLongestSubject = 4096;

/// Neither backtracks nor recurses along the subject, whatever the pattern: libstdc++'s own flag.
std::regex compiled(const std::string& pattern) {
  return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
}

/// What a pattern's counted repetitions, `{3,20}`, multiply to if nested: the states of the
/// automaton, through which libstdc++ recurses.
double repetitions(const std::string& pattern) {
  double product = 1;
  for (std::size_t at = pattern.find('{'); at != std::string::npos;
       at = pattern.find('{', at + 1)) {
    double most = 1, number = 0;
    for (std::size_t i = at + 1; i < pattern.size() && pattern[i] != '}'; ++i) {
      const bool digit = pattern[i] >= '0' && pattern[i] <= '9';
      number = digit ? number * 10 + (pattern[i] - '0') : 0;
      most = std::max(most, number);
    }
    product *= most;
  }
  return product;
}

/// What is wrong with a regular expression; empty if nothing is.
std::string regex_fault(const std::string& pattern) {
  constexpr std::size_t kLongest = 1000;
  constexpr double kMostRepetitions = 1000;
  if (pattern.size() > kLongest) return "is longer than 1,000 characters";
  if (repetitions(pattern) > kMostRepetitions) {
    return '"' + pattern + "\" repeats more than 1,000 times";
  }
  try {
    const std::regex tried = compiled(pattern);
    return {};
  } catch (const std::regex_error& error) {
    return '"' + pattern + "\" is not a regular expression (" + error.what() + ')';
  }
}

}  // namespace

void declare_user_re(CLI::App& app, std::string& pattern) {
  app.add_option("--user-re", pattern,
                 "Frames whose \"file:function\" matches are user code; default: outside "
                 "site-packages, dist-packages and jax")
      ->type_name("REGEX")
      ->check(CLI::Validator(regex_fault, ""));
}

hlo::UserTest user_test(const std::string& pattern) {
  if (pattern.empty()) return hlo::is_user_code;
  return [regex = compiled(pattern)](const hlo::Location& frame) {
    const std::string subject = frame.file + ':' + frame.function;
    if (subject.size() > kLongestSubject) return false;
    try {
      return std::regex_search(subject, regex);
    } catch (const std::regex_error&) {
      return false;  // The expression took too many steps on this frame.
    }
  };
}

}  // namespace jaxtrace

// Names come demangled, mangled, or cut; what is no name in C++ stays whole.
#include "analysis/kernel_pattern.h"

namespace jaxtrace {
namespace {

/// Where the arguments of a function begin: the parenthesis that the last one closes.
std::size_t arguments(std::string_view name) {
  if (!name.ends_with(')')) return name.size();
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return name.size();
}

/// Without the template arguments at its end.
std::string_view without_template(std::string_view name) {
  if (!name.ends_with('>')) return name;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    // The arrow of a lambda's type and the operators are no brackets.
    if (name[i] == '>' && (i == 0 || name[i - 1] != '-')) ++depth;
    if (name[i] == '<' && --depth == 0) return i == 0 ? name : name.substr(0, i);
  }
  return name;
}

bool is_word(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_';
}

}  // namespace

std::string_view base_name(std::string_view kernel) {
  // What the demangler calls the descriptor of a kernel.
  constexpr std::string_view kClone = " [clone .kd]";
  if (kernel.ends_with(kClone)) kernel.remove_suffix(kClone.size());
  const std::size_t open = arguments(kernel);
  std::string_view name = open == 0 ? kernel : kernel.substr(0, open);
  while (name.ends_with(' ')) name.remove_suffix(1);
  name = without_template(name);
  std::size_t begin = name.size();
  while (begin > 0 && is_word(name[begin - 1])) --begin;
  // A name that is none in C++, such as a graph's, stays whole.
  return begin == name.size() ? kernel : name.substr(begin);
}

std::string include_regex(std::string_view kernel) {
  std::string text;
  for (const char byte : base_name(kernel)) {
    constexpr std::string_view kSpecial = R"(\^$.|?*+()[]{})";
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) {
      text += '.';  // A line of YAML cannot hold it.
      continue;
    }
    if (kSpecial.find(byte) != std::string_view::npos) text += '\\';
    text += byte;
  }
  return text;
}

}  // namespace jaxtrace

// Phase and scopes of an op_name.  The words are JAX's: jvp and transpose are transformations,
// spelled with parentheses; checkpoint (older: remat) and rematted_computation are scopes.
#include "hlo/op_name.h"

#include <algorithm>

namespace jaxtrace::hlo {
namespace {

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Whether `op_name` applies the transformation `word`, so that `my_transpose(` is none.
bool transforms(std::string_view op_name, std::string_view word) {
  for (std::size_t at = op_name.find(word); at != std::string_view::npos;
       at = op_name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !is_word(op_name[at - 1]);
    if (starts && end < op_name.size() && op_name[end] == '(') return true;
  }
  return false;
}

/// Whether `word` stands alone in `op_name`: as a part, or as what a transformation applies to.
bool mentions(std::string_view op_name, std::string_view word) {
  for (std::size_t at = op_name.find(word); at != std::string_view::npos;
       at = op_name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || op_name[at - 1] == '/' || op_name[at - 1] == '(';
    const bool ends = end == op_name.size() || op_name[end] == '/' || op_name[end] == ')';
    if (starts && ends) return true;
  }
  return false;
}

bool balanced(std::string_view text) {
  std::ptrdiff_t depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return false;
  }
  return depth == 0;
}

}  // namespace

std::string_view text(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "fwd";
    case Phase::backward:
      return "bwd";
    case Phase::recompute:
      return "recompute";
    case Phase::other:
      break;
  }
  return "other";
}

Phase phase_of(std::string_view op_name) {
  // Recomputation happens inside the transposed function, so it has to be asked first.
  if (mentions(op_name, "rematted_computation")) return Phase::recompute;
  if (transforms(op_name, "transpose")) return Phase::backward;
  if (transforms(op_name, "jvp") || mentions(op_name, "checkpoint") || mentions(op_name, "remat")) {
    return Phase::forward;
  }
  return Phase::other;
}

std::vector<std::string_view> path_parts(std::string_view op_name) {
  std::vector<std::string_view> parts;
  // Parentheses that do not match are part of somebody's scope name; then every slash splits.
  const bool nested = balanced(op_name);
  std::ptrdiff_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= op_name.size(); ++i) {
    const char c = i < op_name.size() ? op_name[i] : '/';
    if (nested && c == '(') ++depth;
    if (nested && c == ')') --depth;
    if (c != '/' || depth > 0) continue;
    if (i > begin) parts.push_back(op_name.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

std::vector<std::string_view> scopes_of(std::string_view op_name) {
  std::vector<std::string_view> scopes = path_parts(op_name);
  if (scopes.empty()) return scopes;
  if (scopes.back().find('(') == std::string_view::npos) scopes.pop_back();
  for (std::string_view& scope : scopes) {
    const char* const end = scope.data() + scope.size();
    scope = op_name.substr(0, static_cast<std::size_t>(end - op_name.data()));
  }
  return scopes;
}

}  // namespace jaxtrace::hlo

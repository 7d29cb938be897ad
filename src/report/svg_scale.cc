// Steps are found by comparing, not by logarithms, whose last digit differs between libraries.
#include "report/svg_scale.h"

#include <algorithm>

#include "report/text.h"

namespace jaxtrace {

double round_step(double least) {
  constexpr double kSmallest = 1e-30, kLargest = 1e30;
  if (!(least > kSmallest)) return kSmallest;
  double step = 1;
  while (step >= least && step > kSmallest) step /= 10;
  while (step < least && step < kLargest) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * step >= least) return factor * step;
    }
    step *= 10;
  }
  return step;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  const std::string clean = one_line(text);
  for (std::string_view rest = clean; !rest.empty();) {
    const std::size_t space = rest.find(' ');
    std::string word(rest.substr(0, space));
    rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
    if (word.empty()) continue;
    // A number and its unit stay together.
    constexpr std::size_t kUnit = 3;
    while (!rest.empty() && word.back() >= '0' && word.back() <= '9' && rest[0] != ' ' &&
           std::min(rest.find(' '), rest.size()) <= kUnit) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      word += ' ' + std::string(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (width(word) > columns) word = shortened(word, columns);
    if (!line.empty() && width(line) + 1 + width(word) > columns) {
      lines.push_back(std::move(line));
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace jaxtrace

// A trailing `__<number>` is split off; a number that is taken is replaced by the lowest free one.
#include "hlo/name_uniquer.h"

#include <charconv>

namespace jaxtrace::hlo {
namespace {

constexpr std::string_view kSeparator = "__";

}  // namespace

std::string NameUniquer::unique(std::string_view wanted) {
  std::string_view root = wanted;
  std::int64_t number = 0;
  bool numbered = false;
  if (const std::size_t at = wanted.rfind(kSeparator);
      at != std::string_view::npos && at > 0 && at + kSeparator.size() < wanted.size()) {
    const std::string_view digits = wanted.substr(at + kSeparator.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    numbered = error == std::errc() && end == digits.data() + digits.size();
    if (numbered) {
      root = wanted.substr(0, at);
    } else {
      number = 0;
    }
  }
  Numbers& numbers = roots[std::string(root)];
  if (!numbers.used.insert(number).second) {
    while (!numbers.used.insert(numbers.next).second) ++numbers.next;
    number = numbers.next++;
  }
  std::string out(root);
  if (number != 0 || numbered) {
    out += kSeparator;
    out += std::to_string(number);
  }
  return out;
}

}  // namespace jaxtrace::hlo

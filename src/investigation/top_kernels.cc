// Template libraries launch everything through one function (`kentry<…>`), and tuned libraries
// write their parameters into names of 500 letters: neither can be typed as it is, so the pattern
// is the first word, or the shortest beginning, that no other kernel of the capture has.
#include "investigation/top_kernels.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/kernel_pattern.h"
#include "analysis/text.h"
#include "analysis/times.h"
#include "investigation/investigated.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kTypeable = 64;

std::string_view without_suffix(std::string_view name) {
  if (name.ends_with(".kd")) name.remove_suffix(3);
  return name;
}

bool is_word(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_';
}

/// The first word of `name` that is in none of `others`; empty if there is none.
std::string_view telling_word(std::string_view name, const std::vector<std::string_view>& others) {
  constexpr std::size_t kShortest = 4;
  for (std::size_t begin = 0; begin < name.size();) {
    std::size_t end = begin;
    while (end < name.size() && is_word(name[end])) ++end;
    const std::string_view word = name.substr(begin, end - begin);
    if (word.size() >= kShortest && std::ranges::none_of(others, [&](std::string_view other) {
          return contains(other, word);
        })) {
      return word;
    }
    begin = end + 1;
  }
  return {};
}

/// The beginning of `base` that can be typed and that no other kernel has, or all of it.
std::string_view telling_begin(std::string_view base, const std::vector<std::string_view>& all) {
  for (std::size_t size = kTypeable; size < base.size(); size *= 2) {
    const std::string_view begin = base.substr(0, size);
    const auto found =
        std::ranges::count_if(all, [&](std::string_view name) { return contains(name, begin); });
    if (found <= 1) return begin;
  }
  return base;
}

/// What to call one of `all` kernels: its base name, or the word that tells it from others with
/// that base name.
std::string_view call_name(std::string_view name, const std::vector<std::string_view>& all) {
  const std::string_view base = base_name(name);
  std::vector<std::string_view> others;
  for (const std::string_view other : all) {
    if (other != name && base_name(other) == base) others.push_back(other);
  }
  if (!others.empty()) {
    if (const std::string_view word = telling_word(name, others); !word.empty()) return word;
  }
  return telling_begin(base, all);
}

}  // namespace

std::vector<TopKernel> top_kernels(const Investigated& in, std::size_t most, double least) {
  struct Sum {
    std::int64_t calls = 0;
    Picoseconds total{0};
  };
  std::unordered_map<StringId, Sum> by_name;
  Picoseconds all{0};
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    if (!in.skip.works.timed[i]) continue;
    add_time(all, in.trace.events.duration[i]);
    if (in.skip.works.cls[i] != WorkClass::compute) continue;
    Sum& sum = by_name[in.trace.events.name[i]];
    ++sum.calls;
    add_time(sum.total, in.trace.events.duration[i]);
  }
  std::vector<std::pair<std::string_view, Sum>> order;
  std::vector<std::string_view> names;
  for (const auto& [id, sum] : by_name) {
    order.emplace_back(without_suffix(in.trace.strings[id]), sum);
    names.push_back(order.back().first);
  }
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return std::pair(b.second.total, a.first) < std::pair(a.second.total, b.first);
  });
  std::vector<TopKernel> out;
  for (const auto& [name, sum] : order) {
    if (out.size() == most || all <= Picoseconds{0}) break;
    const double share = static_cast<double>(sum.total.count()) / static_cast<double>(all.count());
    if (share < least) break;
    if (name.starts_with("__amd_rocclr_")) continue;
    const std::string_view called = call_name(name, names);
    out.push_back({.name = std::string(called),
                   .pattern = include_regex(called),
                   .calls = sum.calls,
                   .total = sum.total,
                   .share = share});
  }
  return out;
}

}  // namespace jaxtrace

#include "investigation/top_kernels.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "analysis/kernel_pattern.h"
#include "analysis/times.h"
#include "investigation/investigated.h"

namespace jaxtrace {

std::vector<TopKernel> top_kernels(const Investigated& in, std::size_t most, double least) {
  std::unordered_map<StringId, TopKernel> by_name;
  Picoseconds all{0};
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    if (!in.skip.works.timed[i]) continue;
    add_time(all, in.trace.events.duration[i]);
    if (in.skip.works.cls[i] != WorkClass::compute) continue;
    TopKernel& kernel = by_name[in.trace.events.name[i]];
    ++kernel.calls;
    add_time(kernel.total, in.trace.events.duration[i]);
  }
  // What is typed finds all kernels of a base name, so those are one.
  std::map<std::string_view, TopKernel> by_base;
  std::map<std::string_view, Picoseconds> longest;
  for (auto& [name, kernel] : by_name) {
    std::string_view text = in.trace.strings[name];
    if (text.ends_with(".kd")) text.remove_suffix(3);
    const std::string_view base = base_name(text);
    if (base.starts_with("__amd_rocclr_")) continue;
    TopKernel& sum = by_base[base];
    sum.calls += kernel.calls;
    add_time(sum.total, kernel.total);
    // The name that is shown is the longest-running one's.
    Picoseconds& so_far = longest[base];
    const auto key = [&](StringId id) { return in.trace.strings[id]; };
    if (sum.name == StringId::empty || kernel.total > so_far ||
        (kernel.total == so_far && key(name) < key(sum.name))) {
      sum.name = name;
      so_far = kernel.total;
    }
  }
  std::vector<TopKernel> out;
  for (const auto& [base, kernel] : by_base) {
    out.push_back(kernel);
    if (all > Picoseconds{0}) {
      out.back().share =
          static_cast<double>(kernel.total.count()) / static_cast<double>(all.count());
    }
  }
  std::erase_if(out, [&](const TopKernel& kernel) { return kernel.share < least; });
  std::ranges::sort(out, [&](const TopKernel& a, const TopKernel& b) {
    if (a.total != b.total) return a.total > b.total;
    return in.trace.strings[a.name] < in.trace.strings[b.name];
  });
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace jaxtrace

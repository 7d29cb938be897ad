// Code objects are numbered anew in each process, so they are no part of what makes instructions of
// two dispatches the same; a symbol and its addresses are.
#include "att/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "att/totals.h"

namespace jaxtrace {
namespace {

bool names(const TracedKernel& kernel, std::string_view wanted,
           bool (*fits)(std::string_view, std::string_view)) {
  return fits(kernel.symbol, wanted) || fits(kernel.demangled, wanted);
}

bool equals(std::string_view name, std::string_view wanted) {
  return name == wanted;
}
bool begins(std::string_view name, std::string_view wanted) {
  return name.starts_with(wanted);
}
bool holds(std::string_view name, std::string_view wanted) {
  return name.find(wanted) != std::string_view::npos;
}

}  // namespace

std::string_view name_of(const TracedKernel& kernel) {
  return kernel.demangled.empty() ? kernel.symbol : kernel.demangled;
}

std::vector<std::string> kernel_names(std::span<const ThreadTrace> traces) {
  std::set<std::string> result;
  for (const ThreadTrace& trace : traces) {
    for (const TracedKernel& kernel : trace.kernels) {
      if (!name_of(kernel).empty()) result.emplace(name_of(kernel));
    }
  }
  return {result.begin(), result.end()};
}

std::vector<std::string> matching_kernels(std::span<const ThreadTrace> traces,
                                          std::string_view wanted) {
  for (auto* const fits : {equals, begins, holds}) {
    std::set<std::string> result;
    for (const ThreadTrace& trace : traces) {
      for (const TracedKernel& kernel : trace.kernels) {
        if (names(kernel, wanted, fits)) result.emplace(name_of(kernel));
      }
    }
    if (!result.empty()) return {result.begin(), result.end()};
  }
  return {};
}

void keep_kernel(ThreadTrace& trace, std::string_view name) {
  std::erase_if(trace.instructions, [&](const Instruction& instruction) {
    return name_of(trace.kernels[instruction.kernel]) != name;
  });
  const auto cycles = [](const Instruction& instruction) {
    return instruction.latency_cycles + instruction.idle_cycles;
  };
  const bool measured =
      std::ranges::any_of(trace.instructions, [&](const Instruction& i) { return cycles(i) > 0; });
  if (measured || trace.timing != Timing::measured) return;
  trace.timing = trace.instructions.empty() ? Timing::none : Timing::zero_hits;
}

ThreadTrace merge(std::span<const ThreadTrace> traces) {
  ThreadTrace result;
  result.directory = traces.front().directory;
  result.name = fmt::format("{} dispatches merged", traces.size());
  result.gfxip = traces.front().gfxip;
  result.file = traces.front().file;
  result.sources = traces.front().sources;
  result.resources = traces.front().resources;
  result.clock_hz = traces.front().clock_hz;

  std::map<std::string, std::uint32_t> kernels;
  using Key = std::tuple<std::uint32_t, std::int64_t, std::string_view>;
  std::map<Key, std::size_t> rows;
  for (const ThreadTrace& trace : traces) {
    if (trace.gfxip != result.gfxip) result.gfxip.clear();
    for (const Instruction& instruction : trace.instructions) {
      const TracedKernel& kernel = trace.kernels[instruction.kernel];
      const std::string symbol = kernel.symbol.empty()
                                     ? fmt::format("code object {}", instruction.code_object)
                                     : kernel.symbol;
      const auto [known, is_new] =
          kernels.try_emplace(symbol, static_cast<std::uint32_t>(result.kernels.size()));
      if (is_new) result.kernels.push_back(kernel);
      const auto [row, added] = rows.try_emplace(
          Key{known->second, instruction.address, instruction.text}, result.instructions.size());
      if (added) {
        result.instructions.push_back(instruction);
        result.instructions.back().kernel = known->second;
        continue;
      }
      Instruction& sum = result.instructions[row->second];
      Cycles cycles = cycles_of(sum);
      cycles.add(cycles_of(instruction));
      sum.hits = cycles.hits;
      sum.latency_cycles = cycles.latency;
      sum.stall_cycles = cycles.stall;
      sum.idle_cycles = cycles.idle;
      sum.damaged = sum.damaged || instruction.damaged;
    }
    result.waves_listed += trace.waves_listed;
    result.findings.insert(result.findings.end(), trace.findings.begin(), trace.findings.end());
  }
  std::ranges::stable_sort(result.instructions, {}, [](const Instruction& instruction) {
    return std::pair(instruction.kernel, instruction.line);
  });
  // Several kernels are not one: what belongs to a dispatch is unknown then.
  if (result.kernels.size() > 1) result.resources.clear();
  return result;
}

}  // namespace jaxtrace

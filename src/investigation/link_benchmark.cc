// Kernels of NCCL do not tell an all-to-all from a send, so that instructions are asked first.
#include "investigation/link_benchmark.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "analysis/text.h"
#include "analysis/times.h"
#include "investigation/investigated.h"

namespace jaxtrace {
namespace {

/// The program of nccl-tests that does what an instruction or kernel of this name does.
std::string_view test_of(std::string_view name) {
  struct Test {
    std::string_view part, program;
  };
  constexpr Test kTests[] = {
      {"allreduce", "all_reduce_perf"},          {"allgather", "all_gather_perf"},
      {"reducescatter", "reduce_scatter_perf"},  {"alltoall", "alltoall_perf"},
      {"collectivebroadcast", "broadcast_perf"}, {"collectivepermute", "sendrecv_perf"},
      {"broadcast", "broadcast_perf"},           {"sendrecv", "sendrecv_perf"},
  };
  std::string plain = lower(name);
  std::erase_if(plain, [](char c) { return c == '-' || c == '_'; });
  const auto* const at = std::ranges::find_if(
      kTests, [&](const Test& test) { return plain.find(test.part) != std::string::npos; });
  return at == std::end(kTests) ? std::string_view() : at->program;
}

}  // namespace

std::string_view link_benchmark(const Investigated& in) {
  std::map<std::pair<std::uint32_t, StringId>, Picoseconds> of_kernel;  // by op or name
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    if (!in.skip.works.timed[i] || in.skip.works.cls[i] != WorkClass::collective) continue;
    const std::uint32_t op = in.ops.of_label[in.attribution.label[i]];
    add_time(of_kernel[{op, in.trace.events.name[i]}], in.trace.events.duration[i]);
  }
  std::map<std::string_view, Picoseconds> of_test;
  for (const auto& [key, time] : of_kernel) {
    const auto& [op, name] = key;
    std::string_view test = op == kNone ? "" : test_of(in.ops.rows[op].opcode);
    if (test.empty()) test = test_of(in.trace.strings[name]);
    if (!test.empty()) add_time(of_test[test], time);
  }
  const auto most =
      std::ranges::max_element(of_test, {}, [](const auto& entry) { return entry.second; });
  return most == of_test.end() ? "all_reduce_perf" : most->first;
}

}  // namespace jaxtrace

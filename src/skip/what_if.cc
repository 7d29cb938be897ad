// Each estimate takes one loss away and leaves the rest as it is, so it is an upper bound of the
// gain.  They do not add up; the one joint estimate is given as such.
#include "skip/what_if.h"

#include <fmt/format.h>

#include <algorithm>

namespace jaxtrace {
namespace {

constexpr const char* kHostKnobs =
    "dispatch ahead (no block_until_ready or float(loss) in each step), jit more of the step "
    "(lax.scan over steps), command buffers on, prefetch input";
constexpr const char* kCommunicationKnobs =
    "--xla_gpu_enable_latency_hiding_scheduler=true, fewer and larger collectives "
    "(--xla_gpu_all_reduce_combine_threshold_bytes and its like), another sharding";

struct ClassKnob {
  HostClass cls;
  const char* without;
  const char* knob;
};

// In the order of HostClass.
constexpr ClassKnob kClassKnobs[] = {
    {HostClass::input, "host work on input",
     "prefetch, device_put ahead of the step, a larger pool of input workers"},
    {HostClass::sync, "host waits and read-backs", "read values back every N steps only"},
    {HostClass::compile, "compilation", "static shapes, the persistent compilation cache"},
    {HostClass::python, "Python and dispatch",
     "the Python tracer off first; then fewer arguments, flatter pytrees"},
    {HostClass::admission, "waits for buffers", "donate_argnums, fewer steps in flight"},
    {HostClass::alloc, "allocation", "donate_argnums, preallocation"},
    {HostClass::launch, "launch calls and thunks", "command buffers on, larger fusions"},
};

class Estimates {
 public:
  explicit Estimates(const StepParts& parts) : parts_(parts) {}

  void add(std::string id, std::string without, Picoseconds gain, std::string assumption,
           std::string knob, std::string confirm) {
    add_above(parts_.compute, std::move(id), std::move(without), gain, std::move(assumption),
              std::move(knob), std::move(confirm));
  }

  /// `floor`: what the step cannot go below.
  void add_above(Picoseconds floor, std::string id, std::string without, Picoseconds gain,
                 std::string assumption, std::string knob, std::string confirm) {
    const Picoseconds step = std::clamp(parts_.step - gain, floor, parts_.step);
    constexpr int kWorth = 3;  // Percent: what steps differ by anyway
    out.push_back({.id = std::move(id),
                   .without = std::move(without),
                   .step = step,
                   .assumption = std::move(assumption),
                   .knob = std::move(knob),
                   .confirm = std::move(confirm),
                   .worth = (parts_.step - step) * 100 >= parts_.step * kWorth});
  }

  std::vector<WhatIf> out;

 private:
  const StepParts& parts_;
};

}  // namespace

std::vector<WhatIf> what_ifs(const StepParts& parts) {
  if (parts.step <= Picoseconds{0}) return {};
  Estimates estimates(parts);
  const Picoseconds host = parts.idle.host();

  estimates.add(
      "W1", "all host-caused idle time", host,
      "the host is always ahead; kernels keep their length; nothing else becomes critical",
      kHostKnobs, "record again with the one change; compare host_late and the step");
  for (const ClassKnob& row : kClassKnobs) {
    const Picoseconds time = parts.host[static_cast<std::size_t>(row.cls)];
    if (time <= Picoseconds{0}) continue;
    estimates.add(fmt::format("W2 {}", name_of(row.cls)), row.without, time,
                  "only this goes, and nothing else fills the gap", row.knob,
                  fmt::format("record again; compare host_late of class {}", name_of(row.cls)));
  }
  if (parts.collective > Picoseconds{0}) {
    estimates.add("W3", "all exposed communication", parts.collective,
                  "it overlaps compute entirely and takes no bandwidth from it",
                  kCommunicationKnobs, "record again; compare exposed communication");
  }
  if (parts.collective_wait > Picoseconds{0}) {
    // What it gains may be compute of its own.
    estimates.add_above(Picoseconds{0}, "W3 balance", "the straggler's delay",
                        parts.collective_wait,
                        "it arrives at each collective with the last of the others",
                        "even work per GPU, its clocks and temperature, its own launching thread",
                        "record again; compare the spread of arrivals");
  }
  if (parts.copy > Picoseconds{0}) {
    estimates.add("W4", "all exposed copies", parts.copy, "they overlap compute entirely",
                  "donate_argnums (device-to-device copies), pinned host memory, layouts",
                  "record again; compare exposed copies");
  }
  if (parts.graphs) {
    estimates.add("W5", "launches one by one (graphs are in use already)", Picoseconds{0},
                  "nothing is left to gain by command buffers", "none", "");
  } else if (parts.graphable > Picoseconds{0}) {
    estimates.add(
        "W5", "launches one by one, by command buffers", std::min(parts.graphable, host),
        "a graph replays its kernels with dispatch gaps only",
        "--xla_gpu_enable_command_buffer=FUSION,CUBLAS,… and --xla_gpu_graph_min_graph_size",
        "record again with --xla_enable_command_buffers_during_profiling=true; compare "
        "kernels per launch");
  }
  if (parts.fusable > Picoseconds{0}) {
    estimates.add("W6", "gaps inside chains that could be fused", std::min(parts.fusable, host),
                  "a fused kernel takes as long as its members", "see chains.csv",
                  "record again; compare launches per step");
  }
  if (parts.host_active && parts.compute > Picoseconds{0}) {
    const Picoseconds busy = parts.compute + parts.collective + parts.copy;
    const double factor =
        static_cast<double>(parts.host_active->count()) / static_cast<double>(busy.count());
    if (factor > 1) {
      estimates.add(
          "W7", fmt::format("host cost per sample, by a batch {:.1f} times as large", factor),
          Picoseconds{0},
          "GPU time grows with the batch and host time does not: the step takes as long, "
          "for more samples",
          "batch size, up to what memory holds", "record again; compare samples per second");
    }
  }
  estimates.add("W8", "all but compute", parts.step - parts.compute,
                "nothing but its kernels were left: the floor",
                "the kernels themselves: jaxtrace hotspot, pmc-l2", "");
  if (host > Picoseconds{0} && parts.collective > Picoseconds{0}) {
    estimates.add("W1+W3", "host-caused idle time and exposed communication",
                  host + parts.collective, "both of the above", "", "");
  }
  return estimates.out;
}

}  // namespace jaxtrace

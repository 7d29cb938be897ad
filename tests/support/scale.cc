// Each device is made by itself, as an ordinary recording of one device, and written before the
// next one: memory is bounded by the largest plane.
#include "support/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include "support/random.h"
#include "support/small_program.h"
#include "support/wire_out.h"
#include "support/write_xplane.h"

namespace jaxtrace::synth {
namespace {

constexpr std::int64_t kStartPs = 905'441'000 + 50'000'000;

std::vector<Node> slots(int count) {
  std::vector<Node> out;
  for (int i = 0; i < count; ++i) {
    // A third of the slots run a kernel that an earlier one named.
    const std::string name = i == 0 ? "loop_add_fusion" : fmt::format("loop_add_fusion.{}", i);
    out.push_back(fusion(name, fmt::format("body {}", i % 3 == 2 ? i / 2 : i + 1000)));
  }
  return out;
}

void put_plane(const std::string& plane, std::ostream& out) {
  std::string head;
  put_varint(head, (1 << 3) | 2);
  put_varint(head, plane.size());
  out << head << plane;
}

struct Slot {
  StringId kernel, op, details;
  std::int64_t duration_ps;
};

/// One device's kernels, and its launches as the host saw them.
void fill(Recording& rec, const ScaleOptions& options, std::uint64_t device,
          const std::vector<Slot>& kernels, StringId annotation, StringId launch) {
  Random random(options.seed + device, "scale");
  std::vector<DeviceEvent>& events = rec.devices[0].lines[0].events;
  std::vector<HostEvent>& calls = rec.host_lines[0].events;
  const std::size_t per_launch = kernels.size();
  const bool graph = options.graph_slots > 0;
  std::int64_t now = kStartPs;
  std::uint64_t correlation = 0;
  events.reserve(options.kernels);
  for (std::uint64_t k = 0; k < options.kernels; ++k) {
    const std::size_t at = k % per_launch;
    if (at == 0 || !graph) {
      // Ids of the devices interleave, as one process hands them out.
      correlation = 4001 +
                    (graph ? k / per_launch : k) * static_cast<std::uint64_t>(options.devices) +
                    device;
      calls.push_back({.start_ps = now - 6'000'000,
                       .duration_ps = 2'000'000,
                       .name = launch,
                       .correlation = correlation,
                       .device_id = static_cast<std::int64_t>(device)});
    }
    const Slot& slot = kernels[at];
    const std::int64_t duration = slot.duration_ps + random.between(0, 40) * 1000;
    const std::uint64_t graph_id = 100 + device;
    events.push_back({.start_ps = now,
                      .duration_ps = duration,
                      .kernel = slot.kernel,
                      .op = slot.op,
                      .in_graph = graph,
                      .shown_op = graph ? annotation : slot.op,
                      .details = slot.details,
                      .program = 0,
                      .correlation = correlation,
                      .graph_id = graph ? graph_id : 0,
                      .node_id = graph ? (graph_id << 32 | (at + 1)) : 0,
                      .step = static_cast<std::uint32_t>(k / per_launch)});
    now += duration + random.between(300, 900) * 1000;
  }
}

}  // namespace

void write_scale(const ScaleOptions& options, std::ostream& out, std::ostream* truth) {
  const Program program =
      small_program("jit_step", {graph(slots(std::max(options.graph_slots, 1)))});
  Recording rec;
  rec.programs.push_back({program.module, program.program_id, options.hlo ? program.hlo : ""});
  std::vector<Slot> kernels;
  for (const Thunk& thunk : program.thunks[0].sections[0].thunks) {
    kernels.push_back(
        {rec.strings.intern(thunk.kernel), rec.strings.intern(thunk.instruction),
         rec.strings.intern("regs:32 static_shared:0 dynamic_shared:0 grid:8,1,1 block:128,1,1 "
                            "occ_pct:100"),
         static_cast<std::int64_t>(1000 + mix(options.seed, thunk.instruction) % 4000) * 1000});
  }
  const StringId annotation = rec.strings.intern(program.thunks[0].instruction);
  if (truth != nullptr) write_truth_header(*truth);
  put_plane(encode_metadata_plane(rec), out);
  std::vector<HostLine> host_lines;
  for (int d = 0; d < options.devices; ++d) {
    rec.devices = {
        {.ordinal = d, .lines = {{.id = 16 + d, .name = "", .events = {}}}, .derived = {}}};
    rec.host_lines = {
        {.id = -7346000 - d, .name = fmt::format("py_xla_execute/{}", -7346000 - d), .events = {}}};
    fill(rec, options, static_cast<std::uint64_t>(d), kernels, annotation,
         rec.strings.intern(fmt::format("cuGraphLaunch (CudaGraph:{})", 100 + d)));
    put_plane(encode_device_plane(rec, rec.devices[0]), out);
    if (truth != nullptr) write_truth(rec, *truth);
    host_lines.push_back(std::move(rec.host_lines[0]));
  }
  rec.host_lines = std::move(host_lines);
  put_plane(encode_host_plane(rec), out);
}

void write_events(std::uint64_t count, std::uint64_t seed, std::ostream& out) {
  ScaleOptions options{.devices = 8, .kernels = count / 8, .graph_slots = 0, .seed = seed};
  write_scale(options, out, nullptr);
}

}  // namespace jaxtrace::synth

#include "support/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "support/emissions.h"
#include "support/graph_nodes.h"
#include "support/random.h"
#include "support/session.h"

namespace jaxtrace::synth {
namespace {

// Where the goldens' first step begins: line timestamp 905441 ns, then 47 µs.
constexpr std::int64_t kSessionStartPs = 905'441'000;
constexpr std::int64_t kMicrosecond = 1'000'000;
constexpr std::int64_t kNanosecond = 1'000;

constexpr std::size_t kCompute = 0;
constexpr std::size_t kAsync = 1;

struct Clock {
  std::int64_t host = 0;             ///< When this device's host thread is free
  std::int64_t streams[2] = {0, 0};  ///< When each stream is free
};

/// Where in a graph the walk is.
struct Graph {
  bool inside = false;
  StringId annotation = StringId::empty;               ///< "command_buffer_7", "call.2"
  std::vector<std::uint64_t> ids{};                    ///< By device
  std::vector<std::uint32_t> calls{};                  ///< By device
  std::vector<std::int64_t> launched{};                ///< By device
  std::map<const Thunk*, std::uint32_t> first_node{};  ///< Index of each thunk's first node, from 1
};

struct Simulation {
  const SimulationOptions& options;
  Recording recording{};
  Random times;
  Random decisions;
  std::vector<Clock> clocks{};
  std::map<std::string, std::vector<std::int64_t>> pending{};  ///< Ends of async work, by start
  std::map<std::pair<const Thunk*, std::uint32_t>, std::vector<std::uint64_t>> graph_ids{};
  const Program* program = nullptr;
  std::uint32_t program_row = 0;
  std::uint32_t step = 0;
  std::uint32_t calls = 0;
  std::uint64_t launches = 0;  ///< Of this program so far, for num_executions and variation
  std::uint64_t next_graph_id = 100;
  std::size_t stream = kCompute;
  std::string within{};
  Graph graph{};
};

std::int64_t whole_ns(std::int64_t ps) {
  return ps / kNanosecond * kNanosecond;
}

const Facts& facts_of(const Simulation& sim, const Thunk& thunk) {
  static const Facts kNone;
  const auto found = sim.program->facts.find(thunk.instruction);
  return found == sim.program->facts.end() ? kNone : found->second;
}

HostLine& execute_line(Simulation& sim, std::size_t device) {
  return sim.recording.host_lines[device];
}

HostLine& api_line(Simulation& sim, std::size_t device) {
  if (sim.options.style != Style::rocm) return execute_line(sim, device);
  return sim.recording.host_lines[sim.clocks.size() + 1 + device];
}

/// The host call that launches something.  Returns when it began.
std::int64_t call_host(Simulation& sim, std::size_t device, std::string_view name, StringId shown,
                       std::int64_t low_us, std::int64_t high_us) {
  Clock& clock = sim.clocks[device];
  const std::int64_t duration =
      whole_ns(sim.times.between(low_us * kMicrosecond, high_us * kMicrosecond));
  const bool raw_agent = sim.options.style == Style::rocm;
  api_line(sim, device)
      .events.push_back({.start_ps = clock.host,
                         .duration_ps = duration,
                         .name = sim.recording.strings.intern(name),
                         .device_id = static_cast<std::int64_t>(device) + (raw_agent ? 47645 : 0),
                         .shown_op = raw_agent ? shown : StringId::empty,
                         .program = raw_agent ? sim.program_row : kNoProgram,
                         .call = ++sim.calls});
  const std::int64_t start = clock.host;
  clock.host += duration + kMicrosecond / 2;
  return start;
}

void trace_me(Simulation& sim, std::size_t device, std::string_view name, std::int64_t start,
              std::int64_t end, std::vector<std::pair<std::string_view, std::int64_t>> stats = {}) {
  HostEvent event{.start_ps = start,
                  .duration_ps = std::max<std::int64_t>(end - start, 0),
                  .name = sim.recording.strings.intern(name)};
  for (const auto& [key, value] : stats) {
    event.stats.emplace_back(sim.recording.strings.intern(key), value);
  }
  execute_line(sim, device).events.push_back(std::move(event));
}

/// One piece of device work on every device.
void emit(Simulation& sim, const Thunk& thunk, const Emission& emission, std::size_t index) {
  Recording& rec = sim.recording;
  const StringId op = rec.strings.intern(thunk.instruction);
  const bool annotated = !sim.graph.inside || sim.options.telemetry;
  const bool own_host_call = !sim.graph.inside;
  const std::int64_t typical =
      (2'000 + static_cast<std::int64_t>(mix(sim.options.seed, thunk.instruction + emission.name) %
                                         28'000)) *
      kNanosecond;
  std::int64_t last_start = 0;
  for (std::size_t d = 0; d < sim.clocks.size(); ++d) {
    std::int64_t launched = 0;
    std::uint32_t call = 0;
    if (own_host_call) {
      launched = call_host(sim, d, emission.host_call, op, 3, 7);
      call = sim.calls;
    } else {
      launched = sim.graph.launched[d];
      call = sim.graph.calls[d];
    }
    std::int64_t& free = sim.clocks[d].streams[sim.stream];
    const std::int64_t ready =
        std::max(free, sim.stream == kAsync ? sim.clocks[d].streams[kCompute] : 0);
    // Drawn one by one: compilers differ in the order in which they evaluate arguments.
    const std::int64_t latency = whole_ns(sim.times.between(4'000'000, 8'000'000));
    const std::int64_t gap = whole_ns(sim.times.between(300'000, 1'900'000));
    const std::int64_t start = std::max(ready + gap, launched + latency);
    DeviceEvent event{
        .start_ps = start,
        .duration_ps = whole_ns(typical / 100 * sim.times.between(97, 103)),
        .kernel = rec.strings.intern(emission.name),
        .op = op,
        .within = rec.strings.intern(sim.within == thunk.instruction ? "" : sim.within),
        .in_graph = sim.graph.inside,
        .kind = emission.kind,
        .shown_op = annotated ? op : sim.graph.annotation,
        .op_name = annotated && sim.options.op_names
                       ? rec.strings.intern(facts_of(sim, thunk).op_name)
                       : StringId::empty,
        .details = rec.strings.intern(emission.details),
        .program = sim.program_row,
        .call = call,
        .step = sim.step};
    if (sim.graph.inside && sim.options.style == Style::cuda) {
      event.graph_id = sim.graph.ids[d];
      if (sim.options.node_ids) {
        event.node_id =
            (event.graph_id << 32) | (sim.graph.first_node.at(&thunk) + std::uint64_t{index});
      }
    }
    if (emission.control) event.op = StringId::empty;
    last_start = std::max(last_start, event.start_ps);
    free = event.start_ps + event.duration_ps;
    rec.devices[d].lines[sim.stream].events.push_back(event);
  }
  if (!emission.collective) return;
  // A collective starts when its device is ready and ends for all at once.
  for (std::size_t d = 0; d < sim.clocks.size(); ++d) {
    DeviceEvent& event = rec.devices[d].lines[sim.stream].events.back();
    event.duration_ps += last_start - event.start_ps;
    sim.clocks[d].streams[sim.stream] = event.start_ps + event.duration_ps;
  }
}

std::vector<Emission> work_of(const Simulation& sim, const Thunk& thunk) {
  const bool vary = sim.options.vary_helpers && !sim.graph.inside;
  return emissions(thunk, facts_of(sim, thunk), sim.options.style, sim.options.seed,
                   sim.clocks.size(), vary ? sim.launches : 0);
}

void run(Simulation& sim, const std::vector<Thunk>& thunks);

const std::vector<Thunk>& section(const Thunk& thunk, std::string_view name) {
  static const std::vector<Thunk> kNone;
  for (const ThunkSection& part : thunk.sections) {
    if (part.name == name) return part.thunks;
  }
  return kNone;
}

/// The host waits for a predicate or a branch number.
void copy_to_host(Simulation& sim, const Thunk& thunk, std::int64_t bytes) {
  if (sim.graph.inside) return;
  if (sim.options.predicate_copies && sim.options.style != Style::rocm) {
    emit(sim, thunk, host_copy(sim.options.style, bytes), 0);
  }
  for (Clock& clock : sim.clocks) {
    clock.host = std::max(clock.host, clock.streams[kCompute] + 3 * kMicrosecond);
  }
}

void control_kernel(Simulation& sim, const Thunk& thunk, std::string_view name) {
  if (sim.graph.inside && sim.options.control_kernels) {
    emit(sim, thunk, control(sim.options.style, name), 0);
  }
}

void run_while(Simulation& sim, const Thunk& thunk) {
  const std::optional<std::uint64_t> known = facts_of(sim, thunk).trips;
  const std::int64_t trips =
      known ? static_cast<std::int64_t>(*known)
            : sim.decisions.between(sim.options.least_trips, sim.options.most_trips);
  for (std::int64_t i = 0; i <= trips; ++i) {
    if (!known) {
      run(sim, section(thunk, "condition"));
      copy_to_host(sim, thunk, 1);
    }
    control_kernel(sim, thunk, known ? "set_for_condition" : "set_while_condition");
    if (i < trips) run(sim, section(thunk, "body"));
  }
}

void run_conditional(Simulation& sim, const Thunk& thunk) {
  const bool predicate = std::ranges::any_of(
      thunk.sections, [](const ThunkSection& s) { return s.name.ends_with("e_branch"); });
  std::size_t branches = 2;
  for (const ThunkSection& part : thunk.sections) {
    // Branches without thunks have no rows, but they are taken all the same.
    if (part.name.starts_with("branch_")) {
      branches = std::max<std::size_t>(branches, std::stoul(part.name.substr(7)) + 1);
    }
  }
  copy_to_host(sim, thunk, predicate ? 1 : 4);
  control_kernel(sim, thunk, "set_case_condition");
  const std::uint64_t taken = sim.decisions.below(branches);
  const std::string name =
      predicate ? (taken == 1 ? "true_branch" : "false_branch") : fmt::format("branch_{}", taken);
  run(sim, section(thunk, name));
}

void run_graph(Simulation& sim, const Thunk& thunk) {
  Recording& rec = sim.recording;
  sim.graph = {.inside = true, .annotation = rec.strings.intern(thunk.instruction)};
  const bool recorded_again = sim.options.rerecord_at_step >= 0 &&
                              sim.step >= static_cast<std::uint32_t>(sim.options.rerecord_at_step);
  auto& ids = sim.graph_ids[{&thunk, recorded_again ? 1u : 0u}];
  for (std::size_t d = ids.size(); d < sim.clocks.size(); ++d) ids.push_back(sim.next_graph_id++);
  sim.graph.ids = ids;
  const std::vector<Thunk>& content = section(thunk, "");
  sim.graph.first_node =
      number_nodes(content, [&](const Thunk& inner) { return work_of(sim, inner).size(); });
  for (std::size_t d = 0; d < sim.clocks.size(); ++d) {
    const std::int64_t start = call_host(sim, d,
                                         sim.options.style == Style::cuda
                                             ? fmt::format("cuGraphLaunch (CudaGraph:{})", ids[d])
                                             : "hipGraphLaunch",
                                         sim.graph.annotation, 9, 19);
    sim.graph.launched.push_back(start);
    sim.graph.calls.push_back(sim.calls);
    if (sim.options.command_buffer_events) {
      trace_me(sim, d, "command_buffer::execute", start - kMicrosecond / 4,
               sim.clocks[d].host - kMicrosecond / 4,
               {{"device", static_cast<std::int64_t>(d)},
                {"num_commands", static_cast<std::int64_t>(content.size())},
                {"num_executions", static_cast<std::int64_t>(sim.launches)}});
    }
  }
  run(sim, content);
  sim.graph = {};
}

void run_async(Simulation& sim, const Thunk& thunk, const std::vector<Thunk>& content) {
  const std::size_t stream = sim.stream;
  sim.stream = kAsync;
  run(sim, content);
  sim.stream = stream;
  std::vector<std::int64_t>& ends = sim.pending[thunk.instruction];
  ends.clear();
  for (const Clock& clock : sim.clocks) ends.push_back(clock.streams[kAsync]);
}

void await(Simulation& sim, const Thunk& thunk) {
  const auto found = sim.pending.find(facts_of(sim, thunk).operand);
  for (std::size_t d = 0; d < sim.clocks.size(); ++d) {
    Clock& clock = sim.clocks[d];
    const std::int64_t end = found == sim.pending.end() ? clock.streams[kAsync] : found->second[d];
    clock.streams[kCompute] = std::max(clock.streams[kCompute], end);
  }
}

void run_leaf(Simulation& sim, const Thunk& thunk) {
  const std::vector<Emission> work = work_of(sim, thunk);
  const std::int64_t start = sim.clocks[0].host;
  for (std::size_t i = 0; i < work.size(); ++i) emit(sim, thunk, work[i], i);
  if (sim.options.thunk_events && !sim.graph.inside && !work.empty()) {
    trace_me(sim, 0, thunk.instruction, start - kMicrosecond / 8,
             sim.clocks[0].host - kMicrosecond / 8);
  }
}

void run_one(Simulation& sim, const Thunk& thunk) {
  const bool graphs_now = sim.options.graphs && !sim.graph.inside &&
                          sim.step >= static_cast<std::uint32_t>(sim.options.warm_up_steps);
  if (thunk.kind == "kWhile") return run_while(sim, thunk);
  if (thunk.kind == "kConditional") return run_conditional(sim, thunk);
  if (thunk.kind == "kCommandBuffer") {
    return graphs_now ? run_graph(sim, thunk) : run(sim, section(thunk, ""));
  }
  if (thunk.kind.ends_with("Done")) return await(sim, thunk);
  const std::string outer = sim.within;
  if (!thunk.sections.empty()) {
    if (!thunk.instruction.empty()) sim.within = thunk.instruction;
    for (const ThunkSection& part : thunk.sections) {
      if (thunk.kind == "kAsyncStart") {
        run_async(sim, thunk, part.thunks);
      } else {
        run(sim, part.thunks);
      }
    }
  } else if (thunk.kind.ends_with("Start")) {
    // JAX up to 0.7 has kAllGatherStart … kAllGatherDone, without a wrapper around the work.
    sim.stream = kAsync;
    run_leaf(sim, thunk);
    sim.stream = kCompute;
    run_async(sim, thunk, {});
  } else {
    run_leaf(sim, thunk);
  }
  sim.within = outer;
}

void run(Simulation& sim, const std::vector<Thunk>& thunks) {
  for (const Thunk& thunk : thunks) run_one(sim, thunk);
}

void run_program(Simulation& sim, const Program& program, std::uint32_t row) {
  sim.program = &program;
  sim.program_row = row;
  std::vector<std::int64_t> starts;
  for (std::size_t d = 0; d < sim.clocks.size(); ++d) {
    sim.clocks[d].host += kMicrosecond;
    starts.push_back(sim.clocks[d].host - kMicrosecond);
    if (sim.options.profiling_warning) {
      trace_me(sim, d, "WARNING: CommandBuffer disabled when profiling", starts[d], starts[d]);
    }
  }
  ++sim.launches;
  run(sim, program.thunks);
  for (std::size_t d = 0; d < sim.clocks.size(); ++d) {
    trace_me(sim, d, program.module + ":XLA GPU module", starts[d], sim.clocks[d].host);
  }
}

}  // namespace

Recording simulate(const std::vector<Program>& programs, const SimulationOptions& options) {
  Simulation sim{.options = options,
                 .times = Random(options.seed, "times"),
                 .decisions = Random(options.seed, "decisions")};
  sim.clocks.resize(static_cast<std::size_t>(options.devices));
  Recording& rec = sim.recording;
  rec.host = options.host;
  rec.style = options.style;
  for (const Program& program : programs) {
    rec.programs.push_back(
        {.module = program.module, .program_id = program.program_id, .hlo = program.hlo});
  }
  open_lines(rec, options.devices);

  std::int64_t begin = kSessionStartPs + 47 * kMicrosecond;
  for (int step = 0; step < options.steps; ++step) {
    sim.step = static_cast<std::uint32_t>(step);
    rec.step_starts_ps.push_back(begin);
    for (std::size_t d = 0; d < sim.clocks.size(); ++d) {
      sim.clocks[d].host = begin + kMicrosecond + static_cast<std::int64_t>(d) * 700'000;
    }
    for (std::size_t p = 0; p < programs.size(); ++p) {
      run_program(sim, programs[p], static_cast<std::uint32_t>(p));
    }
    std::int64_t end = begin;
    for (const Clock& clock : sim.clocks) {
      end = std::max({end, clock.host, clock.streams[kCompute], clock.streams[kAsync]});
    }
    end += whole_ns(sim.times.between(5 * kMicrosecond, 60 * kMicrosecond));
    StringPool& strings = rec.strings;
    rec.host_lines[sim.clocks.size()].events.push_back(
        {.start_ps = begin,
         .duration_ps = end - begin,
         .name = strings.intern("train"),
         .stats = {{strings.intern("_r"), 1}, {strings.intern("step_num"), step}}});
    begin = end;
  }
  number_calls(rec, sim.calls, options.seed);
  for (Device& device : rec.devices) {
    std::erase_if(device.lines, [](const DeviceLine& line) { return line.events.empty(); });
  }
  sort_events(rec);
  return std::move(rec);
}

}  // namespace jaxtrace::synth

// mkcapture: makes synthetic captures, with the truth beside them, for tests, benchmarks and the
// demonstration.  Never installed.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "support/mutate.h"
#include "support/recording.h"
#include "support/scale.h"
#include "support/simulate.h"
#include "support/thunks.h"
#include "support/write_xplane.h"

namespace {

using namespace jaxtrace::synth;

struct Arguments {
  std::vector<std::string> directories;
  SimulationOptions simulation;
  WriteOptions write;
  std::string out;
  bool graphs_off = false, no_node_ids = false, no_copies = false;
  double drop = 0, reorder = 0;
  int wrong = 0, foreign = 0, memory = 0;
  std::vector<std::string> strip;
  bool derived = false, graph_level_trace = false;
};

std::ofstream open_out(const std::filesystem::path& path) {
  std::ofstream out(path, std::ios::binary);
  if (!out) throw std::runtime_error("cannot write " + path.string());
  return out;
}

/// OUT.xplane.pb -> OUT.truth.csv
std::filesystem::path truth_path(std::string out) {
  const std::string ending = ".xplane.pb";
  if (out.ends_with(ending)) out.resize(out.size() - ending.size());
  return out + ".truth.csv";
}

void strip(Recording& recording, const std::vector<std::string>& names) {
  const std::map<std::string, void (*)(Recording&)> kinds = {
      {"hlo_op", strip_hlo_op},         {"annotations", strip_annotations},
      {"program_id", strip_program_id}, {"correlation", strip_correlation_ids},
      {"node_ids", strip_node_ids},     {"graph_ids", strip_graph_ids},
      {"host", strip_host_events},      {"hlo", strip_hlo_protos},
      {"schedule", strip_schedules},    {"buffers", strip_buffer_assignments}};
  for (const std::string& name : names) {
    const auto found = kinds.find(name);
    if (found == kinds.end()) throw std::runtime_error("--strip knows no " + name);
    found->second(recording);
  }
}

void run_program(Arguments& arguments) {
  std::vector<Program> programs;
  for (const std::string& directory : arguments.directories) {
    programs.push_back(load_program(directory));
    programs.back().program_id = 17 + static_cast<std::int64_t>(programs.size() - 1) * 2;
  }
  SimulationOptions& options = arguments.simulation;
  options.graphs = !arguments.graphs_off;
  options.node_ids = !arguments.no_node_ids;
  options.predicate_copies = !arguments.no_copies;
  Recording recording = simulate(programs, options);
  if (arguments.graph_level_trace) collapse_graphs(recording);
  if (arguments.reorder > 0) reorder_in_graphs(recording, arguments.reorder, options.seed);
  if (arguments.drop > 0) drop_events(recording, arguments.drop, options.seed);
  if (arguments.wrong > 0) wrong_correlations(recording, arguments.wrong, options.seed);
  if (arguments.foreign > 0) add_foreign_copies(recording, arguments.foreign, options.seed);
  if (arguments.memory > 0) add_memory_events(recording, arguments.memory, options.seed);
  if (arguments.derived) add_derived_lines(recording);
  strip(recording, arguments.strip);

  std::ofstream file = open_out(arguments.out);
  write_xspace(recording, arguments.write, file);
  std::ofstream truth = open_out(truth_path(arguments.out));
  write_truth_header(truth);
  write_truth(recording, truth);
}

void run_kernels(const ScaleOptions& options, const std::string& out, bool with_truth) {
  std::ofstream file = open_out(out);
  std::ofstream truth;
  if (with_truth) truth = open_out(truth_path(out));
  write_scale(options, file, with_truth ? &truth : nullptr);
}

void run_events(std::uint64_t count, std::uint64_t seed, const std::string& out) {
  std::ofstream file = open_out(out);
  write_events(count, seed, file);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Makes synthetic *.xplane.pb captures with the truth beside them.", "mkcapture");
  app.require_subcommand(1);
  Arguments a;
  SimulationOptions& s = a.simulation;
  const std::map<std::string, Style> styles = {
      {"cuda", Style::cuda}, {"rocm", Style::rocm}, {"roctracer", Style::roctracer}};

  CLI::App* program = app.add_subcommand(
      "program", "Executions of compiled programs (directories with hlo.pb.gz and thunks.csv)");
  program->add_option("directory", a.directories, "One or more; all run in every step")->required();
  program->add_option("--devices", s.devices, "GPUs")->capture_default_str();
  program->add_option("--steps", s.steps, "Executions")->capture_default_str();
  program->add_option("--seed", s.seed, "Another seed, another capture")->capture_default_str();
  program->add_option("--host", s.host, "Host name")->capture_default_str();
  program->add_option("--style", s.style, "cuda, rocm or roctracer")
      ->transform(CLI::CheckedTransformer(styles));
  program->add_flag("--graphs-off", a.graphs_off, "Command buffers off: every hlo_op is true");
  program->add_flag("--no-node-ids", a.no_node_ids, "CUDA without cuda_graph_node_id");
  program->add_flag("--telemetry", s.telemetry, "Graph kernels carry their true hlo_op");
  program->add_flag("--graph-level-trace", a.graph_level_trace, "One event per graph launch");
  program->add_option("--warm-up", s.warm_up_steps, "Steps that run graphs thunk by thunk");
  program->add_option("--rerecord-at", s.rerecord_at_step, "Step from which graphs are new");
  program->add_flag("--command-buffer-events", s.command_buffer_events, "Host TraceMe events");
  program->add_flag("--thunk-events", s.thunk_events, "Host TraceMe events of direct thunks");
  program->add_flag("--no-predicate-copies", a.no_copies, "Leave out D2H copies of predicates");
  program->add_flag("--vary-helpers", s.vary_helpers, "Convolutions vary from call to call");
  program->add_option("--drop", a.drop, "Share of device events that the tracer lost");
  program->add_option("--reorder", a.reorder, "Share of neighbours in graphs that swap places");
  program->add_option("--wrong-correlations", a.wrong, "Pairs of kernels with a wait's id");
  program->add_option("--foreign-copies", a.foreign, "Copies outside of executions, per device");
  program->add_option("--memory-events", a.memory, "Allocations and overhead, per device");
  program->add_flag("--derived-lines", a.derived, "XLA Ops, XLA Modules and Steps lines");
  program->add_option("--strip", a.strip,
                      "hlo_op, annotations, program_id, correlation, node_ids, graph_ids, host, "
                      "hlo, schedule, buffers");
  program->add_option("--shuffle", a.write.shuffle, "Seed for the order of planes, lines, stats");
  program->add_flag("--old-metadata", a.write.old_metadata, "Program ids as JAX up to 0.9");
  program->add_option("--shift-ns", a.write.shift_ns, "Added to every line's timestamp");
  program->add_option("-o,--out", a.out, "OUT.xplane.pb; OUT.truth.csv goes beside it")->required();

  ScaleOptions scale;
  bool with_truth = false;
  CLI::App* kernels =
      app.add_subcommand("kernels", "Many launches of one graph, written piecewise");
  kernels->add_option("--devices", scale.devices, "GPUs")->capture_default_str();
  kernels->add_option("--kernels", scale.kernels, "Per device")->capture_default_str();
  kernels->add_option("--graph-slots", scale.graph_slots, "0: direct launches")
      ->capture_default_str();
  kernels->add_option("--seed", scale.seed, "Another seed, another capture")->capture_default_str();
  kernels->add_flag("--truth", with_truth, "Write OUT.truth.csv, too");
  kernels->add_option("-o,--out", a.out, "OUT.xplane.pb")->required();

  std::uint64_t count = 20'000'000;
  CLI::App* events = app.add_subcommand("events", "Direct launches, to measure readers on");
  events->add_option("--count", count, "Device events; 20M and 20k are understood")
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, std::uint64_t>{{"k", 1'000}, {"M", 1'000'000}},
          CLI::AsNumberWithUnit::CASE_SENSITIVE));
  events->add_option("--seed", scale.seed, "Another seed, another capture")->capture_default_str();
  events->add_option("-o,--out", a.out, "OUT.xplane.pb")->required();

  CLI11_PARSE(app, argc, argv);
  try {
    if (*program) run_program(a);
    if (*kernels) run_kernels(scale, a.out, with_truth);
    if (*events) run_events(count, scale.seed, a.out);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mkcapture: %s\n", error.what());
    return 1;
  }
  return 0;
}

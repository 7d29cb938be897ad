// rocprofv3's CSVs of the same run, in the directory or beside it:
//
//   "Kind","Agent_Id",…,"Dispatch_Id","Kernel_Id","Kernel_Name",…,"LDS_Block_Size","Scratch_Size",
//     "VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X",…,"Grid_Size_Z"
//   "KERNEL_DISPATCH","Agent 2",…,3,4,"gemm_prefetch",…,8192,0,64,0,32,256,1,1,59392,1,1
//
//   "Node_Id","Logical_Node_Id","Agent_Type",…,"Cu_Count",…,"Name"        (…_agent_info.csv)
//   2,2,"GPU",…,256,…,"gfx950"
//
// A CSV of another run has other dispatches under the same numbers, so a row counts as the
// dispatch's only if the kernel's name is right too.  Without such a row, those of the same kernel
// stand in, and if they differ all variants are kept.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <tuple>

#include "jaxtrace/error.h"
#include "readers/att_notes.h"
#include "readers/att_parts.h"
#include "readers/csv.h"
#include "readers/mapped_file.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostVariants = 16;
constexpr std::string_view kTraces = "kernel_trace";
constexpr std::string_view kAgents = "agent_info";

// ---- Names of kernels

std::string_view without_suffixes(std::string_view name) {
  for (const std::string_view suffix : {" [clone .kd]", ".kd"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return name;
}

/// "micro_tk" of "void ns::micro_tk<8>(micro_globals)", as `truncate_kernels: true` writes it.
std::string_view short_name(std::string_view demangled) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  if (const std::size_t at = demangled.find(kAnonymous);
      at != std::string_view::npos && demangled.find('<') > at) {
    demangled.remove_prefix(at + kAnonymous.size());
  }
  demangled = demangled.substr(0, demangled.find_first_of("<("));
  if (const std::size_t at = demangled.find_last_of(": "); at != std::string_view::npos) {
    demangled.remove_prefix(at + 1);
  }
  return demangled;
}

bool is_kernel(const ThreadTrace& trace, std::string_view name) {
  name = without_suffixes(name);
  if (name.empty()) return false;
  return std::ranges::any_of(trace.kernels, [&](const TracedKernel& kernel) {
    return name == without_suffixes(kernel.symbol) || name == kernel.demangled ||
           (!kernel.demangled.empty() && name == short_name(kernel.demangled));
  });
}

// ---- Files

/// CSVs of a directory with this word in their names, sorted.
std::vector<fs::path> csvs(const fs::path& directory, std::string_view word) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), last; !error && entry != last;
       entry.increment(error)) {
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".csv") && name.find(word) != std::string::npos &&
        entry->is_regular_file(ignored)) {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// The directory itself, then the one above.
std::vector<fs::path> places(const ThreadTrace& trace) {
  std::error_code error;
  const fs::path above = fs::weakly_canonical(trace.directory, error).parent_path();
  if (error || above.empty()) return {trace.directory};
  return {trace.directory, above};
}

struct Agent {
  std::int64_t id = 0;
  std::string arch;
  std::optional<std::int64_t> compute_units;
};

std::vector<Agent> read_agents(const fs::path& path) {
  std::vector<Agent> agents;
  const MappedFile file(path);
  CsvReader csv(file.bytes());
  const std::size_t id = csv.column({"Logical_Node_Id", "Node_Id"});
  const std::size_t type = csv.column("Agent_Type");
  const std::size_t name = csv.column("Name");
  const std::size_t units = csv.column("Cu_Count");
  while (csv.next()) {
    if (csv[type] != "GPU") continue;
    agents.push_back({.id = csv_id(csv[id]).value_or(-1),
                      .arch = std::string(csv[name]),
                      .compute_units = csv_integer(csv[units])});
  }
  return agents;
}

/// The agent of that id; else what all agents agree on.
Agent agent_of(const std::vector<Agent>& agents, std::optional<std::int64_t> id) {
  for (const Agent& agent : agents) {
    if (id && agent.id == *id) return agent;
  }
  if (agents.empty()) return {};
  Agent common = agents.front();
  for (const Agent& agent : agents) {
    if (agent.arch != common.arch) common.arch.clear();
    if (agent.compute_units != common.compute_units) common.compute_units.reset();
  }
  return common;
}

/// The agents of the run that wrote `trace_csv`: "12_agent_info.csv" for "12_kernel_trace.csv",
/// else the first there is.
std::vector<Agent> agents_beside(const fs::path& trace_csv) {
  std::string name = trace_csv.filename().string();
  name.replace(name.find(kTraces), kTraces.size(), kAgents);
  const fs::path of_run = trace_csv.parent_path() / name;
  std::error_code ignored;
  if (fs::is_regular_file(of_run, ignored)) return read_agents(of_run);
  const auto files = csvs(trace_csv.parent_path(), kAgents);
  return files.empty() ? std::vector<Agent>() : read_agents(files.front());
}

// ---- Rows of kernel_trace.csv

/// X × Y × Z, or the one column of older versions.
std::optional<std::int64_t> product(const CsvReader& csv,
                                    const std::array<std::size_t, 4>& columns) {
  if (const auto whole = csv_integer(csv[columns[3]])) return whole;
  std::int64_t result = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto factor = csv_integer(csv[columns[i]]);
    if (!factor || *factor < 1) return std::nullopt;
    if (__builtin_mul_overflow(result, *factor, &result)) return std::nullopt;
  }
  return result;
}

std::array<std::size_t, 4> size_columns(const CsvReader& csv, const std::string& name) {
  return {csv.column(name + "_X"), csv.column(name + "_Y"), csv.column(name + "_Z"),
          csv.column(name)};
}

std::optional<std::int64_t> not_negative(std::string_view cell) {
  const auto number = csv_integer(cell);
  return number && *number >= 0 ? number : std::nullopt;
}

auto needs(const DispatchResources& row) {
  return std::tie(row.kernel, row.arch, row.workgroup_size, row.vgprs, row.accum_vgprs, row.sgprs,
                  row.lds_bytes, row.scratch_bytes, row.compute_units);
}

/// Keeps a row if it is a new variant; grids and dispatches of one variant may differ.
void keep(std::vector<DispatchResources>& variants, DispatchResources row) {
  for (DispatchResources& known : variants) {
    if (needs(known) != needs(row)) continue;
    if (known.grid_size != row.grid_size) known.grid_size.reset();
    if (known.dispatch != row.dispatch) known.dispatch.reset();
    return;
  }
  if (variants.size() < kMostVariants) variants.push_back(std::move(row));
}

struct Matches {
  std::vector<DispatchResources> by_dispatch, by_name;
  std::int64_t impossible_accum = 0;
};

void read_trace_csv(const fs::path& path, ThreadTrace& trace, Matches& matches) {
  // rocprofiler-sdk of 2024 computed it in unsigned arithmetic that wraps; no wave has more.
  constexpr std::int64_t kMostAccum = 512;
  const std::vector<Agent> agents = agents_beside(path);
  const MappedFile file(path);
  CsvReader csv(file.bytes());
  const std::size_t name = csv.column("Kernel_Name");
  const std::size_t dispatch = csv.column("Dispatch_Id");
  const std::size_t agent = csv.column("Agent_Id");
  const std::size_t vgprs = csv.column("VGPR_Count");
  const std::size_t accum = csv.column("Accum_VGPR_Count");
  const std::size_t sgprs = csv.column("SGPR_Count");
  const std::size_t lds = csv.column({"LDS_Block_Size", "Group_Segment_Size"});
  const std::size_t scratch = csv.column({"Scratch_Size", "Private_Segment_Size"});
  const auto workgroup = size_columns(csv, "Workgroup_Size");
  const auto grid = size_columns(csv, "Grid_Size");
  while (csv.next()) {
    if (!is_kernel(trace, csv[name])) continue;
    DispatchResources row;
    row.kernel = csv[name];
    row.file = path.filename().string();
    row.dispatch = csv_integer(csv[dispatch]);
    row.workgroup_size = product(csv, workgroup);
    row.grid_size = product(csv, grid);
    row.vgprs = not_negative(csv[vgprs]);
    row.accum_vgprs = csv_integer(csv[accum]);
    if (row.accum_vgprs && (*row.accum_vgprs < 0 || *row.accum_vgprs > kMostAccum)) {
      matches.impossible_accum = *row.accum_vgprs;
      row.accum_vgprs.reset();
    }
    row.sgprs = not_negative(csv[sgprs]);
    row.lds_bytes = not_negative(csv[lds]);
    row.scratch_bytes = not_negative(csv[scratch]);
    const Agent where = agent_of(agents, csv_id(csv[agent]));
    row.arch = where.arch;
    row.compute_units = where.compute_units;
    row.by_dispatch = trace.dispatch && row.dispatch == trace.dispatch;
    keep(row.by_dispatch ? matches.by_dispatch : matches.by_name, row);
  }
  add_csv_findings(csv, path.filename().string(), trace.findings);
}

void add_agents_alone(const fs::path& place, ThreadTrace& trace) {
  const auto files = csvs(place, kAgents);
  if (files.empty()) return;
  const Agent agent = agent_of(read_agents(files.front()), std::nullopt);
  if (agent.arch.empty()) return;
  DispatchResources row;
  row.file = files.front().filename().string();
  row.arch = agent.arch;
  row.compute_units = agent.compute_units;
  trace.resources.push_back(std::move(row));
}

void say_what_matched(ThreadTrace& trace) {
  const DispatchResources& first = trace.resources.front();
  const std::string where = trace.name + ", " + first.file;
  if (trace.resources.size() > 1) {
    note(trace.findings, Severity::error, "att-resources-differ",
         fmt::format("the kernel's dispatches were given {} different sets of registers, LDS or "
                     "workgroup sizes, and none is known to be this one's; all are shown",
                     trace.resources.size()),
         where);
  } else if (!first.by_dispatch && trace.dispatch) {
    note(trace.findings, Severity::note, "att-matched-by-name",
         fmt::format(
             "has no dispatch {} of this kernel, so registers and LDS are those of its other "
             "dispatches",
             *trace.dispatch),
         where);
  }
}

}  // namespace

void read_att_resources(ThreadTrace& trace) {
  for (const fs::path& place : places(trace)) {
    Matches matches;
    for (const fs::path& path : csvs(place, kTraces)) {
      try {
        read_trace_csv(path, trace, matches);
      } catch (const InputError&) {
        note(trace.findings, Severity::data_loss, "att-part-unreadable", "cannot be read",
             trace.name + ", " + path.filename().string());
      }
    }
    trace.resources =
        matches.by_dispatch.empty() ? std::move(matches.by_name) : std::move(matches.by_dispatch);
    if (trace.resources.empty()) continue;
    if (matches.impossible_accum != 0) {
      note(trace.findings, Severity::note, "att-impossible-registers",
           fmt::format("Accum_VGPR_Count is {}, which no wave can have; it is taken for unknown",
                       matches.impossible_accum),
           trace.name + ", " + trace.resources.front().file);
    }
    say_what_matched(trace);
    return;
  }
  for (const fs::path& place : places(trace)) {
    try {
      add_agents_alone(place, trace);
    } catch (const InputError&) {
      continue;  // It would only have named the GPU, which the instructions may tell as well.
    }
    if (!trace.resources.empty()) return;
  }
}

}  // namespace jaxtrace

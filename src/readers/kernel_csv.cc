// Grids are in work-items in all of these, in one column or in three.
#include "readers/kernel_csv.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "jaxtrace/error.h"
#include "readers/agent_info.h"
#include "readers/csv.h"
#include "readers/csv_kind.h"
#include "readers/mapped_file.h"
#include "readers/side_files.h"
#include "readers/time_rows.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

using Number = std::optional<std::int64_t>;

/// A size in one column, or in three that multiply.
struct SizeColumns {
  std::size_t whole, x, y, z;

  SizeColumns(const CsvReader& csv, const std::string& name, const char* other)
      : whole(csv.column({name, std::string_view(other)})),
        x(csv.column(name + "_X")),
        y(csv.column(name + "_Y")),
        z(csv.column(name + "_Z")) {}

  Number of(const CsvReader& csv) const {
    if (whole != CsvReader::kNoColumn) return csv_integer(csv[whole]);
    Number product = 1;
    for (const std::size_t column : {x, y, z}) {
      const Number part = csv_integer(csv[column]);
      std::int64_t times = 0;
      if (!part || *part < 0 || __builtin_mul_overflow(*product, *part, &times)) return {};
      product = times;
    }
    return product;
  }
};

/// What the tool cannot have meant is absent: uninitialised memory was printed as registers once.
Number sane(Number value, std::int64_t most) {
  return value && *value >= 0 && *value <= most ? value : Number();
}

class DispatchReader {
 public:
  DispatchReader(const fs::path& path, const CsvReader& csv, bool counters)
      : gpus_(gpus_beside(path, rows_.times().findings)),
        counters_(counters),
        agent_(csv.column({"Agent_Id", "GPU_ID", "gpu-id"})),
        process_(csv.column({"Process_Id", "pid"})),
        dispatch_(csv.column({"Dispatch_Id", "Dispatch_ID", "Index"})),
        kernel_(csv.column({"Kernel_Name", "KernelName"})),
        correlation_(csv.column("Correlation_Id")),
        begin_(csv.column({"Start_Timestamp", "BeginNs"})),
        end_(csv.column({"End_Timestamp", "EndNs"})),
        vgprs_(csv.column({"VGPR_Count", "Arch_VGPR", "arch_vgpr"})),
        accum_(csv.column({"Accum_VGPR_Count", "Accum_VGPR", "accum_vgpr"})),
        sgprs_(csv.column({"SGPR_Count", "SGPR", "sgpr"})),
        lds_(csv.column({"LDS_Block_Size", "LDS_Per_Workgroup", "Group_Segment_Size", "lds"})),
        scratch_(
            csv.column({"Scratch_Size", "Scratch_Per_Workitem", "Private_Segment_Size", "scr"})),
        grid_(csv, "Grid_Size", "grd"),
        workgroup_(csv, "Workgroup_Size", "wgp") {
    rows_.times().file = path.string();
    rows_.times().source = counters ? TimesOf::counters : TimesOf::trace;
  }

  KernelTimes read(CsvReader& csv, Meter& meter) {
    while (csv.next()) {
      meter.reach(csv.position());
      if (csv[kernel_].empty()) {
        ++nameless_;
      } else if (!counters_ || is_new(csv)) {
        add(csv);
      }
    }
    std::vector<Finding>& findings = rows_.times().findings;
    add_csv_findings(csv, rows_.times().file, findings);
    if (nameless_ > 0) {
      findings.push_back({Severity::error, "row-without-kernel",
                          "a row was left out that names no kernel", rows_.times().file,
                          nameless_});
    }
    return std::move(rows_).finish();
  }

 private:
  /// Counter files have a row for each counter of a dispatch.
  bool is_new(const CsvReader& csv) {
    const auto number = csv_integer(csv[dispatch_]);
    const std::tuple key(csv_integer(csv[process_]).value_or(-1), csv_id(csv[agent_]).value_or(-1),
                         number.value_or(-1));
    if (!number || key == last_) return !number;
    last_ = key;
    return seen_.insert(key).second;
  }

  std::uint32_t device_of(const CsvReader& csv) {
    const std::string_view agent = csv[agent_];
    const std::string_view process = csv[process_];
    if (any_device_ && agent == last_agent_ && process == last_process_) return last_device_;
    last_agent_ = agent;
    last_process_ = process;
    any_device_ = true;
    const auto number = csv_id(agent);
    TimedDevice device;
    device.name = number ? "Agent " + std::to_string(*number) : std::string(agent);
    if (!process.empty()) device.process = "pid " + std::string(process);
    if (const AgentInfo* const gpu = number ? find_gpu(gpus_, *number) : nullptr) {
      device.arch = gpu->arch;
      device.product = gpu->product;
    }
    return last_device_ = rows_.device(device);
  }

  void add(const CsvReader& csv) {
    constexpr std::int64_t kMostRegisters = 1024;
    constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
    const LaunchShape shape{.grid = sane(grid_.of(csv), kMostBytes),
                            .workgroup = sane(workgroup_.of(csv), kMostRegisters * 64),
                            .vgprs = sane(csv_integer(csv[vgprs_]), kMostRegisters),
                            .accum_vgprs = sane(csv_integer(csv[accum_]), kMostRegisters),
                            .sgprs = sane(csv_integer(csv[sgprs_]), kMostRegisters),
                            .lds_bytes = sane(csv_integer(csv[lds_]), kMostBytes),
                            .scratch_bytes = sane(csv_integer(csv[scratch_]), kMostBytes)};
    TimedDispatch dispatch;
    dispatch.kernel = rows_.kernel(csv[kernel_]);
    dispatch.device = device_of(csv);
    dispatch.shape = rows_.shape(shape);
    dispatch.correlation = csv_integer(csv[correlation_]).value_or(-1);
    rows_.add(dispatch, csv_integer(csv[begin_]), csv_integer(csv[end_]));
  }

  TimeRows rows_;
  std::vector<AgentInfo> gpus_;
  bool counters_;
  std::size_t agent_, process_, dispatch_, kernel_, correlation_, begin_, end_;
  std::size_t vgprs_, accum_, sgprs_, lds_, scratch_;
  SizeColumns grid_, workgroup_;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen_;
  std::tuple<std::int64_t, std::int64_t, std::int64_t> last_{-2, -2, -2};
  std::string last_agent_, last_process_;
  bool any_device_ = false;
  std::uint32_t last_device_ = 0;
  std::uint64_t nameless_ = 0;
};

KernelTimes read_stats(const fs::path& path, CsvReader& csv) {
  const std::size_t name = csv.column("Name");
  const std::size_t calls = csv.column("Calls");
  const std::size_t total = csv.column("TotalDurationNs");
  const std::size_t least = csv.column("MinNs");
  const std::size_t most = csv.column("MaxNs");
  TimeRows rows;
  rows.times().file = path.string();
  rows.times().source = TimesOf::stats;
  std::uint64_t bad = 0;
  const auto picoseconds = [](Number ns) -> Number {
    std::int64_t ps = 0;
    if (!ns || *ns < 0 || __builtin_mul_overflow(*ns, std::int64_t{1000}, &ps)) return {};
    return ps;
  };
  while (csv.next()) {
    const Number count = csv_integer(csv[calls]);
    const Number sum = picoseconds(csv_integer(csv[total]));
    if (csv[name].empty() || !count || *count <= 0 || !sum) {
      ++bad;
      continue;
    }
    rows.times().sums.push_back({rows.kernel(csv[name]), *count, *sum,
                                 picoseconds(csv_integer(csv[least])),
                                 picoseconds(csv_integer(csv[most]))});
  }
  add_csv_findings(csv, path.string(), rows.times().findings);
  if (bad > 0) {
    rows.times().findings.push_back({Severity::error, "row-without-kernel",
                                     "a row was left out that names no kernel, or has no count or "
                                     "no time",
                                     path.string(), bad});
  }
  return std::move(rows).finish();
}

}  // namespace

KernelTimes read_kernel_csv(const fs::path& path, Meter& meter) {
  const MappedFile file(path);
  refuse_no_csv(path, file.bytes());
  meter.enter(file, file.bytes().data());
  CsvReader csv(file.bytes());
  const CsvKind kind = csv_kind(csv, path);
  const bool counters = kind == CsvKind::counters || kind == CsvKind::wide_counters;
  const bool times = csv.column({"Start_Timestamp", "BeginNs"}) != CsvReader::kNoColumn;
  KernelTimes result;
  if (kind == CsvKind::kernel_stats) {
    result = read_stats(path, csv);
  } else if (kind == CsvKind::kernel_trace || (counters && times)) {
    result = DispatchReader(path, csv, counters).read(csv, meter);
  } else {
    throw InputError(path.string(),
                     described(kind, csv) + (counters ? ", without times" : "") +
                         "; give a *_kernel_trace.csv, *_kernel_stats.csv or *_results.db of "
                         "rocprofv3, or a capture of the JAX profiler");
  }
  meter.leave(csv.position());
  return result;
}

bool read_graph_calls(const fs::path& path, std::vector<GraphCall>& calls,
                      std::vector<Finding>& findings) {
  const MappedFile file(path);
  CsvReader csv(file.bytes());
  if (csv_kind(csv, path) != CsvKind::api_trace) return false;
  const std::size_t function = csv.column("Function");
  const std::size_t correlation = csv.column("Correlation_Id");
  const std::size_t begin = csv.column("Start_Timestamp");
  const std::size_t end = csv.column("End_Timestamp");
  while (csv.next()) {
    if (csv[function].find("GraphLaunch") == std::string_view::npos) continue;
    const Number id = csv_integer(csv[correlation]);
    const Number from = csv_integer(csv[begin]);
    const Number to = csv_integer(csv[end]);
    constexpr std::int64_t kLongest = std::int64_t{1} << 50;  // ns: 13 days, and fits in ps
    if (id && from && to && *from >= 0 && *to >= *from && *to - *from <= kLongest) {
      calls.push_back({*id, *from, *to - *from});
    }
  }
  std::ranges::sort(
      calls, {}, [](const GraphCall& call) { return std::pair(call.begin_ns, call.correlation); });
  add_csv_findings(csv, path.string(), findings);
  return true;
}

}  // namespace jaxtrace

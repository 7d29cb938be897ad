#include "readers/rocpd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "jaxtrace/error.h"
#include "readers/sqlite.h"
#include "readers/time_rows.h"

namespace jaxtrace {
namespace {

constexpr std::string_view kDispatches = "rocpd_kernel_dispatch";

bool has_table(const Database& database, std::string_view name) {
  return std::ranges::find(database.tables(), name) != database.tables().end();
}

/// The uuids of the processes: what follows the name of each table of dispatches.
std::vector<std::string> suffixes(const Database& database) {
  std::vector<std::string> result;
  for (const std::string& table : database.tables()) {
    if (table.starts_with(kDispatches)) result.push_back(table.substr(kDispatches.size()));
  }
  return result;
}

std::string schema_of(Database& database, const std::string& suffix) {
  TableRows rows(database, "rocpd_metadata" + suffix, {"tag", "value"});
  while (rows.next()) {
    if (rows.text(0) == "schema_version") return std::string(rows.text(1));
  }
  return {};
}

[[noreturn]] void refuse(const std::filesystem::path& path, Database& database) {
  const auto fail = [&](const std::string& what) { throw InputError(path.string(), what); };
  if (has_table(database, "rocpd_op") || has_table(database, "rocpd_api")) {
    fail(
        fmt::format("is an RPD database (schema {}), whose tables mean other things than those of "
                    "rocprofv3; record with rocprofv3 --kernel-trace",
                    schema_of(database, "").empty() ? "2" : schema_of(database, "")));
  }
  const auto any = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](auto name) { return has_table(database, name); });
  };
  if (any({"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"})) {
    fail("is a database of Nsight Systems; give a *.xplane.pb of the JAX profiler");
  }
  if (any({"A", "HIP", "HSA", "KFD", "COPY", "OPS", "rocTX"})) {
    fail("is a database of rocprof (version 1); record with rocprofv3 --kernel-trace");
  }
  if (database.tables().empty()) {
    fail("is a database without tables: the profiler did not finish writing it");
  }
  fail("is a database without kernel dispatches of rocprofv3: its first table is " +
       database.tables().front().substr(0, 60));
  throw InputError(path.string(), "cannot be read");
}

/// The tables of one process.
class Process {
 public:
  Process(Database& database, std::string suffix, TimeRows& rows)
      : database_(database), suffix_(std::move(suffix)), rows_(rows) {
    read_kernels();
    read_agents();
    read_processes();
  }

  void read_dispatches();

 private:
  struct Kernel {
    std::string name;
    LaunchShape shape;  ///< Registers
  };

  std::string table(std::string_view name) const { return std::string(name) + suffix_; }
  void read_kernels();
  void read_agents();
  void read_processes();
  TimedDevice device_of(std::int64_t agent, std::int64_t process) const;
  void note_damage(const TableRows& rows, std::string_view what);

  Database& database_;
  std::string suffix_;
  TimeRows& rows_;
  std::unordered_map<std::int64_t, Kernel> kernels_;
  std::unordered_map<std::int64_t, TimedDevice> agents_;
  std::unordered_map<std::int64_t, std::int64_t> pids_;
};

void Process::note_damage(const TableRows& rows, std::string_view what) {
  if (rows.damaged().empty()) return;
  rows_.times().findings.push_back(
      {Severity::error, "database-damaged",
       fmt::format("its {} cannot be read to the end ({}); what came before is used", what,
                   rows.damaged()),
       rows_.times().file, 1});
}

void Process::read_kernels() {
  TableRows rows(
      database_, table("rocpd_info_kernel_symbol"),
      {"id", "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count", "sgpr_count"});
  while (rows.next()) {
    const auto id = rows.integer(0);
    if (!id) continue;
    Kernel kernel;
    kernel.name = rows.text(rows.text(1).empty() ? 2 : 1);
    kernel.shape.vgprs = rows.integer(3);
    kernel.shape.accum_vgprs = rows.integer(4);
    kernel.shape.sgprs = rows.integer(5);
    kernels_.emplace(*id, std::move(kernel));
  }
  note_damage(rows, "table of kernels");
}

void Process::read_agents() {
  TableRows rows(database_, table("rocpd_info_agent"),
                 {"id", "absolute_index", "name", "product_name"});
  while (rows.next()) {
    const auto id = rows.integer(0);
    if (!id) continue;
    TimedDevice device;
    device.name = fmt::format("Agent {}", rows.integer(1).value_or(*id));
    device.arch = rows.text(2);
    device.product = rows.text(3);
    agents_.emplace(*id, std::move(device));
  }
}

void Process::read_processes() {
  TableRows rows(database_, table("rocpd_info_process"), {"id", "pid"});
  while (rows.next()) {
    const auto id = rows.integer(0);
    if (id) pids_.emplace(*id, rows.integer(1).value_or(*id));
  }
}

TimedDevice Process::device_of(std::int64_t agent, std::int64_t process) const {
  TimedDevice device;
  const auto known = agents_.find(agent);
  if (known != agents_.end()) {
    device = known->second;
  } else {
    device.name = fmt::format("Agent {}", agent);
  }
  const auto pid = pids_.find(process);
  device.process = fmt::format("pid {}", pid == pids_.end() ? process : pid->second);
  return device;
}

void Process::read_dispatches() {
  TableRows rows(database_, table(kDispatches),
                 {"kernel_id", "agent_id", "pid", "start", "end", "private_segment_size",
                  "group_segment_size", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z",
                  "grid_size_x", "grid_size_y", "grid_size_z"});
  const auto product = [&](std::size_t first) -> std::optional<std::int64_t> {
    std::int64_t result = 1;
    for (std::size_t i = first; i < first + 3; ++i) {
      const auto part = rows.integer(i);
      if (!part || __builtin_mul_overflow(result, *part, &result)) return std::nullopt;
    }
    return result;
  };
  std::uint64_t nameless = 0;
  while (rows.next()) {
    const auto kernel = kernels_.find(rows.integer(0).value_or(-1));
    TimedDispatch dispatch;
    LaunchShape shape;
    if (kernel != kernels_.end()) {
      shape = kernel->second.shape;
      dispatch.kernel = rows_.kernel(kernel->second.name);
    } else {
      ++nameless;
      dispatch.kernel = rows_.kernel(fmt::format("kernel {}", rows.integer(0).value_or(-1)));
    }
    shape.scratch_bytes = rows.integer(5);
    shape.lds_bytes = rows.integer(6);
    shape.workgroup = product(7);
    shape.grid = product(10);
    dispatch.shape = rows_.shape(shape);
    dispatch.device =
        rows_.device(device_of(rows.integer(1).value_or(-1), rows.integer(2).value_or(-1)));
    rows_.add(dispatch, rows.integer(3), rows.integer(4));
  }
  note_damage(rows, "table of dispatches");
  if (nameless > 0) {
    rows_.times().findings.push_back({Severity::error, "kernel-without-name",
                                      "a dispatch is of a kernel that the database does not name",
                                      rows_.times().file, nameless});
  }
}

}  // namespace

KernelTimes read_rocpd(const std::filesystem::path& path) {
  TimeRows rows;
  rows.times().file = path.string();
  rows.times().source = TimesOf::database;
  Database database(path, rows.times().findings);
  const std::vector<std::string> processes = suffixes(database);
  if (processes.empty()) refuse(path, database);
  for (const std::string& suffix : processes) {
    const std::string schema = schema_of(database, suffix);
    if (schema != "3" && !schema.starts_with("3.")) {
      throw InputError(
          path.string(),
          fmt::format("is a rocpd database of schema {}, and only 3 is known; export it "
                      "as CSV with rocpd",
                      schema.empty() ? "unknown" : schema));
    }
    Process(database, suffix, rows).read_dispatches();
  }
  KernelTimes times = std::move(rows).finish();
  if (times.dispatches.empty()) {
    const bool damaged = std::ranges::find(times.findings, "database-damaged", &Finding::code) !=
                         times.findings.end();
    throw InputError(path.string(), damaged ? "is damaged: no dispatch can be read from it"
                                            : "holds no kernel dispatch: nothing was recorded, or "
                                              "--kernel-trace was not given");
  }
  return times;
}

}  // namespace jaxtrace

// Counter files of rocprofv3 (a row a dispatch and counter) and of rocprof and rocprof-compute (a
// row a dispatch, a column a counter):
//
//   "Correlation_Id","Dispatch_Id","Agent_Id",…,"Kernel_Name",…,"Counter_Name","Counter_Value",…
//   1,1,"Agent 4",…,"gemm",…,"TCC_HIT_sum",16384.000000,…
//
//   Dispatch_ID,Kernel_Name,GPU_ID,…,wave_size_1,obj_1,TCC_HIT[0],TCC_HIT[1],…,TCC_HIT_sum,…
//   0,gemm [clone .kd],2,…,64,0x7fa6,1111,1180,…,73002.0,…
//
// A dispatch number is unique within a process and an agent only.  Columns that no version of the
// long form has are taken for dimensions (XCC, instance), whose rows are parts of one value.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <system_error>
#include <utility>

#include "jaxtrace/counters.h"
#include "jaxtrace/error.h"
#include "readers/agent_info.h"
#include "readers/counter_rows.h"
#include "readers/csv.h"
#include "readers/csv_kind.h"
#include "readers/mapped_file.h"
#include "readers/meter.h"
#include "readers/side_files.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

/// Of the long form, in all its versions.
constexpr std::array<std::string_view, 24> kLongColumns = {
    "Guid",           "Correlation_Id", "Dispatch_Id",      "Agent_Id",        "Queue_Id",
    "Process_Id",     "Thread_Id",      "Grid_Size",        "Kernel_Id",       "Kernel_Name",
    "Workgroup_Size", "LDS_Block_Size", "Scratch_Size",     "VGPR_Count",      "Accum_VGPR_Count",
    "SGPR_Count",     "Counter_Name",   "Counter_Value",    "Start_Timestamp", "End_Timestamp",
    "Stream_Id",      "Kind",           "LDS_Block_Size_v", "Counter_Id"};

constexpr double kMostCounts = 70368744177664.0;  // 2^46: requests for petabytes in one dispatch

/// What one file gives to the whole.
class FileReader {
 public:
  FileReader(const fs::path& path, const CsvReader& csv, CounterRows& rows)
      : name_(path.string()), rows_(rows), gpus_(gpus_beside(path, rows.data().findings)) {
    process_ = csv.column({"Process_Id", "pid"});
    agent_ = csv.column({"Agent_Id", "GPU_ID", "gpu-id"});
    dispatch_ = csv.column({"Dispatch_Id", "Dispatch_ID", "Index", "Correlation_Id"});
    kernel_ = csv.column({"Kernel_Name", "KernelName"});
    grid_ = csv.column({"Grid_Size", "grd"});
    workgroup_ = csv.column({"Workgroup_Size", "wgp"});
    begin_ = csv.column({"Start_Timestamp", "BeginNs"});
    end_ = csv.column({"End_Timestamp", "EndNs"});
  }

  void read_long(CsvReader& csv, Meter& meter);
  void read_wide(CsvReader& csv, Meter& meter);

 private:
  std::uint32_t dispatch_of(const CsvReader& csv);
  std::uint32_t recording_of(std::string_view process);
  std::uint32_t agent_of(std::string_view agent);
  std::uint16_t part_of(const CsvReader& csv, const std::vector<std::size_t>& dimensions);
  void add(std::uint32_t dispatch, const CounterName& counter, std::uint16_t part,
           std::string_view value);
  void times(const CsvReader& csv, CountedDispatch& dispatch);
  void finish(const CsvReader& csv);

  std::string name_;
  CounterRows& rows_;
  std::vector<AgentInfo> gpus_;
  std::size_t process_, agent_, dispatch_, kernel_, grid_, workgroup_, begin_, end_;
  bool wide_ = false;
  std::array<std::uint16_t, kL2Counters> pass_{};
  std::map<std::string, std::uint32_t, std::less<>> recordings_, agents_;
  std::map<std::string, std::uint16_t> parts_;
  std::uint64_t bad_values_ = 0, bad_rows_ = 0, bad_times_ = 0;
  std::string last_number_, last_agent_, last_process_, last_kernel_;
  std::uint32_t last_ = 0xffffffff;
};

std::uint32_t FileReader::recording_of(std::string_view process) {
  const auto known = recordings_.find(process);
  if (known != recordings_.end()) return known->second;
  const std::uint32_t row = rows_.add_recording({name_, csv_integer(process), wide_, pass_});
  recordings_.emplace(process, row);
  return row;
}

std::uint32_t FileReader::agent_of(std::string_view agent) {
  const auto known = agents_.find(agent);
  if (known != agents_.end()) return known->second;
  const auto number = csv_id(agent);
  CountedAgent made{
      .name = number ? fmt::format("{} {}", wide_ ? "GPU" : "Agent", *number) : std::string(agent),
      .arch = {},
      .product = {}};
  if (const AgentInfo* const gpu = number ? find_gpu(gpus_, *number) : nullptr) {
    made.arch = gpu->arch;
    made.product = gpu->product;
  }
  const std::uint32_t row = rows_.agent(std::move(made));
  agents_.emplace(agent, row);
  return row;
}

void FileReader::times(const CsvReader& csv, CountedDispatch& dispatch) {
  const auto begin = csv_integer(csv[begin_]);
  const auto end = csv_integer(csv[end_]);
  if (!begin || !end) return;
  dispatch.begin_ns = *begin;
  if (*begin <= 0 || *end < *begin) {
    ++bad_times_;
  } else {
    dispatch.duration_ns = *end - *begin;
  }
}

/// The dispatch of the row; kNone if the row does not name one.
constexpr std::uint32_t kNone = 0xffffffff;

std::uint32_t FileReader::dispatch_of(const CsvReader& csv) {
  const std::string_view number_text = csv[dispatch_];
  const std::string_view kernel = csv[kernel_];
  // Rows of a dispatch stand together, as a rule.
  if (last_ != kNone && number_text == last_number_ && csv[agent_] == last_agent_ &&
      csv[process_] == last_process_ && kernel == last_kernel_) {
    return last_;
  }
  const auto number = csv_integer(number_text);
  if (!number || kernel.empty()) {
    ++bad_rows_;
    return kNone;
  }
  CountedDispatch dispatch;
  dispatch.kernel = rows_.kernel(kernel);
  dispatch.agent = agent_of(csv[agent_]);
  dispatch.recording = recording_of(csv[process_]);
  dispatch.dispatch = *number;
  dispatch.grid = csv_integer(csv[grid_]).value_or(-1);
  dispatch.workgroup = csv_integer(csv[workgroup_]).value_or(-1);
  times(csv, dispatch);
  last_number_ = number_text;
  last_agent_ = csv[agent_];
  last_process_ = csv[process_];
  last_kernel_ = kernel;
  return last_ = rows_.dispatch(dispatch);
}

std::uint16_t FileReader::part_of(const CsvReader& csv,
                                  const std::vector<std::size_t>& dimensions) {
  if (dimensions.empty()) return 0;
  std::string text;
  for (const std::size_t column : dimensions) text.append(csv[column]).push_back('\n');
  constexpr std::size_t kMost = 0xfffe;
  if (parts_.size() >= kMost) return 0xffff;
  return parts_.emplace(std::move(text), static_cast<std::uint16_t>(parts_.size() + 1))
      .first->second;
}

void FileReader::add(std::uint32_t dispatch, const CounterName& counter, std::uint16_t part,
                     std::string_view value) {
  const auto number = csv_number(value);
  if (!number || *number < 0 || *number > kMostCounts) {
    ++bad_values_;
    return;
  }
  rows_.add(dispatch, counter, part, *number);
}

void FileReader::read_long(CsvReader& csv, Meter& meter) {
  const std::size_t name = csv.column("Counter_Name");
  const std::size_t value = csv.column("Counter_Value");
  std::vector<std::size_t> dimensions;
  for (std::size_t i = 0; i < csv.header().size(); ++i) {
    if (std::ranges::find(kLongColumns, csv.header()[i]) == kLongColumns.end()) {
      dimensions.push_back(i);
    }
  }
  std::map<std::string, std::optional<CounterName>, std::less<>> names;
  while (csv.next()) {
    meter.reach(csv.position());
    auto counter = names.find(csv[name]);
    if (counter == names.end()) {
      constexpr std::size_t kMostNames = 10'000;
      if (names.size() == kMostNames) names.clear();
      counter = names.emplace(csv[name], l2_counter(csv[name])).first;
      if (!counter->second) rows_.other_counter(csv[name]);
    }
    if (!counter->second) continue;
    const std::uint32_t dispatch = dispatch_of(csv);
    if (dispatch == kNone) continue;
    add(dispatch, *counter->second, part_of(csv, dimensions), csv[value]);
  }
  finish(csv);
}

void FileReader::read_wide(CsvReader& csv, Meter& meter) {
  wide_ = true;
  struct CounterColumn {
    std::size_t column;
    CounterName name;
  };
  std::vector<CounterColumn> counters;
  std::uint16_t pass = 0;
  std::array<bool, kL2Counters> sums{};
  for (std::size_t i = 0; i < csv.header().size(); ++i) {
    const std::string& header = csv.header()[i];
    // Columns that every pass has come again as wave_size_1, wave_size_2 …: a pass begins.
    if (header.starts_with("wave_size_") || header.starts_with("Wave_Size_")) ++pass;
    const auto name = l2_counter(header);
    if (!name) {
      constexpr std::array<std::string_view, 5> kBlocks = {"SQ", "TC", "TA_", "GRBM", "GL2C"};
      if (std::ranges::any_of(kBlocks, [&](auto block) { return header.starts_with(block); })) {
        rows_.other_counter(header);
      }
      continue;
    }
    counters.push_back({i, *name});
    // Of a sum and its instances the sum counts, and where it stands.
    if (name->sum || !sums[static_cast<std::size_t>(name->counter)]) {
      pass_[static_cast<std::size_t>(name->counter)] = pass;
      sums[static_cast<std::size_t>(name->counter)] = name->sum;
    }
  }
  while (csv.next()) {
    meter.reach(csv.position());
    const std::uint32_t dispatch = dispatch_of(csv);
    if (dispatch == kNone) continue;
    for (const CounterColumn& counter : counters) {
      // An empty cell is a pass that this dispatch was not in.
      if (!csv[counter.column].empty()) add(dispatch, counter.name, 0, csv[counter.column]);
    }
  }
  finish(csv);
}

void FileReader::finish(const CsvReader& csv) {
  std::vector<Finding>& findings = rows_.data().findings;
  add_csv_findings(csv, name_, findings);
  const auto note = [&](std::uint64_t count, Severity severity, const char* code,
                        const char* message) {
    if (count > 0) findings.push_back({severity, code, message, name_, count});
  };
  note(bad_values_, Severity::error, "counter-value",
       "a value was left out that no counter can have: negative, not a number or over 2^46");
  note(bad_rows_, Severity::error, "counter-row",
       "a row was left out that names no kernel or no dispatch");
  note(bad_times_, Severity::error, "counter-times",
       "the times of a dispatch cannot be right (it ends before it begins, or begins at 0) and are "
       "not used");
}

[[noreturn]] void refuse_without_counters(std::span<const fs::path> inputs,
                                          const CounterData& data) {
  std::string names;
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < std::min(data.other_counters.size(), kMost); ++i) {
    names += (i == 0 ? "" : ", ") + data.other_counters[i];
  }
  if (data.other_counters.size() > kMost) {
    names += fmt::format(" and {} more", data.other_counters.size() - kMost);
  }
  throw InputError(
      inputs[0].string() +
          (inputs.size() > 1 ? fmt::format(" and {} more", inputs.size() - 1) : ""),
      (names.empty() ? "holds no row of a counter"
                     : "holds no counter of the L2 cache, only " + names) +
          std::string("; collect TCC_HIT_sum and TCC_MISS_sum, or GL2C_HIT_sum and GL2C_MISS_sum "
                      "on gfx10 and later"));
}

void read_file(const fs::path& path, CounterRows& rows, Meter& meter) {
  const MappedFile file(path);
  refuse_no_csv(path, file.bytes());
  meter.enter(file, file.bytes().data());
  CsvReader csv(file.bytes());
  const CsvKind kind = csv_kind(csv, path);
  FileReader reader(path, csv, rows);
  if (kind == CsvKind::counters) {
    reader.read_long(csv, meter);
  } else if (kind == CsvKind::wide_counters) {
    reader.read_wide(csv, meter);
  } else {
    throw InputError(path.string(),
                     described(kind, csv) +
                         (kind == CsvKind::kernel_trace || kind == CsvKind::kernel_stats
                              ? ", which `jaxtrace kernels` reads"
                              : "") +
                         "; give a *_counter_collection.csv of rocprofv3 --pmc, or a pmc_perf.csv");
  }
  meter.leave(csv.position());
}

}  // namespace

CounterData read_counters(std::span<const fs::path> inputs, const ReadOptions& options) {
  CounterRows rows;
  const std::vector<fs::path> files = find_files(
      inputs, is_counter_file, "*_counter_collection.csv or pmc_perf.csv", rows.data().findings);
  Meter meter(options.progress, total_size(files));
  for (const fs::path& file : files) read_file(file, rows, meter);
  meter.finish();
  CounterData data = std::move(rows).finish();
  if (data.dispatches.empty()) refuse_without_counters(inputs, data);
  return data;
}

}  // namespace jaxtrace

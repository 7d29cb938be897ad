// Columns are compared by name; the kinds overlap, so the order of the questions matters.
#include "readers/csv_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "jaxtrace/counters.h"

namespace jaxtrace {
namespace {

bool has(const CsvReader& csv, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(
      names, [&](std::string_view name) { return csv.column(name) != CsvReader::kNoColumn; });
}

bool is_wide(const CsvReader& csv) {
  return std::ranges::any_of(
             csv.header(), [](const std::string& name) { return l2_counter(name).has_value(); }) ||
         has(csv, {"Kernel_Name", "GPU_ID"}) || has(csv, {"KernelName", "gpu-id"});
}

/// Statistics of anything have the columns of kernel statistics.
bool names_other_statistics(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 5> kOthers = {
      "api_stats", "domain_stats", "memory_copy_stats", "marker", "scratch_memory_stats"};
  const std::string name = path.filename().string();
  return std::ranges::any_of(
      kOthers, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

}  // namespace

CsvKind csv_kind(const CsvReader& csv, const std::filesystem::path& path) {
  if (has(csv, {"Counter_Name", "Counter_Value"})) return CsvKind::counters;
  if (has(csv, {"Agent_Type", "Node_Id"})) return CsvKind::agents;
  if (has(csv, {"Function", "Start_Timestamp", "End_Timestamp"})) return CsvKind::api_trace;
  if (has(csv, {"CodeObj", "Vaddr", "Instruction"})) return CsvKind::att_stats;
  if (has(csv, {"Name", "Calls", "TotalDurationNs"})) {
    return names_other_statistics(path) ? CsvKind::other_stats : CsvKind::kernel_stats;
  }
  const bool named = has(csv, {"Kernel_Name"}) || has(csv, {"KernelName"});
  if (named && is_wide(csv)) return CsvKind::wide_counters;
  if (has(csv, {"Kernel_Name", "Start_Timestamp", "End_Timestamp"})) return CsvKind::kernel_trace;
  return CsvKind::other;
}

std::string described(CsvKind kind, const CsvReader& csv) {
  switch (kind) {
    case CsvKind::counters:
      return "holds counters in long form";
    case CsvKind::wide_counters:
      return "holds counters in wide form";
    case CsvKind::kernel_trace:
      return "is a trace of kernels";
    case CsvKind::kernel_stats:
      return "holds statistics of kernels";
    case CsvKind::other_stats:
      return "holds statistics of other things than kernels";
    case CsvKind::api_trace:
      return "is a trace of API calls";
    case CsvKind::agents:
      return "describes processors";
    case CsvKind::att_stats:
      return "holds the instructions of a thread trace";
    case CsvKind::other:
      break;
  }
  if (csv.header().empty()) return "is empty";
  std::string columns;
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < std::min(csv.header().size(), kMost); ++i) {
    constexpr std::size_t kLongest = 40;
    columns += (i == 0 ? "" : ", ") + csv.header()[i].substr(0, kLongest);
  }
  if (csv.header().size() > kMost)
    columns += fmt::format(" and {} more", csv.header().size() - kMost);
  return "has the columns " + columns;
}

std::string run_prefix(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 8> kEndings = {
      "kernel_trace", "kernel_stats",  "counter_collection", "agent_info",
      "results",      "hip_api_trace", "hip_trace",          "hip_runtime_trace"};
  std::string name = path.filename().string();
  name.erase(std::min(name.rfind('.'), name.size()));
  for (const std::string_view ending : kEndings) {
    const std::size_t at = name.rfind(ending);
    if (at == std::string::npos) continue;
    const std::size_t end = at + ending.size();
    if (end < name.size() && name[end] != '.') continue;  // kernel_trace_old is another run's.
    name.erase(at);
    while (name.ends_with('_')) name.pop_back();
    return name;
  }
  return name;
}

}  // namespace jaxtrace

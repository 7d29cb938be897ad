// Kernel traces of rocprofv3, written row by row in a test.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace jaxtrace {

struct CsvKernel {
  std::string kernel = "gemm";
  std::int64_t begin_ns = 1000;
  std::int64_t end_ns = 2000;
  std::string agent = "Agent 4";
  std::int64_t correlation = 1;
  std::int64_t grid = 1024;
};

/// The form of ROCm 6.4 to 7; names are quoted as RFC 4180 has it.
inline std::string kernel_csv(const std::vector<CsvKernel>& rows) {
  std::string text =
      "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\","
      "\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\","
      "\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\","
      "\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\","
      "\"Grid_Size_Y\",\"Grid_Size_Z\"\n";
  int dispatch = 0;
  for (const CsvKernel& row : rows) {
    std::string name;
    for (const char byte : row.kernel) name += byte == '"' ? "\"\"" : std::string(1, byte);
    text += fmt::format(
        "\"KERNEL_DISPATCH\",\"{}\",1,1,7,{},9,\"{}\",{},{},{},512,0,64,4294966272,32,256,1,1,{},1,"
        "1\n",
        row.agent, ++dispatch, name, row.correlation, row.begin_ns, row.end_ns, row.grid);
  }
  return text;
}

struct StatsRow {
  std::string kernel;
  std::int64_t calls = 1, total_ns = 1000, least_ns = 1000, most_ns = 1000;
};

inline std::string stats_csv(const std::vector<StatsRow>& rows) {
  std::string text =
      "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\","
      "\"StdDev\"\n";
  for (const StatsRow& row : rows) {
    text += fmt::format("\"{}\",{},{},1.5,99.00,{},{},0.5\n", row.kernel, row.calls, row.total_ns,
                        row.least_ns, row.most_ns);
  }
  return text;
}

}  // namespace jaxtrace

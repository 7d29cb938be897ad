// Counter files of rocprofv3, written row by row in a test.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jaxtrace {

/// A dispatch of which the counters differ from row to row.
struct CounterRow {
  std::int64_t dispatch = 1;
  std::string_view counter;
  std::string value;
  std::string kernel = "pa_decode";
  std::string agent = "Agent 4";
  std::int64_t process = 100;
  std::int64_t grid = 1024;
  std::int64_t begin_ns = 0;  ///< 0: dispatch x 1,000,000
  std::int64_t duration_ns = 1000;
};

/// The long form of ROCm 6.4 to 7.
inline std::string counter_csv(const std::vector<CounterRow>& rows) {
  std::string text =
      "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_Id\","
      "\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\",\"LDS_Block_Size\","
      "\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\",\"Counter_Name\","
      "\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n";
  for (const CounterRow& row : rows) {
    const std::int64_t begin = row.begin_ns != 0 ? row.begin_ns : row.dispatch * 1'000'000;
    text +=
        fmt::format("{0},{0},\"{1}\",1,{2},{2},{3},7,\"{4}\",256,0,0,8,0,16,\"{5}\",{6},{7},{8}\n",
                    row.dispatch, row.agent, row.process, row.grid, row.kernel, row.counter,
                    row.value, begin, begin + row.duration_ns);
  }
  return text;
}

/// agent_info.csv with one GPU.
inline std::string agent_csv(std::int64_t node, std::string_view arch, std::string_view product) {
  return fmt::format(
      "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Cu_Count\",\"Name\",\"Vendor_Name\","
      "\"Product_Name\"\n0,0,\"CPU\",0,\"AMD EPYC\",\"CPU\",\"AMD EPYC\"\n"
      "{0},{0},\"GPU\",304,\"{1}\",\"AMD\",\"{2}\"\n",
      node, arch, product);
}

}  // namespace jaxtrace

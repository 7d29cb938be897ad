// agent_info.csv, which rocprofv3 puts beside its results: which GPU an agent number means.
//
//   "Node_Id","Logical_Node_Id","Agent_Type",…,"Name",…,"Product_Name",…
//   4,4,"GPU",…,"gfx942",…,"AMD Instinct MI300X",…
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "jaxtrace/finding.h"

namespace jaxtrace {

struct AgentInfo {
  std::int64_t node = 0;
  std::int64_t logical_node = 0;
  std::string arch;     ///< "gfx942"
  std::string product;  ///< "AMD Instinct MI300X"
};

/// The GPUs that the file beside `file` lists, or the one in the directory above (a pass has its
/// own folder); none if there is no such file, or more than one that could be meant.
std::vector<AgentInfo> gpus_beside(const std::filesystem::path& file,
                                   std::vector<Finding>& findings);

/// The GPU that a file calls "Agent N"; all alike serve as well as the right one.  nullptr if not
/// known.
const AgentInfo* find_gpu(const std::vector<AgentInfo>& gpus, std::int64_t agent);

}  // namespace jaxtrace

// A file of another prefix serves only if it is alone: nobody knows which run several are of.
#include "readers/agent_info.h"

#include <algorithm>
#include <optional>
#include <system_error>

#include "jaxtrace/error.h"
#include "readers/csv.h"
#include "readers/csv_kind.h"
#include "readers/mapped_file.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> agent_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory.empty() ? "." : directory, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().ends_with("agent_info.csv")) {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::optional<fs::path> agent_file_for(const fs::path& file) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(file, ignored);
  const fs::path directory = real.parent_path();
  for (const fs::path& place : {directory, directory.parent_path()}) {
    const std::vector<fs::path> files = agent_files(place);
    const auto same = std::ranges::find(files, run_prefix(file), run_prefix);
    if (same != files.end()) return *same;
    if (files.size() == 1) return files[0];
  }
  return std::nullopt;
}

std::vector<AgentInfo> read_gpus(const fs::path& path) {
  const MappedFile file(path);
  CsvReader csv(file.bytes());
  const std::size_t type = csv.column("Agent_Type");
  const std::size_t node = csv.column("Node_Id");
  const std::size_t logical = csv.column({"Logical_Node_Id", "Node_Id"});
  const std::size_t name = csv.column("Name");
  const std::size_t product = csv.column("Product_Name");
  std::vector<AgentInfo> gpus;
  while (csv.next()) {
    const auto number = csv_integer(csv[node]);
    if (csv[type] != "GPU" || !number) continue;
    gpus.push_back({*number, csv_integer(csv[logical]).value_or(*number), std::string(csv[name]),
                    std::string(csv[product])});
  }
  return gpus;
}

}  // namespace

std::vector<AgentInfo> gpus_beside(const fs::path& file, std::vector<Finding>& findings) {
  const std::optional<fs::path> found = agent_file_for(file);
  if (!found) return {};
  try {
    return read_gpus(*found);
  } catch (const InputError& error) {
    findings.push_back(
        {Severity::error, "agents-unread",
         "the description of the GPUs beside it was not read: " + std::string(error.what()),
         file.string(), 1});
    return {};
  }
}

const AgentInfo* find_gpu(const std::vector<AgentInfo>& gpus, std::int64_t agent) {
  // Agents are counted over CPUs and GPUs; both numbers agree unless some are hidden.
  for (const auto number : {&AgentInfo::node, &AgentInfo::logical_node}) {
    const auto found = std::ranges::find(gpus, agent, number);
    if (found != gpus.end()) return &*found;
  }
  const auto alike = [&](const AgentInfo& gpu) {
    return gpu.arch == gpus[0].arch && gpu.product == gpus[0].product;
  };
  return !gpus.empty() && std::ranges::all_of(gpus, alike) ? &gpus[0] : nullptr;
}

}  // namespace jaxtrace

// JSON by hand, so that nothing of the readers under test makes their input.
#include "support/att.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "jaxtrace/thread_trace_reader.h"

namespace jaxtrace::synth {

std::string code_json_raw(const std::string& rows, const std::string& header) {
  return "{\"code\": " + rows + (header.empty() ? "" : ", \"header\": " + header) +
         ", \"version\": \"3.0.0\"}";
}

std::string code_json(const std::vector<AttRow>& rows) {
  nlohmann::json code = nlohmann::json::array();
  std::int64_t address = 0x1000;
  for (const AttRow& row : rows) {
    code.push_back(
        {row.isa, 0, row.line, row.source, 2, address, row.hits, row.latency, row.stall, row.idle});
    if (!row.isa.starts_with(';')) address += 4;
  }
  return code_json_raw(code.dump(), fmt::format("\"{}\"", kAttHeader));
}

std::string wave_json(std::int64_t begin, std::int64_t end, const std::vector<AttStep>& steps,
                      const std::string& waits) {
  std::string list;
  for (const AttStep& step : steps) {
    list += fmt::format("{}[{},{},{},{},{}]", list.empty() ? "" : ",", step.time, step.category,
                        step.stall, step.duration, step.line);
  }
  return fmt::format(
      R"({{"duration":{},"name":"SE0","num_insts":{},"num_stitched":{},"wave":{{"begin":{},"cu":1,)"
      R"("end":{},"id":0,"instructions":[{}],"simd":0,"slot":0,"timeline":null,"waitcnt":{}}}}})",
      end - begin, steps.size(), steps.size(), begin, end, list, waits);
}

AttDir::AttDir(std::int64_t dispatch)
    : path_(scratch_.path() / fmt::format("ui_output_agent_7_dispatch_{}", dispatch)) {
  std::filesystem::create_directories(path_);
}

void AttDir::file(const std::string& name, const std::string& bytes) const {
  write_file(path_ / name, bytes);
}

ThreadTrace AttDir::read() const {
  return read_thread_trace(path_);
}

std::vector<std::string> codes(const std::vector<Finding>& findings) {
  std::vector<std::string> result;
  for (const Finding& finding : findings) result.push_back(finding.code);
  return result;
}

}  // namespace jaxtrace::synth

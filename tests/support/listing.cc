#include "support/listing.h"

#include <ios>
#include <sstream>
#include <string>

namespace jaxtrace {
namespace {

template <typename Use>
void for_each_line(std::string_view text, Use use) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos) use(line.substr(begin));
  }
}

}  // namespace

ThreadTrace listing(std::string_view text) {
  ThreadTrace trace;
  trace.name = "made";
  std::string source;
  for_each_line(text, [&](const std::string& line) {
    if (line.starts_with("; ")) {
      trace.kernels.push_back({line.substr(2), ""});
    } else if (line.starts_with("# ")) {
      source = line.substr(2);
    } else {
      if (trace.kernels.empty()) trace.kernels.emplace_back();
      Instruction i;
      std::istringstream fields(line);
      fields >> std::hex >> i.address >> std::dec >> i.hits >> i.latency_cycles >> i.stall_cycles >>
          i.idle_cycles >> std::ws;
      std::getline(fields, i.text);
      i.source = source;
      i.line = static_cast<std::int64_t>(trace.instructions.size()) + 1;
      i.kernel = static_cast<std::uint32_t>(trace.kernels.size()) - 1;
      trace.instructions.push_back(i);
    }
  });
  return trace;
}

ThreadTrace program(std::string_view text) {
  ThreadTrace trace;
  trace.name = "made";
  trace.kernels.emplace_back();
  for_each_line(text, [&](const std::string& line) {
    const auto row = static_cast<std::int64_t>(trace.instructions.size());
    Instruction i;
    i.text = line;
    i.line = row + 1;
    i.address = 0x1000 + 4 * row;
    i.hits = 1;
    i.latency_cycles = 4;
    trace.instructions.push_back(i);
  });
  return trace;
}

Wave wave(std::string_view text) {
  Wave wave;
  for_each_line(text, [&](const std::string& line) {
    WaveStep step;
    std::istringstream(line) >> step.line >> step.begin >> step.stall >> step.duration;
    wave.steps.push_back(step);
    wave.end = step.begin + step.duration;
  });
  return wave;
}

}  // namespace jaxtrace

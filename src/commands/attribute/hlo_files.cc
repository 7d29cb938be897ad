// Module names come from the capture, so a file name is made safe here, and unique after that.
#include "commands/attribute/hlo_files.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "hlo/text.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kLongestModule = 120;  // Bytes; leaves room for id, host and extension.
constexpr std::size_t kLongestHost = 80;

std::string safe(std::string_view name, std::size_t limit) {
  std::string result(name.substr(0, limit));
  const auto unsafe = [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return letter == '/' || letter == '\\' || letter == ':' || byte < 0x20 || byte == 0x7F;
  };
  std::ranges::replace_if(result, unsafe, '_');
  if (result.empty() || result[0] == '.') result.insert(0, "_");
  return result;
}

std::string unique_name(const std::string& stem, std::set<std::string>& taken) {
  std::string name = stem + ".hlo.txt";
  for (int next = 2; !taken.insert(name).second; ++next) {
    name = stem + '_' + std::to_string(next) + ".hlo.txt";
  }
  return name;
}

}  // namespace

void write_hlo_files(const Trace& trace, const AttributeOptions& options, bool bare,
                     OutputDir& directory) {
  using Key = std::tuple<std::string_view, std::int64_t>;
  std::map<Key, std::vector<const Module*>> programs;
  for (const Module& module : trace.modules) {
    if (module.hlo_proto.empty()) continue;
    if (options.program && module.program_id != *options.program) continue;
    programs[{trace.strings[module.name], module.program_id}].push_back(&module);
  }

  std::set<std::string> taken;
  for (const auto& [key, modules] : programs) {
    std::map<std::string, const Module*> texts;  // Text → the first host that has it.
    std::vector<std::pair<const Module*, const std::string*>> distinct;
    for (const Module* module : modules) {
      auto text =
          hlo::print_module(module->hlo_proto, {.metadata = !bare, .backend_config = !bare});
      if (!text) continue;  // The attribution says so: the program counts as one without HLO.
      const auto [at, added] = texts.emplace(std::move(*text), module);
      if (added) distinct.emplace_back(module, &at->first);
    }
    for (const auto& [module, text] : distinct) {
      std::string stem = safe(std::get<0>(key), kLongestModule);
      if (module->program_id != kNoProgram) {
        stem += '(' + std::to_string(module->program_id) + ')';
      }
      if (distinct.size() > 1) {
        const Host& host = trace.hosts[static_cast<std::size_t>(module->host)];
        stem += '.' + safe(trace.strings[host.name], kLongestHost);
      }
      directory.write(unique_name(stem, taken), *text);
    }
  }
}

}  // namespace jaxtrace

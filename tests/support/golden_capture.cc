// One folder at a time: the programs of a folder go into the hosts of that folder.
#include "support/golden_capture.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "proto/hlo.pb.h"
#include "proto/xplane.pb.h"
#include "support/program.h"
#include "support/rows.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHost = ".xplane.txtpb";
constexpr std::string_view kProgram = ".hlo.txtpb";
constexpr std::string_view kHex = ".hex";
constexpr std::string_view kRows = ".rows";

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) {
      text = std::to_string(line + 1) + ":" + std::to_string(column + 1) + ": " + message;
    }
  }

  std::string text;
};

template <typename Message>
Message parsed(const fs::path& path) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  Message message;
  if (!parser.ParseFromString(read_file(path), &message)) {
    throw std::runtime_error(path.filename().string() + ":" + error.text);
  }
  return message;
}

std::string without(const std::string& name, std::string_view ending) {
  return name.substr(0, name.size() - ending.size());
}

/// "jit_f(17)" is program 17.
std::int64_t program_id(const std::string& module) {
  const std::size_t open = module.rfind('(');
  if (open == std::string::npos || !module.ends_with(')')) {
    throw std::runtime_error(module + ": an HLO file is named module(program id).hlo.txtpb");
  }
  return std::stoll(module.substr(open + 1));
}

void add_programs(const std::map<std::string, std::string>& programs, pb::XSpace& space) {
  if (programs.empty()) return;
  pb::XPlane& plane = *space.add_planes();
  plane.set_name("/host:metadata");
  pb::XPlane::StatMetadataEntry& stat = *plane.add_stat_metadata();
  stat.set_key(1);
  stat.mutable_value()->set_id(1);
  stat.mutable_value()->set_name("Hlo Proto");
  for (const auto& [module, proto] : programs) {
    pb::XPlane::EventMetadataEntry& entry = *plane.add_event_metadata();
    entry.set_key(program_id(module));
    entry.mutable_value()->set_id(program_id(module));
    entry.mutable_value()->set_name(module);
    pb::XStat& value = *entry.mutable_value()->add_stats();
    value.set_metadata_id(1);
    value.set_bytes_value(proto);
  }
}

std::string bytes_of_hex(const std::string& text) {
  std::string digits;
  bool comment = false;
  for (const char letter : text) {
    if (letter == '#') comment = true;
    if (letter == '\n') comment = false;
    if (!comment && std::isxdigit(static_cast<unsigned char>(letter)) != 0) digits += letter;
  }
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

}  // namespace

void build_capture(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  std::map<std::string, std::string> programs;
  std::vector<fs::path> hosts;
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory()) {
      build_capture(entry.path(), to / name);
    } else if (name.ends_with(kProgram)) {
      programs[without(name, kProgram)] = parsed<pb::HloProto>(entry.path()).SerializeAsString();
    } else if (name.ends_with(kHost)) {
      hosts.push_back(entry.path());
    } else if (name.ends_with(kRows)) {
      write_file(to / (without(name, kRows) + ".xplane.pb"),
                 synth::xspace_bytes(rows::recording_of(read_file(entry.path()))));
    } else if (name.ends_with(kHex)) {
      write_file(to / without(name, kHex), bytes_of_hex(read_file(entry.path())));
    } else {
      write_file(to / name, read_file(entry.path()));
    }
  }
  for (const fs::path& host : hosts) {
    auto space = parsed<pb::XSpace>(host);
    add_programs(programs, space);
    write_file(to / (without(host.filename().string(), kHost) + ".xplane.pb"),
               space.SerializeAsString());
  }
}

}  // namespace jaxtrace

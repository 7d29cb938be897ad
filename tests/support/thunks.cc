#include "support/thunks.h"

#include <zlib.h>

#include <array>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "proto/hlo.pb.h"

namespace jaxtrace::synth {
namespace {

/// Cells of one line; compile_gpu.py's names never hold quotes, so there is no unquoting.
std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == ',') {
      out.emplace_back();
    } else if (c != '\r') {
      out.back().push_back(c);
    }
  }
  return out;
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// "132x1x1"
Dim3 dim3(std::string_view text) {
  std::array<std::uint32_t, 3> out = {1, 1, 1};
  for (std::uint32_t& part : out) {
    if (text.empty()) break;
    const std::size_t end = std::min(text.find('x'), text.size());
    part = static_cast<std::uint32_t>(number(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {out[0], out[1], out[2]};
}

/// The part of `where` that names the section of the nearest parent: "while.3:body" -> "body".
std::string section_name(std::string_view where) {
  const std::size_t slash = where.rfind('/');
  if (slash != std::string_view::npos) where.remove_prefix(slash + 1);
  const std::size_t colon = where.rfind(':');
  return colon == std::string_view::npos ? "" : std::string(where.substr(colon + 1));
}

struct ElementType {
  int number;
  std::int64_t bits;
  const char* name;  // as NCCL's and RCCL's kernels spell it
};

// xla_data.proto, PrimitiveType.
constexpr std::array<ElementType, 16> kElementTypes = {{{1, 8, "u8"},
                                                        {2, 8, "i8"},
                                                        {3, 16, "i16"},
                                                        {4, 32, "i32"},
                                                        {5, 64, "i64"},
                                                        {6, 8, "u8"},
                                                        {7, 16, "u16"},
                                                        {8, 32, "u32"},
                                                        {9, 64, "u64"},
                                                        {10, 16, "f16"},
                                                        {11, 32, "f32"},
                                                        {12, 64, "f64"},
                                                        {15, 64, "f32"},
                                                        {16, 16, "bf16"},
                                                        {18, 128, "f64"},
                                                        {20, 8, "f8e4m3"}}};

void add_shape(const pb::ShapeProto& shape, std::int64_t& bytes, std::string& element) {
  for (const pb::ShapeProto& part : shape.tuple_shapes()) add_shape(part, bytes, element);
  for (const ElementType& type : kElementTypes) {
    if (type.number != static_cast<int>(shape.element_type())) continue;
    std::int64_t bits = type.bits;
    for (const std::int64_t dimension : shape.dimensions()) bits *= dimension;
    bytes += (bits + 7) / 8;
    if (element.empty()) element = type.name;
  }
}

/// The number in `"known_trip_count":{"n":"12"}`, however it is spaced or quoted.
std::optional<std::uint64_t> known_trips(std::string_view config) {
  std::size_t at = config.find("\"known_trip_count\"");
  if (at == std::string_view::npos) return std::nullopt;
  at = config.find("\"n\"", at);
  if (at == std::string_view::npos) return std::nullopt;
  at = config.find_first_of("0123456789", at + 3);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint64_t>(number(config.substr(at)));
}

}  // namespace

std::string read_maybe_gzip(const std::filesystem::path& file) {
  gzFile in = gzopen(file.c_str(), "rb");
  if (in == nullptr) throw std::runtime_error("cannot open " + file.string());
  std::string out;
  std::array<char, 1 << 16> buffer;
  int count = 0;
  while ((count = gzread(in, buffer.data(), buffer.size())) > 0) {
    out.append(buffer.data(), static_cast<std::size_t>(count));
  }
  const bool bad = count < 0;
  gzclose(in);
  if (bad) throw std::runtime_error("cannot unzip " + file.string());
  return out;
}

std::vector<Thunk> parse_thunks(const std::string& csv) {
  ThunkSection root;
  // The sections that rows of each depth are added to.  A row's own section is the last one of its
  // parent, so the addresses below are of the newest elements and stay put.
  std::vector<Thunk*> parents;
  std::size_t at = csv.find('\n');
  while (at != std::string::npos && at + 1 < csv.size()) {
    const std::size_t end = std::min(csv.find('\n', at + 1), csv.size());
    const std::vector<std::string> row = cells(std::string_view(csv).substr(at + 1, end - at - 1));
    at = end;
    if (row.size() < 9) continue;
    const std::size_t depth = std::min(static_cast<std::size_t>(number(row[0])), parents.size());
    std::vector<Thunk>* into = &root.thunks;
    if (depth > 0) {
      Thunk& parent = *parents[depth - 1];
      const std::string name = section_name(row[1]);
      if (parent.sections.empty() || parent.sections.back().name != name) {
        parent.sections.push_back({name, {}});
      }
      into = &parent.sections.back().thunks;
    }
    into->push_back({.id = number(row[2]),
                     .kind = row[3],
                     .kernel = row[4],
                     .instruction = row[5],
                     .grid = dim3(row[6]),
                     .block = dim3(row[7]),
                     .shared_memory = static_cast<std::uint32_t>(number(row[8]))});
    parents.resize(depth);
    parents.push_back(&into->back());
  }
  return std::move(root.thunks);
}

void take_hlo(Program& program, const pb::HloProto& proto) {
  program.hlo.clear();
  proto.SerializeToString(&program.hlo);
  const pb::HloModuleProto& module = proto.hlo_module();
  program.module = module.name();
  std::map<std::int64_t, const std::string*> names;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation.instructions()) {
      names[instruction.id()] = &instruction.name();
    }
  }
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation.instructions()) {
      Facts& facts = program.facts[instruction.name()];
      facts.opcode = instruction.opcode();
      facts.op_name = instruction.metadata().op_name();
      facts.bytes = 0;
      facts.element.clear();
      add_shape(instruction.shape(), facts.bytes, facts.element);
      if (instruction.opcode() == "while") facts.trips = known_trips(instruction.backend_config());
      if (instruction.operand_ids_size() > 0) {
        const auto operand = names.find(instruction.operand_ids(0));
        if (operand != names.end()) facts.operand = *operand->second;
      }
      if (instruction.replica_groups_size() > 0) {
        facts.group_size = instruction.replica_groups(0).replica_ids_size();
      }
    }
  }
}

Program load_program(const std::filesystem::path& directory) {
  Program program;
  pb::HloProto proto;
  if (!proto.ParseFromString(read_maybe_gzip(directory / "hlo.pb.gz"))) {
    throw std::runtime_error((directory / "hlo.pb.gz").string() + " is no HloProto");
  }
  take_hlo(program, proto);
  program.thunks = parse_thunks(read_maybe_gzip(directory / "thunks.csv"));
  return program;
}

}  // namespace jaxtrace::synth

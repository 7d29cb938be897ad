// See hlo_lines.h.
#include "support/hlo_lines.h"

#include <map>
#include <sstream>
#include <stdexcept>

namespace jaxtrace::test {
namespace {

int type_of(const std::string& name) {
  static const std::map<std::string, int> kTypes = {
      {"pred", 1},   {"s8", 2},        {"s32", 4},  {"s64", 5},      {"u8", 6},   {"u32", 8},
      {"f16", 10},   {"f32", 11},      {"f64", 12}, {"tuple", 13},   {"c64", 15}, {"bf16", 16},
      {"token", 17}, {"f8e4m3fn", 20}, {"s4", 21},  {"f4e2m1fn", 32}};
  const auto found = kTypes.find(name);
  if (found == kTypes.end()) throw std::runtime_error("no element type: " + name);
  return found->second;
}

/// Reads "f32[4,8]" or "(f32[4], f32[4])" and leaves what follows.
void read_shape(std::istringstream& in, pb::ShapeProto& shape) {
  in >> std::ws;
  if (in.peek() == '(') {
    in.get();
    shape.set_element_type(type_of("tuple"));
    while (in >> std::ws && in.peek() != ')') {
      if (in.peek() == ',') in.get();
      read_shape(in, *shape.add_tuple_shapes());
    }
    in.get();
    return;
  }
  std::string name, sizes;
  std::getline(in, name, '[');
  std::getline(in, sizes, ']');
  shape.set_element_type(type_of(name));
  std::istringstream list(sizes);
  for (std::string size; std::getline(list, size, ',');) shape.add_dimensions(std::stoll(size));
}

}  // namespace

HloLines::HloLines(const std::string& lines) {
  pb::HloModuleProto& module = *proto_.mutable_hlo_module();
  std::map<std::string, std::int64_t> computations, instructions;
  std::istringstream all(lines);
  std::int64_t next = 1;
  pb::HloComputationProto* computation = nullptr;
  for (std::string line; std::getline(all, line);) {
    std::istringstream in(line);
    std::string name, word;
    if (!(in >> name)) continue;
    if (!(in >> word)) {
      computation = module.add_computations();
      computation->set_name(name);
      computation->set_id(module.computations_size());
      computations[name] = computation->id();
      instructions.clear();
      module.set_entry_computation_id(computation->id());
      continue;
    }
    if (word != "=" || computation == nullptr) throw std::runtime_error("what is: " + line);
    pb::HloInstructionProto& i = *computation->add_instructions();
    i.set_name(name);
    i.set_id(next++);
    read_shape(in, *i.mutable_shape());
    in >> word;
    i.set_opcode(word);
    if (word == "parameter") {
      int before = 0;
      for (const auto& other : computation->instructions()) {
        if (other.opcode() == "parameter") ++before;
      }
      i.set_parameter_number(before - 1);
    }
    bool calls = false;
    while (in >> word) {
      if (word == "calls") {
        calls = true;
      } else if (calls) {
        const std::int64_t id = computations.at(word);
        i.add_called_computation_ids(id);
        if (i.opcode() == "fusion") {
          module.mutable_computations(static_cast<int>(id) - 1)->set_is_fusion_computation(true);
        }
      } else {
        i.add_operand_ids(instructions.at(word));
      }
    }
    if (i.opcode() == "fusion") i.set_fusion_kind("kLoop");
    instructions[name] = i.id();
    computation->set_root_id(i.id());
  }
}

pb::HloInstructionProto& HloLines::operator[](std::string_view instruction) {
  for (auto& computation : *proto_.mutable_hlo_module()->mutable_computations()) {
    for (auto& i : *computation.mutable_instructions()) {
      if (i.name() == instruction) return i;
    }
  }
  throw std::runtime_error("no instruction " + std::string(instruction));
}

hlo::OpCost HloLines::cost(std::string_view instruction) const {
  const std::string hlo = bytes();
  const auto program = hlo::parse_program(hlo);
  if (!program) throw std::runtime_error("no program");
  const hlo::InstructionId id = program->find(instruction);
  if (id == hlo::InstructionId::none) {
    throw std::runtime_error("no instruction " + std::string(instruction));
  }
  return hlo::instruction_costs(*program, hlo)[static_cast<std::size_t>(id)];
}

}  // namespace jaxtrace::test

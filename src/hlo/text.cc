// The printer's frame: the module's header line, the frame tables, and each computation with its
// instructions.  The parts are in text/.
//
// It prints what XLA prints after reading the proto, not the proto's own order: XLA sorts
// computations, walks unscheduled instructions depth first, and numbers stack frames anew.
#include "hlo/text.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "hlo/text/append.h"
#include "hlo/text/attributes.h"
#include "hlo/text/frames.h"
#include "hlo/text/literals.h"
#include "hlo/text/metadata.h"
#include "hlo/text/module_index.h"
#include "hlo/text/shapes.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

/// A name may be long and used often: text far longer than the proto comes from a damaged or a
/// hostile one, and is cut.
constexpr std::size_t kMostText = std::size_t{16} << 20;
constexpr std::size_t kMostTextPerByte = 64;

/// Of more elements than this, constants print as `{...}`.
constexpr std::int64_t kMostConstantElements = 10;

class ModulePrinter {
 public:
  ModulePrinter(const pb::HloModuleProto& module, const TextOptions& options, std::size_t limit)
      : module_(module),
        options_(options),
        limit_(limit),
        index_(index_module(module)),
        frames_(module.stack_frame_index()) {}

  std::string print() {
    if (options_.metadata) number_frames();
    append_header();
    frames_.append(out_);
    out_ += "\n\n";
    for (const std::uint32_t row : computation_order(index_)) {
      const ComputationRow& computation = index_.computations[row];
      if (computation.async && computation.one_operation) continue;
      append_computation(computation);
      if (full()) {
        out_ += "// The rest is left out: this program is damaged.\n";
        break;
      }
    }
    return std::move(out_);
  }

 private:
  bool full() const { return out_.size() > limit_; }

  void number_frames() {
    frame_of_.assign(index_.instructions.size(), 0);
    for (const ComputationRow& computation : index_.computations) {
      for (const auto& [id, row] : computation.by_id) {
        const std::int32_t frame = index_.instructions[row].proto->metadata().stack_frame_id();
        if (frame != 0) frame_of_[row] = frames_.number(frame);
      }
    }
  }

  void append_header() {
    std::string changed;
    out_ += "HloModule ";
    out_ += sanitise_name(module_.name(), changed) ? changed : module_.name();
    if (module_.has_schedule()) out_ += ", is_scheduled=true";
    append_aliases();
    append_donors();
    if (module_.has_host_program_shape()) append_entry_layout();
    if (module_.frontend_attributes().map_size() > 0) {
      out_ += ", frontend_attributes=";
      append_frontend_attributes(out_, module_.frontend_attributes());
    }
  }

  void append_aliases() {
    using Entry = pb::HloInputOutputAliasProto::AliasEntryProto;
    std::vector<const Entry*> entries;
    for (const Entry& entry : module_.input_output_alias().entries()) entries.push_back(&entry);
    if (entries.empty()) return;
    std::ranges::stable_sort(entries, [](const Entry* a, const Entry* b) {
      return std::ranges::lexicographical_compare(a->output_shape_index(), b->output_shape_index());
    });
    constexpr int kMayAlias = 1;
    out_ += ", input_output_alias={ ";
    append_joined(out_, entries, ", ", [](std::string& to, const Entry* entry) {
      append_braced(to, entry->output_shape_index());
      to += ": (";
      append_int(to, entry->parameter_number());
      to += ", ";
      append_braced(to, entry->parameter_shape_index());
      to += entry->kind() == kMayAlias ? ", may-alias)" : ", must-alias)";
    });
    out_ += " }";
  }

  void append_donors() {
    std::set<std::pair<std::int64_t, std::vector<std::int64_t>>> donors;
    for (const auto& entry : module_.buffer_donor().entries()) {
      const auto& shape_index = entry.parameter_shape_index();
      donors.emplace(entry.parameter_number(),
                     std::vector<std::int64_t>(shape_index.begin(), shape_index.end()));
    }
    if (donors.empty()) return;
    out_ += ", buffer_donor={ ";
    append_joined(out_, donors, ", ", [](std::string& to, const auto& donor) {
      to += '(';
      append_int(to, donor.first);
      to += ", ";
      append_braced(to, donor.second);
      to += ')';
    });
    out_ += " }";
  }

  void append_entry_layout() {
    const pb::ProgramShapeProto& shape = module_.host_program_shape();
    out_ += ", entry_computation_layout={(";
    for (int i = 0; i < shape.parameters_size(); ++i) {
      append_list_separator(out_, i);
      append_shape(out_, shape.parameters(i), Layouts::shown);
    }
    out_ += ")->";
    append_shape(out_, shape.result(), Layouts::shown);
    out_ += '}';
  }

  void append_computation(const ComputationRow& computation) {
    if (index_.computation(module_.entry_computation_id()) ==
        index_.computation(computation.proto->id())) {
      out_ += "ENTRY ";
    }
    out_ += '%';
    out_ += computation.name;
    out_ += ' ';
    append_signature(computation);
    out_ += " {\n";
    for (const std::uint32_t row : instruction_order(index_, computation)) {
      out_ += row == computation.root ? "  ROOT " : "  ";
      append_instruction(row);
      out_ += '\n';
      if (full()) break;
    }
    out_ += '}';
    const std::string_view thread = computation.proto->execution_thread();
    if (!thread.empty() && thread != "main") {
      out_ += ", execution_thread=\"";
      out_ += thread;
      out_ += '"';
    }
    out_ += "\n\n";
  }

  void append_signature(const ComputationRow& computation) {
    std::vector<const InstructionRow*> parameters;
    for (std::uint32_t i = 0; i < computation.size; ++i) {
      const InstructionRow& instruction = index_.instructions[computation.first + i];
      if (instruction.proto->opcode() == "parameter") parameters.push_back(&instruction);
    }
    std::ranges::stable_sort(parameters, {}, [](const InstructionRow* parameter) {
      return parameter->proto->parameter_number();
    });
    out_ += '(';
    append_joined(out_, parameters, ", ", [](std::string& to, const InstructionRow* parameter) {
      to += parameter->name.empty() ? std::string_view("(unknown)") : parameter->name;
      to += ": ";
      append_shape(to, parameter->proto->shape(), Layouts::hidden);
    });
    out_ += ") -> ";
    if (computation.root == kNoRow) {
      append_shape(out_, computation.proto->program_shape().result(), Layouts::hidden);
    } else {
      append_result_shape(out_, index_, index_.instructions[computation.root], Layouts::hidden);
    }
  }

  void append_instruction(std::uint32_t row) {
    const InstructionRow& instruction = index_.instructions[row];
    const pb::HloInstructionProto& proto = *instruction.proto;
    out_ += '%';
    out_ += instruction.name;
    out_ += " = ";
    append_result_shape(out_, index_, instruction, Layouts::shown);
    out_ += ' ';
    append_opcode(instruction);
    out_ += '(';
    append_operands(instruction);
    out_ += ')';
    append_attributes(out_, index_, instruction, options_);
    if (proto.has_original_value()) {
      out_ += ", origin={";
      append_original_value(out_, proto.original_value());
      out_ += '}';
    }
    if (options_.metadata && proto.has_metadata()) append_metadata(row);
    if (options_.backend_config) append_backend_config(proto);
  }

  void append_opcode(const InstructionRow& instruction) {
    const std::string_view opcode = instruction.proto->opcode();
    const InstructionRow* wrapped = index_.wrapped_operation(instruction);
    if (wrapped != nullptr) {
      out_ += modern_opcode(wrapped->proto->opcode());
      out_ += opcode.substr(opcode.rfind('-'));
    } else {
      out_ += modern_opcode(opcode);
    }
  }

  void append_operands(const InstructionRow& instruction) {
    const pb::HloInstructionProto& proto = *instruction.proto;
    if (proto.opcode() == "parameter") {
      append_int(out_, proto.parameter_number());
      return;
    }
    if (proto.opcode() == "constant") {
      if (proto.has_literal() && is_array_type(proto.shape().element_type()) &&
          element_count(proto.shape()) <= kMostConstantElements) {
        append_literal(out_, proto.literal(), LiteralShapes::hidden);
      } else {
        out_ += "{...}";
      }
      return;
    }
    const ComputationRow& computation = index_.computations[instruction.computation];
    for (int i = 0; i < proto.operand_ids_size() && !full(); ++i) {
      append_list_separator(out_, i);
      const std::int64_t id = proto.operand_ids(i);
      append_instruction_name(out_, index_, index_.instruction(computation, id), id);
    }
  }

  void append_metadata(std::uint32_t row) {
    const pb::OpMetadata& metadata = index_.instructions[row].proto->metadata();
    const std::int32_t frame = frame_of_[row];
    if (metadata.op_type().empty() && metadata.op_name().empty() &&
        metadata.source_file().empty() && metadata.scheduling_name().empty() && frame == 0 &&
        !metadata.has_metadata_payload()) {
      return;
    }
    out_ += ", metadata={";
    append_op_metadata(out_, metadata, frame, resolve(metadata.metadata_payload()));
    out_ += '}';
  }

  void append_backend_config(const pb::HloInstructionProto& proto) {
    const std::string config = modern_backend_config(proto.has_backend_config_payload()
                                                         ? resolve(proto.backend_config_payload())
                                                         : proto.backend_config());
    if (config.empty()) return;
    out_ += ", backend_config=";
    append_config(out_, config);
  }

  std::string_view resolve(const pb::Payload& payload) const {
    if (!payload.has_id()) return payload.value();
    const std::int64_t id = payload.id();
    if (id < 0 || id >= module_.payloads_size()) return {};
    return module_.payloads(static_cast<int>(id));
  }

  const pb::HloModuleProto& module_;
  const TextOptions& options_;
  std::size_t limit_;
  ModuleIndex index_;
  FrameTables frames_;
  std::vector<std::int32_t> frame_of_;  // By instruction row, as printed.
  std::string out_;
};

}  // namespace

std::optional<std::string> print_module(std::string_view hlo_proto, const TextOptions& options) {
  if (hlo_proto.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return std::nullopt;
  }
  // What is no program is an answer here, not an error to write about.
  const google::protobuf::LogSilencer silence;
  google::protobuf::Arena arena;
  auto* proto = google::protobuf::Arena::CreateMessage<pb::HloProto>(&arena);
  if (!proto->ParseFromArray(hlo_proto.data(), static_cast<int>(hlo_proto.size())) ||
      !proto->has_hlo_module()) {
    return std::nullopt;
  }
  const std::size_t limit = kMostText + kMostTextPerByte * hlo_proto.size();
  return ModulePrinter(proto->hlo_module(), options, limit).print();
}

}  // namespace jaxtrace::hlo

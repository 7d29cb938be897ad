// Names are short, for slices are; args say the rest.
#include "export/trace_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "export/trace_text.h"
#include "hlo/collective_shape.h"

namespace jaxtrace {
namespace {

// Deeper ones are drawn as the last of these; viewers get slow long before.
constexpr std::size_t kDeepest = 100;

std::string name_member(std::string_view name) {
  std::string out;
  append_member(out, "name", name.empty() ? "?" : name);
  return out;
}

std::string marks(std::string_view category, std::string_view colour) {
  return fmt::format(R"(,"cat":"{}","cname":"{}")", category, colour);
}

/// The last part of a path with slashes.
std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string line_text(const hlo::Location& at) {
  if (at.file.empty()) return {};
  std::string text = at.file + ':' + std::to_string(at.line);
  if (!at.function.empty()) text += " (" + at.function + ')';
  return text;
}

/// Three digits behind the point, from thousandths.
std::string confidence_text(std::uint16_t thousandths) {
  std::string text = fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string_view colour_of(const Label& label) {
  // Chrome's base/color_scheme.html.
  switch (label.match) {
    case Match::exact:
      return "thread_state_running";  // green
    case Match::name:
      return "thread_state_runnable";  // blue
    case Match::order:
      return label.rule == Rule::ambiguous ? "terrible" : "bad";  // red, orange
    case Match::none:
      break;
  }
  return "grey";
}

SliceTexts::SliceTexts(const Trace& trace, const Attribution& attribution, const Ops& ops,
                       const hlo::UserTest& user)
    : trace_(trace), attribution_(attribution), ops_(ops) {
  for (const AttributedProgram& program : attribution.programs) {
    SliceText text;
    std::string name(trace.strings[program.module]);
    if (name.empty()) name = "program";
    if (program.program_id != kNoProgram) {
      name += '(' + program_id_text(program) + ')';
      append_number(text.args, "program_id", program.program_id);
    }
    text.name = name_member(name);
    module_.push_back(add(std::move(text)));
  }
  for (const Op& op : ops.rows) add_paths(op, user);
  for (std::uint32_t i = 0; i < attribution.labels.size(); ++i) {
    const Label& label = attribution.labels[i];
    std::string args;
    if (const std::uint32_t row = ops.of_label[i]; row != kNone) {
      const Op& op = ops.rows[row];
      append_member(args, "instruction", op.name);
      append_member(args, "op_name", op.source.op_name);
      append_member(args, "line", line_text(op.source.user));
      if (op.source.origin == hlo::Origin::inherited) append_member(args, "line_is", "a guess");
    }
    append_member(args, "match", text(label.match));
    append_member(args, "rule", text(label.rule));
    if (label.match != Match::none) {
      args += R"(,"confidence":)" + confidence_text(label.confidence);
    }
    kernel_.push_back(args);
    instruction_.push_back(kNone);
    if (ops.of_label[i] == kNone) continue;
    const Op& op = ops.rows[ops.of_label[i]];
    append_member(args, "opcode", op.opcode);
    if (label.program != kNone) {
      const AttributedProgram& program = attribution.programs[label.program];
      append_member(args, "hlo_module", trace.strings[program.module]);
      append_member(args, "program_id", program_id_text(program));
    }
    append_member(args, "phase", hlo::text(op.source.phase));
    add_costs(args, op);
    std::string category(text(label.match));
    if (hlo::is_collective(op.opcode)) category += ",collective";
    instruction_.back() =
        add({name_member(op.name), marks(category, colour_of(label)), std::move(args)});
  }
}

std::uint32_t SliceTexts::add(SliceText text) {
  texts_.push_back(std::move(text));
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

std::span<const std::uint32_t> SliceTexts::scopes(std::uint32_t label) const {
  return scopes_[ops_.of_label[label]];
}

std::span<const std::uint32_t> SliceTexts::frames(std::uint32_t label) const {
  return frames_[ops_.of_label[label]];
}

void SliceTexts::add_costs(std::string& args, const Op& op) {
  if (op.program == kNone || op.instruction == hlo::InstructionId::none) return;
  const AttributedProgram& program = attribution_.programs[op.program];
  if (!program.hlo || program.trace_module == kNone) return;
  const auto [known, added] = costs_.try_emplace(op.program);
  if (added) {
    known->second =
        hlo::instruction_costs(*program.hlo, trace_.modules[program.trace_module].hlo_proto);
  }
  if (static_cast<std::size_t>(op.instruction) >= known->second.size()) return;
  const hlo::OpCost& cost = known->second[static_cast<std::size_t>(op.instruction)];
  if (cost.bytes) append_number(args, "bytes", *cost.bytes);
  if (cost.flops) append_number(args, "flops", *cost.flops);
  if (cost.transcendentals) append_number(args, "transcendentals", *cost.transcendentals);
  if (cost.estimate) append_member(args, "cost", "estimate");
}

void SliceTexts::add_paths(const Op& op, const hlo::UserTest& user) {
  std::vector<std::uint32_t> scopes, frames;
  std::size_t before = 0;
  for (const std::string_view scope : hlo::scopes_of(op.source.op_name)) {
    if (scopes.size() == kDeepest) break;
    std::string_view part = scope.substr(std::min(before, scope.size()));
    while (part.starts_with('/')) part.remove_prefix(1);
    before = scope.size();
    std::string args;
    append_member(args, "scope", scope);
    scopes.push_back(keyed('s' + std::string(scope), part, std::move(args)));
  }
  std::string key = "f";
  const auto add_frame = [&](const hlo::Location& at) {
    if (frames.size() == kDeepest) return;
    const std::string whole = line_text(at);
    key += '\n' + whole;
    std::string name(last_part(at.file));
    name += ':' + std::to_string(at.line);
    if (!at.function.empty()) name += " (" + at.function + ')';
    std::string args;
    append_member(args, "line", whole);
    frames.push_back(keyed(key, name, std::move(args)));
  };
  for (auto at = op.source.stack.rbegin(); at != op.source.stack.rend(); ++at) {
    if (!at->file.empty() && user(*at)) add_frame(*at);
  }
  // What has no frame of the user's, or whose time another line than the innermost pays.
  if (frames.empty() && !op.source.user.file.empty()) add_frame(op.source.user);
  scopes_.push_back(std::move(scopes));
  frames_.push_back(std::move(frames));
}

std::uint32_t SliceTexts::keyed(const std::string& key, std::string_view name, std::string args) {
  const auto [known, added] = keyed_.try_emplace(key, 0);
  if (added) known->second = add({name_member(name), {}, std::move(args)});
  return known->second;
}

}  // namespace jaxtrace

// Stats as the tracers write them: texts are references into stat_metadata, program_id is an int64,
// and they come in the order tf_op, name, hlo_op, hlo_module, program_id.  So it is in captures of
// CUPTI, roctracer and rocprofiler-sdk alike.
#include "export/plane_edit.h"

#include <algorithm>

#include "export/wire_writer.h"
#include "readers/wire.h"
#include "readers/xplane_fields.h"

namespace jaxtrace {
namespace {

/// The outermost annotation of everything that XLA launches.
constexpr std::string_view kModuleScope = "XlaModule:";

/// `op_name` without the part that is common to its program, as the tracer writes it.
std::string_view without_prefix(std::string_view op_name, std::string_view prefix) {
  if (prefix.empty() || !op_name.starts_with(prefix)) return op_name;
  op_name.remove_prefix(prefix.size());
  if (op_name.starts_with('/')) op_name.remove_prefix(1);
  return op_name;
}

std::string_view between(const char* from, const char* to) {
  return {from, static_cast<std::size_t>(to - from)};
}

}  // namespace

PlaneEdit::PlaneEdit(const Trace& trace, const Attribution& attribution, std::string_view plane,
                     bool cut)
    : trace_(trace),
      attribution_(attribution),
      names_(read_plane_names(plane)),
      endings_(attribution.labels.size()) {
  // Below it there is room for more numbers than a file can need; id_of() skips those in use.
  constexpr std::int64_t kHighest = std::int64_t{1} << 62U;
  for (const StatName& name : names_.stats.rows()) {
    ids_.try_emplace(std::string(name.text), name.key);
    if (name.key >= next_id_ && name.key < kHighest) next_id_ = name.key + 1;
  }
  // Stats may refer to entries that were cut off: no new one may take the number of such an entry.
  constexpr std::int64_t kBeyondAny = std::int64_t{1} << 32U;
  if (cut) next_id_ = std::max(next_id_, kBeyondAny);
}

std::int64_t PlaneEdit::id_of(std::string_view text) {
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  while (names_.stats.find(next_id_) != nullptr) ++next_id_;
  const std::int64_t id = next_id_++;
  ids_.emplace(text, id);
  std::string name;
  put_number(name, kMetadataId, id);
  put_bytes(name, kMetadataName, text);
  std::string entry;
  put_number(entry, kMapKey, id);
  put_bytes(entry, kMapValue, name);
  put_bytes(metadata_, kPlaneStatMetadata, entry);
  return id;
}

void PlaneEdit::put_ref(std::string_view key, std::string_view value, std::string& out) {
  std::string stat;
  put_number(stat, kStatMetadataId, id_of(key));
  put_number(stat, kStatRef, id_of(value));
  put_bytes(out, kEventStats, stat);
}

void PlaneEdit::put_renamed(std::string_view stat, std::string_view key, std::string& out) {
  std::string renamed;
  put_number(renamed, kStatMetadataId, id_of(key));
  Wire wire(stat);
  Field field;
  const char* from = wire.at();
  for (; wire.next(field); from = wire.at()) {
    if (field.tag != kStatMetadataId) renamed.append(between(from, wire.at()));
  }
  put_bytes(out, kEventStats, renamed);
}

std::string PlaneEdit::make_ending(const Label& label, const Has& has) {
  const AttributedProgram& program = attribution_.programs[label.program];
  const hlo::Instruction& instruction = (*program.hlo)[label.instruction];
  std::string out;
  put_ref(kWrittenMatch, text(label.match), out);
  std::string confidence;
  put_number(confidence, kStatMetadataId, id_of(kWrittenConfidence));
  put_double(confidence, kStatDouble, label.confidence / 1000.0);
  put_bytes(out, kEventStats, confidence);

  if (!has.tf_op) put_ref("tf_op", kModuleScope, out);
  const std::string_view name = without_prefix(instruction.op_name, trace_.strings[has.prefix]);
  if (!name.empty()) put_ref("name", name, out);
  put_ref("hlo_op", instruction.name, out);
  if (const std::string_view module = trace_.strings[program.module];
      !has.module && !module.empty()) {
    put_ref("hlo_module", module, out);
  }
  if (!has.program && program.program_id != kNoProgram) {
    std::string stat;
    put_number(stat, kStatMetadataId, id_of("program_id"));
    put_number(stat, kStatInt64, program.program_id);
    put_bytes(out, kEventStats, stat);
  }
  return out;
}

const std::string& PlaneEdit::ending(std::uint32_t label, const Has& has) {
  std::vector<Ending>& endings = endings_[label];
  const auto known = std::ranges::find(endings, has, &Ending::has);
  if (known != endings.end()) return known->stats;
  endings.push_back({has, make_ending(attribution_.labels[label], has)});
  return endings.back().stats;
}

bool PlaneEdit::is_edited(std::string_view event) {
  Wire wire(event);
  Field field;
  while (wire.next(field)) {
    if (field.tag != kEventStats) continue;
    const StatName* const name = names_.stats.find(read_stat(field.bytes).key);
    if (name != nullptr && name->role == StatRole::written) return true;
  }
  return false;
}

PlaneEdit::Verdict PlaneEdit::edit(std::string_view event, std::size_t row, std::string& out) {
  out.clear();
  if (!tails_) tails_.emplace();
  const std::uint32_t label = attribution_.label[row];
  Has has;
  has.prefix = trace_.annotations[static_cast<std::size_t>(trace_.events.annotation[row])].prefix;
  const char* const end = event.data() + event.size();
  Wire wire(event);
  Field field;
  const char* copied = event.data();
  const char* tail = nullptr;
  const auto rename = [&](const char* from, std::string_view key) {
    out.append(between(copied, from));
    put_renamed(field.bytes, key, out);
    copied = wire.at();
  };
  for (const char* from = wire.at(); wire.next(field); from = wire.at()) {
    if (field.tag != kEventStats) continue;
    const StatName* const name = names_.stats.find(read_stat(field.bytes).key);
    switch (name == nullptr ? StatRole::other : name->role) {
      case StatRole::correlation_id: {
        if (copied != event.data() || has != Has{.prefix = has.prefix}) break;
        tail = wire.at();
        const EditedTail* const known = tails_->find(between(tail, end));
        if (known == nullptr || known->label != label || known->prefix != has.prefix) break;
        out.append(between(event.data(), tail));
        out.append(known->bytes);
        return Verdict::edited;
      }
      case StatRole::written:
        return Verdict::written;
      case StatRole::memory_details:
        return Verdict::no_work;
      case StatRole::hlo_op:
        rename(from, kWrittenGraph);
        break;
      case StatRole::name:
        rename(from, kWrittenGraphName);
        break;
      case StatRole::tf_op:
        has.tf_op = true;
        break;
      case StatRole::hlo_module:
        has.module = true;
        break;
      case StatRole::program_id:
        has.program = true;
        break;
      default:
        break;
    }
  }
  if (wire.end() != WireEnd::clean) return Verdict::damaged;
  out.append(between(copied, end));
  out.append(ending(label, has));
  if (tail != nullptr) {
    const auto before = static_cast<std::size_t>(tail - event.data());
    tails_->put(between(tail, end), {label, has.prefix, out.substr(before)});
  }
  return Verdict::edited;
}

}  // namespace jaxtrace

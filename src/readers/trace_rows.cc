// Events to rows.
#include "readers/trace_rows.h"

#include <limits>

#include "readers/times.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kDayNs = 86'400'000'000'000;

// Where the texts among the roles go, which come first among them.
constexpr std::array kTexts = {&Annotation::hlo_op, &Annotation::hlo_module, &Annotation::op_name,
                               &Annotation::prefix, &Annotation::tf_op};
static_assert(static_cast<std::size_t>(StatRole::tf_op) + 1 == kTexts.size());

/// Furthest in the direction of `number`, which does not fit.
std::int64_t saturated(std::string_view number) {
  return number.starts_with('-') ? std::numeric_limits<std::int64_t>::min()
                                 : std::numeric_limits<std::int64_t>::max();
}

bool is_number(std::string_view text) {
  return scaled(text, -std::numeric_limits<std::int16_t>::max()).has_value();
}

}  // namespace

void TraceRows::read(const TraceEvent& event, TraceLaneKind kind, std::int64_t& origin_ns,
                     TraceRow& out) {
  out.row = {};
  out.numbers.clear();
  out.memory = false;
  out.row.name = builder_.intern(decode(event.name, scratch_));
  if (out.row.name == StringId::empty) out.row.name = builder_.intern("?");
  out.named = !event.name.raw.empty();
  read_times(event, origin_ns, out);

  annotation_ = {};
  for (const TraceArg& arg : event.args) read_arg(arg, kind, out);
  if (kind.names_are_ops && annotation_.hlo_op == StringId::empty) {
    annotation_.hlo_op = out.row.name;
  }
  if (annotation_ != last_) {
    last_ = annotation_;
    const std::string_view op = builder_.text(annotation_.hlo_op);
    const std::string_view inner = innermost_op(op);
    if (inner.size() != op.size()) annotation_.hlo_op = builder_.intern(inner);
    last_id_ = builder_.annotation(annotation_);
  }
  out.row.annotation = last_id_;
}

void TraceRows::read_times(const TraceEvent& event, std::int64_t& origin_ns, TraceRow& out) {
  out.far_off = false;
  std::int64_t begin = 0;
  out.timed = true;
  if (const auto ps = scaled(event.begin, kPicosecondsPower)) {
    begin = *ps;
  } else if (const auto ns = scaled(event.begin, kNanosecondsPower);
             ns && *ns > kEpochTimestampNs) {
    if (origin_ns == 0) origin_ns = *ns / kDayNs * kDayNs;
    if (__builtin_mul_overflow(*ns - origin_ns, 1000, &begin)) begin = saturated("");
  } else if (is_number(event.begin)) {
    begin = saturated(event.begin);
  } else {
    out.timed = false;
    return;
  }
  std::int64_t duration = 0;
  if (!event.duration.empty()) {
    const auto ps = scaled(event.duration, kPicosecondsPower);
    if (!ps && !is_number(event.duration)) {
      out.timed = false;
      return;
    }
    duration = ps.value_or(saturated(event.duration));
    if (duration == 1) duration = 0;  // The writer turns 0 into this, so that viewers show it.
  }
  out.row.begin = Picoseconds{clamp_time(begin, out.far_off)};
  out.row.duration = Picoseconds{clamp_time(duration, out.far_off)};
}

void TraceRows::read_arg(const TraceArg& arg, TraceLaneKind kind, TraceRow& out) {
  Key& key = key_of(arg.key.raw);
  const auto integer = [&] { return parse_integer(decode(arg.value, scratch_)); };
  const auto natural = [&] { return static_cast<std::uint64_t>(integer().value_or(0)); };
  const auto details = [&](Details::Of of) {
    out.row.details = builder_.details(of, intern(arg.value));
  };
  if (const auto role = static_cast<std::size_t>(key.role); role < kTexts.size()) {
    annotation_.*kTexts[role] = intern(arg.value);
    return;
  }
  switch (key.role) {
    case StatRole::correlation_id:
      out.row.correlation = natural();
      break;
    case StatRole::graph_node_id:
      out.row.graph_node = natural();
      break;
    case StatRole::program_id:
      annotation_.program_id = integer().value_or(kNoProgram);
      break;
    case StatRole::graph_id:
      annotation_.graph_id = natural();
      break;
    case StatRole::graph_exec_id:
      annotation_.graph_exec_id = natural();
      break;
    case StatRole::agent:
      if (!kind.device_work) annotation_.agent = integer().value_or(kNoAgent);
      break;
    case StatRole::number:
      if (kind.device_work) break;
      if (const auto value = integer()) {
        if (key.id == kNotInterned) key.id = builder_.intern(key.text);
        out.numbers.emplace_back(key.id, *value);
        if (key.text == "step_num") drop_step(*value, out);
      }
      break;
    case StatRole::other:
      // The name in the xplane file, where that has another for display.
      if (key.long_name) out.row.name = builder_.intern(decode(arg.value, scratch_));
      break;
    case StatRole::kernel_details:
      details(Details::Of::kernel);
      break;
    case StatRole::memcpy_details:
      details(Details::Of::memcpy);
      break;
    case StatRole::memset_details:
      details(Details::Of::memset);
      break;
    case StatRole::memory_details:
      details(Details::Of::memory);
      out.memory = true;
      break;
    default:  // The texts, which are dealt with above.
      break;
  }
}

/// "train 3" of step 3 is "train": the profiler may put the stat step_name in place of the name.
void TraceRows::drop_step(std::int64_t step, TraceRow& out) {
  const std::string_view name = builder_.text(out.row.name);
  const std::string suffix = " " + std::to_string(step);
  if (name.size() > suffix.size() && name.ends_with(suffix)) {
    out.row.name = builder_.intern(name.substr(0, name.size() - suffix.size()));
  }
}

TraceRows::Key& TraceRows::key_of(std::string_view text) {
  // A few dozen keys: length and two letters tell nearly all of them apart.
  std::size_t slot = text.size();
  if (!text.empty()) {
    slot += 31U * static_cast<unsigned char>(text.front()) +
            7U * static_cast<unsigned char>(text.back());
  }
  Key& key = keys_[slot % keys_.size()];
  if (key.text != text) {
    key.text = text;
    key.role = role_of(text);
    key.id = kNotInterned;
    key.long_name = text == "long_name";
  }
  return key;
}

StringId TraceRows::intern(const JsonText& text) {
  const std::string_view value = decode(text, scratch_);
  return value == kNullText ? StringId::empty : builder_.intern(value);
}

}  // namespace jaxtrace

// Decoding XEvent.  This is the loop that the speed of the whole program hangs on: it allocates
// nothing, looks names up by number, interns a name the first time it meets it, and does not decode
// again what it decoded for an event of the same kind.
#include "readers/lanes.h"

#include <array>
#include <utility>
#include <vector>

#include "readers/notes.h"
#include "readers/stats.h"
#include "readers/tail_memo.h"
#include "readers/wire.h"
#include "readers/xplane_fields.h"

namespace jaxtrace {
namespace {

/// One event while it is being decoded.
struct Event {
  EventRow row;
  Annotation annotation;
  std::int64_t metadata_id = 0;
  std::int64_t offset_ps = 0;
  std::int64_t duration_ps = 0;
  bool aggregated = false;
  bool described = false;  ///< `annotation` or row.details hold something.
  bool known = false;      ///< row.annotation and row.details come from the memo.
  bool written = false;    ///< The stats to come are jaxtrace's own, and are set aside.
  std::string_view tail;   ///< What the memo may learn; empty if nothing.
  std::vector<std::pair<StringId, std::int64_t>> numbers;

  void clear() {
    row = {};
    if (described) annotation = {};
    metadata_id = offset_ps = duration_ps = 0;
    aggregated = described = known = written = false;
    tail = {};
    numbers.clear();
  }
};

/// `op`, or the innermost of the names it is made of.
StringId innermost(StringId op, TraceBuilder& builder) {
  const std::string_view text = builder.text(op);
  const std::string_view inner = innermost_op(text);
  return inner.size() == text.size() ? op : builder.intern(inner);
}

/// What the last stats of an event mean.
struct TailMeaning {
  AnnotationId annotation = AnnotationId::none;
  DetailsId details = DetailsId::none;
  bool written = false;  ///< jaxtrace wrote some of them.
};

struct Pass {
  PlaneNames names;
  TraceBuilder& builder;
  Oddities odd;
  TailMemo<TailMeaning> memo;
  bool device_work = false;  ///< Of the present lane:
  bool names_are_ops = false;
  std::int64_t begin_ps = 0;
  Annotation last;  ///< Of the event before.
  AnnotationId last_id = AnnotationId::none;
  std::uint64_t written = 0;   ///< Events that carry what jaxtrace wrote.
  std::vector<bool> memory{};  ///< By DetailsId: an allocation or the like, which is no work.

  bool is_memory(DetailsId id) const {
    const auto row = static_cast<std::size_t>(id);
    return row < memory.size() && memory[row];
  }
};

/// Where the texts among the roles go, which come first among them.
constexpr std::array kTexts = {&Annotation::hlo_op, &Annotation::hlo_module, &Annotation::op_name,
                               &Annotation::prefix, &Annotation::tf_op};
static_assert(static_cast<std::size_t>(StatRole::tf_op) + 1 == kTexts.size());

std::uint64_t natural(const Stat& stat, PlaneNames& names) {
  return static_cast<std::uint64_t>(integer(stat, names).value_or(0));
}

void keep_number(const Stat& stat, StatName& name, Pass& pass, Event& event) {
  if (pass.device_work) return;
  if (const auto value = integer(stat, pass.names)) {
    if (name.id == kNotInterned) name.id = pass.builder.intern(name.text);
    event.numbers.emplace_back(name.id, *value);
  }
}

/// Whether the stat is of the event alone, not of every event of its kind.
bool apply(std::string_view message, Pass& pass, Event& event) {
  const Stat stat = read_stat(message);
  StatName* const name = pass.names.stats.find(stat.key);
  if (name == nullptr || name->role == StatRole::other || stat.tag == 0) return false;
  const auto text = [&] { return intern(stat, pass.names, pass.builder); };
  const auto details = [&](Details::Of of) {
    event.row.details = pass.builder.details(of, text());
    if (of != Details::Of::memory) return;
    const auto row = static_cast<std::size_t>(event.row.details);
    if (row >= pass.memory.size()) pass.memory.resize(row + 1, false);
    pass.memory[row] = true;
  };
  if (name->role == StatRole::correlation_id) {
    event.row.correlation = natural(stat, pass.names);
    return true;
  }
  if (name->role == StatRole::graph_node_id) {
    event.row.graph_node = natural(stat, pass.names);
    return true;
  }
  if (name->role == StatRole::number) {
    keep_number(stat, *name, pass, event);
    return false;
  }
  if (name->role == StatRole::written) {
    event.written = true;
    return false;
  }
  event.described = true;
  Annotation& annotation = event.annotation;
  // The texts without a jump for each: which comes next is what a processor guesses worst.
  if (const auto role = static_cast<std::size_t>(name->role); role < kTexts.size()) {
    annotation.*kTexts[role] = text();
    return false;
  }
  switch (name->role) {
    case StatRole::program_id:
      annotation.program_id = integer(stat, pass.names).value_or(kNoProgram);
      break;
    case StatRole::graph_id:
      annotation.graph_id = natural(stat, pass.names);
      break;
    case StatRole::graph_exec_id:
      annotation.graph_exec_id = natural(stat, pass.names);
      break;
    case StatRole::agent:
      if (!pass.device_work) annotation.agent = integer(stat, pass.names).value_or(kNoAgent);
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
      break;
    default:
      break;
  }
  return false;
}

/// The name, and the stats that all events of this name share.
StringId apply_metadata(Pass& pass, Event& event) {
  EventName* const name = pass.names.events.find(event.metadata_id);
  if (name == nullptr) {
    ++pass.odd.nameless;
    return pass.builder.intern("?");
  }
  if (name->interned == kNotInterned) {
    name->interned = pass.builder.intern(name->text.empty() ? name->display : name->text);
  }
  Wire wire(name->message);
  Field field;
  while (wire.next(field)) {
    if (field.tag == kEventMetadataStats) {
      apply(field.bytes, pass, event);
    }
  }
  return name->interned;
}

void decode(std::string_view message, Pass& pass, Event& event) {
  event.clear();
  const char* const end = message.data() + message.size();
  // Stats come last in an event, and those of its metadata must come before them, to be overridden.
  bool named = false;
  const auto name = [&] {
    named = true;
    event.row.name = apply_metadata(pass, event);
  };
  Wire wire(message);
  Field field;
  const char* tail = nullptr;
  while (wire.next(field)) {
    const auto value = static_cast<std::int64_t>(field.value);
    if (field.tag == kEventStats) {
      if (!named) name();
      if (event.written) continue;
      if (!apply(field.bytes, pass, event)) continue;
      tail = nullptr;
      if (!pass.device_work || pass.names_are_ops || event.described) continue;
      tail = wire.at();
      const std::string_view rest(tail, static_cast<std::size_t>(end - tail));
      if (const TailMeaning* const known = pass.memo.find(rest)) {
        event.row.annotation = known->annotation;
        event.row.details = known->details;
        event.written = known->written;
        event.known = true;
        return;
      }
      continue;
    }
    tail = nullptr;  // It holds more than stats.
    if (field.tag == kEventMetadataId) {
      event.metadata_id = value;
    } else if (field.tag == kEventOffsetPs) {
      event.offset_ps = value;
    } else if (field.tag == kEventDurationPs) {
      event.duration_ps = value;
    } else if (field.tag == kEventNumOccurrences) {
      event.aggregated = true;
    }
  }
  if (!named) name();
  if (wire.end() != WireEnd::clean) {
    ++pass.odd.malformed;
  } else if (tail != nullptr) {
    event.tail = {tail, static_cast<std::size_t>(end - tail)};
  }
}

void describe(Pass& pass, Event& event) {
  Annotation& annotation = event.annotation;
  if (pass.names_are_ops && annotation.hlo_op == StringId::empty) {
    annotation.hlo_op = event.row.name;
    event.described = true;
  }
  if (annotation != pass.last) {
    pass.last = annotation;
    annotation.hlo_op = innermost(annotation.hlo_op, pass.builder);
    pass.last_id = pass.builder.annotation(annotation);
  }
  event.row.annotation = pass.last_id;
  if (!event.tail.empty()) {
    pass.memo.put(event.tail, {event.row.annotation, event.row.details, event.written});
  }
}

void store(Pass& pass, Event& event) {
  bool clamped = false;
  event.row.begin = Picoseconds{clamp_time(add_times(pass.begin_ps, event.offset_ps), clamped)};
  event.row.duration = Picoseconds{clamp_time(event.duration_ps, clamped)};
  if (clamped) ++pass.odd.far_off;
  if (event.aggregated) ++pass.odd.aggregated;
  if (event.written) ++pass.written;
  if (!event.known && (event.described || pass.names_are_ops)) describe(pass, event);
  if (pass.device_work && pass.is_memory(event.row.details)) {
    ++pass.odd.memory;
    return;
  }
  pass.builder.add_event(event.row);
  for (const auto& [key, value] : event.numbers) pass.builder.add_stat(key, value);
}

}  // namespace

void read_lanes(const MappedFile& file, const PlaneSpan& plane,
                const std::vector<LaneSource>& sources, TraceBuilder& builder, Meter& meter) {
  if (sources.empty()) return;
  Pass pass{
      read_plane_names(plane.bytes), builder, {}, {}, false, false, 0, {}, AnnotationId::none};
  Event event;
  for (const LaneSource& source : sources) {
    builder.begin_lane(source.lane);
    pass.device_work = source.lane.kind == LaneKind::stream;
    pass.names_are_ops = source.names_are_ops;
    pass.begin_ps = line_begin(source.line->timestamp_ns, builder.host(source.lane.host).origin_ns);
    Wire wire(source.line->bytes);
    Field field;
    meter.enter(file, source.line->bytes.data());
    while (wire.next(field)) {
      if (field.tag != kLineEvents) continue;
      decode(field.bytes, pass, event);
      store(pass, event);
      meter.reach(wire.at());
    }
    meter.leave(wire.at());
  }
  const Host& host = builder.host(sources.front().lane.host);
  note_oddities(pass.odd, std::string(builder.text(host.name)) + " " + std::string(plane.name),
                builder);
  note_written_back(builder.text(host.name), pass.written, builder);
}

}  // namespace jaxtrace

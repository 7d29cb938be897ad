// Pass 1.  A message that ends early is used as far as it goes.  If the file itself ends there,
// that is a truncation; if not, an inner length runs past its parent, and the bytes are damaged.
#include "readers/survey.h"

#include "readers/wire.h"
#include "readers/xplane_fields.h"

namespace jaxtrace {
namespace {

struct Pass {
  const MappedFile& file;
  Meter& meter;
  Survey& result;

  void note_damage(const Wire& wire, std::string_view message, std::string_view plane) const {
    if (wire.end() == WireEnd::clean) return;
    const std::string_view all = file.bytes();
    const char* const end = all.data() + all.size();
    if (wire.end() == WireEnd::cut && message.data() + message.size() == end) {
      // Every message around this one is cut as well: one truncation.
      for (const Damage& damage : result.damage) {
        if (damage.truncated) return;
      }
      result.damage.push_back({all.size(), true, plane});
      return;
    }
    result.damage.push_back({static_cast<std::uint64_t>(wire.at() - all.data()), false, plane});
  }
};

/// Whether `field`, which ended the walk of `wire`, is the cut beginning of message `tag`.
bool is_cut_message(const Wire& wire, const Field& field, std::uint32_t tag) {
  return wire.end() == WireEnd::cut && field.tag == tag;
}

LineSpan survey_line(const Pass& pass, std::string_view bytes, std::string_view plane) {
  LineSpan line;
  line.bytes = bytes;
  std::string_view display_name;
  Wire wire(bytes);
  Field field;
  pass.meter.enter(pass.file, bytes.data());
  while (wire.next(field)) {
    switch (field.tag) {
      case kLineEvents:
        ++line.events;
        pass.meter.reach(wire.at());
        break;
      case kLineName:
        line.name = field.bytes;
        break;
      case kLineDisplayName:
        display_name = field.bytes;
        break;
      case kLineId:
        line.id = static_cast<std::int64_t>(field.value);
        break;
      case kLineTimestampNs:
        line.timestamp_ns = static_cast<std::int64_t>(field.value);
        break;
      default:
        break;
    }
  }
  pass.meter.leave(wire.at());
  if (line.name.empty()) line.name = display_name;
  pass.note_damage(wire, bytes, plane);
  return line;
}

PlaneSpan survey_plane(const Pass& pass, std::string_view bytes) {
  PlaneSpan plane;
  plane.bytes = bytes;
  Wire names(bytes);  // The name may come after the lines, whose damage is told with it.
  Field field;
  while (names.next(field)) {
    if (field.tag == kPlaneName) plane.name = field.bytes;
  }
  Wire wire(bytes);
  const auto add_line = [&](std::string_view line) {
    plane.lines.push_back(survey_line(pass, line, plane.name));
    plane.events += plane.lines.back().events;
  };
  while (wire.next(field)) {
    if (field.tag == kPlaneLines) add_line(field.bytes);
  }
  if (is_cut_message(wire, field, kPlaneLines)) add_line(field.bytes);
  pass.note_damage(wire, bytes, plane.name);
  return plane;
}

}  // namespace

Survey survey(const MappedFile& file, Meter& meter) {
  Survey result;
  const Pass pass{file, meter, result};
  Wire wire(file.bytes());
  Field field;
  while (wire.next(field)) {
    if (field.tag == kSpacePlanes) result.planes.push_back(survey_plane(pass, field.bytes));
    if (field.tag == kSpaceErrors) result.errors.push_back(field.bytes);
    if (field.tag == kSpaceWarnings) result.warnings.push_back(field.bytes);
  }
  if (is_cut_message(wire, field, kSpacePlanes)) {
    result.planes.push_back(survey_plane(pass, field.bytes));
  }
  pass.note_damage(wire, file.bytes(), {});
  return result;
}

}  // namespace jaxtrace

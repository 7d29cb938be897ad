// Captures for tests.  Shuffling uses a generator of its own, so that a seed means the same
// everywhere.
#include "support/capture.h"

#include <google/protobuf/text_format.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "jaxtrace/readers.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

/// xorshift32 (Marsaglia 2003).
struct Random {
  std::uint32_t state;
  std::uint32_t below(std::uint32_t limit) {
    state ^= state << 13U;
    state ^= state >> 17U;
    state ^= state << 5U;
    return state % limit;
  }
};

template <typename Rows>
void shuffle(Rows& rows, Random& random) {
  for (int i = rows.size() - 1; i > 0; --i) {
    rows.SwapElements(i, static_cast<int>(random.below(static_cast<std::uint32_t>(i + 1))));
  }
}

std::string_view text(const Trace& trace, StringId id) {
  return trace.strings[id];
}

void render_event(const Trace& trace, std::size_t i, std::ostream& out) {
  const Events& events = trace.events;
  const Annotation& a = trace.annotations[static_cast<std::size_t>(events.annotation[i])];
  const Details& d = trace.details[static_cast<std::size_t>(events.details[i])];
  out << "  " << events.begin[i].count() << " +" << events.duration[i].count() << ' '
      << text(trace, events.name[i]) << " c" << events.correlation[i];
  if (!events.graph_node.empty()) out << " n" << events.graph_node[i];
  out << " [" << text(trace, a.hlo_op) << '|' << text(trace, a.hlo_module) << '|'
      << text(trace, a.op_name) << '|' << text(trace, a.prefix) << '|' << text(trace, a.tf_op)
      << '|' << a.program_id << '|' << a.graph_id << '|' << a.graph_exec_id << '|' << a.agent
      << "] " << static_cast<int>(d.of) << ' ' << text(trace, d.text) << '\n';
}

void render_lanes(const Trace& trace, std::ostream& out) {
  auto stat = trace.stats.begin();
  for (const Lane& lane : trace.lanes) {
    out << "lane " << static_cast<int>(lane.kind) << " host " << static_cast<int>(lane.host)
        << " device " << static_cast<std::uint32_t>(lane.device) << ' ' << text(trace, lane.name)
        << " #" << lane.id << " x" << lane.count << '\n';
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      render_event(trace, i, out);
      for (; stat != trace.stats.end() && stat->event == i; ++stat) {
        out << "    " << text(trace, stat->key) << '=' << stat->value << '\n';
      }
    }
  }
}

}  // namespace

pb::XSpace space_of(const std::string& text) {
  pb::XSpace space;
  if (!google::protobuf::TextFormat::ParseFromString(text, &space)) {
    throw std::runtime_error("not an XSpace: " + text);
  }
  return space;
}

pb::XSpace space_of_bytes(const std::string& bytes) {
  pb::XSpace space;
  if (!space.ParseFromString(bytes)) throw std::runtime_error("not an XSpace");
  return space;
}

std::string bytes_of(const pb::XSpace& space) {
  return space.SerializeAsString();
}
std::string bytes_of(const std::string& text) {
  return bytes_of(space_of(text));
}

pb::XSpace shuffled(pb::XSpace space, std::uint32_t seed) {
  Random random{seed * 2654435761U + 1};
  shuffle(*space.mutable_planes(), random);
  for (pb::XPlane& plane : *space.mutable_planes()) {
    shuffle(*plane.mutable_lines(), random);
    shuffle(*plane.mutable_event_metadata(), random);
    shuffle(*plane.mutable_stat_metadata(), random);
    shuffle(*plane.mutable_stats(), random);
    for (auto& entry : *plane.mutable_event_metadata()) {
      shuffle(*entry.mutable_value()->mutable_stats(), random);
    }
    for (pb::XLine& line : *plane.mutable_lines()) {
      shuffle(*line.mutable_events(), random);
      for (pb::XEvent& event : *line.mutable_events()) shuffle(*event.mutable_stats(), random);
    }
  }
  return space;
}

pb::XSpace shifted(pb::XSpace space, std::int64_t ns) {
  for (pb::XPlane& plane : *space.mutable_planes()) {
    for (pb::XLine& line : *plane.mutable_lines()) {
      if (line.events_size() > 0) line.set_timestamp_ns(line.timestamp_ns() + ns);
    }
  }
  return space;
}

std::string render(const Trace& trace) {
  std::ostringstream out;
  for (const Host& host : trace.hosts) {
    out << "host " << text(trace, host.name) << " origin " << host.origin_ns << " partial "
        << host.partial << '\n';
  }
  for (const Device& device : trace.devices) {
    out << "device " << static_cast<int>(device.host) << ' ' << text(trace, device.plane) << ' '
        << device.ordinal << ' ' << text(trace, device.vendor) << ' ' << text(trace, device.model)
        << ' ' << device.compute_units.value_or(-1) << ' ' << device.clock_khz.value_or(-1) << '\n';
  }
  for (const Module& module : trace.modules) {
    out << "module " << static_cast<int>(module.host) << ' ' << text(trace, module.name) << ' '
        << module.program_id << ' ' << module.hlo_proto.size() << '\n';
  }
  render_lanes(trace, out);
  for (const std::string& note : trace.notes) out << "note " << note << '\n';
  for (const Finding& finding : trace.findings) {
    out << "finding " << static_cast<int>(finding.severity) << ' ' << finding.code << ": "
        << finding.message << " @" << finding.where << " x" << finding.count << '\n';
  }
  return out.str();
}

Trace read_bytes(std::string_view bytes) {
  const ScratchDir directory;
  write_file(directory.path() / "host0.xplane.pb", bytes);
  return read_capture(directory.path() / "host0.xplane.pb");
}

Trace read_space(const pb::XSpace& space) {
  return read_bytes(bytes_of(space));
}
Trace read_text(const std::string& text) {
  return read_space(space_of(text));
}

std::filesystem::path real_captures() {
  const char* const folder = std::getenv("JAXTRACE_CAPTURES");
  return folder == nullptr ? std::filesystem::path{} : std::filesystem::path{folder};
}

}  // namespace jaxtrace

// Any bytes may be given as an xplane file: the answer is a Trace whose rows refer to rows that are
// there, or an InputError.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"

namespace {

using namespace jaxtrace;

void require(bool holds) {
  if (!holds) std::abort();
}

template <typename Id, typename Rows>
void require_row(Id id, const Rows& rows) {
  require(static_cast<std::size_t>(id) < rows.size());
}

void check(const Trace& trace) {
  const Events& events = trace.events;
  std::size_t next = 0;
  for (const Lane& lane : trace.lanes) {
    require(lane.first == next);
    next += lane.count;
    require((lane.kind == LaneKind::stream) ==
            (lane.first + lane.count <= trace.device_events && lane.device != DeviceId::none));
    require_row(lane.host, trace.hosts);
  }
  require(next == events.size());
  require(events.graph_node.empty() || events.graph_node.size() == next);
  for (std::size_t i = 0; i < next; ++i) {
    require_row(events.annotation[i], trace.annotations);
    require_row(events.details[i], trace.details);
    require(static_cast<std::size_t>(events.name[i]) < trace.strings.size());
    std::int64_t end = 0;
    require(!__builtin_add_overflow(events.begin[i].count(), events.duration[i].count(), &end));
  }
  for (const EventStat& stat : trace.stats) require(stat.event < next);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A file in memory: the reader maps files.
  const int file = ::memfd_create("capture", 0);
  require(file >= 0);
  require(::write(file, data, size) == static_cast<ssize_t>(size));
  try {
    check(read_capture("/proc/self/fd/" + std::to_string(file)));
  } catch (const InputError&) {
    // Most inputs are no captures.
  }
  ::close(file);
  return 0;
}

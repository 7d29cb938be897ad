// Any bytes that are read as a capture can be written back: what is written reads as the input did,
// and a second time nothing changes.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "attribution/attribution.h"
#include "export/write_xplane.h"
#include "fuzz/check_trace.h"
#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"

namespace {

using namespace jaxtrace;

struct Written {
  Trace trace;
  XplaneWritten counts;
  std::string bytes;
};

/// Throws InputError if the bytes are no capture.
Written write_back(std::string_view bytes) {
  const MemoryFile file(bytes.data(), bytes.size());
  Written result{read_capture(file.path()), {}, {}};
  const Attribution attribution = attribute(result.trace);
  std::ostringstream out;
  result.counts = write_xplane(result.trace, attribution, HostId{0}, 0, out);
  result.bytes = std::move(out).str();
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  Written first;
  try {
    first = write_back(input);
  } catch (const InputError&) {
    return 0;  // Most inputs are no captures.
  }
  if (!first.counts.changed()) require(first.bytes == input);
  const Written second = write_back(first.bytes);
  check_trace(second.trace);
  require(second.trace.events.begin == first.trace.events.begin);
  require(second.trace.events.duration == first.trace.events.duration);
  require(second.trace.events.correlation == first.trace.events.correlation);
  require(second.bytes == first.bytes);
  return 0;
}

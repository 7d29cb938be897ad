// Any bytes may be given as trace JSON: the answer is a Trace whose rows refer to rows that are
// there, or an InputError.  Text that is not compressed is read once more as several members of a
// gzip file, so that windows are cut; both must give the same.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/check_trace.h"
#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"
#include "readers/text_windows.h"
#include "support/trace_json.h"

namespace {

using namespace jaxtrace;

struct Counts {
  std::size_t events = 0;
  std::size_t device_events = 0;
  std::size_t stats = 0;

  bool operator==(const Counts&) const = default;
};

/// Absent if it was refused.
std::optional<Counts> read(std::string_view bytes) {
  const MemoryFile file(bytes.data(), bytes.size());
  std::optional<Counts> counts;
  try {
    const Trace trace = read_trace_json(file.path());
    check_trace(trace);
    counts = {trace.events.size(), trace.device_events, trace.stats.size()};
  } catch (const InputError&) {
    // Most inputs are no traces.
  }
  return counts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::optional<Counts> counts = read(bytes);
  if (bytes.empty() || is_gzip(bytes)) return 0;
  const std::string_view half = bytes.substr(0, size / 2);
  require(read(gzipped(half) + gzipped(bytes.substr(half.size()))) == counts);
  return 0;
}

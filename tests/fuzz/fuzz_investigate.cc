// Any bytes may be given to `jaxtrace investigate`: the critical path fills its step, shares are
// shares, drawings and every writer get through.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "commands/investigate/roofline_svg.h"
#include "commands/investigate/sections.h"
#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"

namespace {

using namespace jaxtrace;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_path(const CriticalPath& path) {
  Picoseconds at = path.window.begin, sum{0};
  for (const PathSegment& segment : path.segments) {
    require(segment.window.begin == at && segment.window.end >= at);
    at = segment.window.end;
  }
  require(at == path.window.end || path.segments.empty());
  for (const Picoseconds time : path.time) sum += time;
  require(sum == path.window.length() || path.segments.empty());
}

void run(const Trace& trace) {
  const Investigation all = investigate(trace, {});
  if (all.path) check_path(*all.path);
  for (const Distrust& row : all.distrusts) {
    require(!row.share || (*row.share >= 0 && *row.share <= 1));
  }
  std::ostringstream out;
  for (const Report& report : {page(all, "0"), digest(all, "0")}) {
    write_markdown(report, out);
    write_csv(report, out);
    std::ostringstream json;
    write_json(report, json);
    require(!std::move(json).str().empty());
  }
  std::ostringstream brief;
  write_json(digest(all, "0"), brief);
  require(std::move(brief).str().size() <= 4096);
  out << svg(all.swimlane) << roofline_svg(trace, all.ops, all.roofline);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("capture", 0);
  require(file >= 0);
  require(::write(file, data, size) == static_cast<ssize_t>(size));
  try {
    run(read_capture("/proc/self/fd/" + std::to_string(file)));
  } catch (const InputError&) {
    // Most inputs are no captures.
  }
  ::close(file);
  return 0;
}

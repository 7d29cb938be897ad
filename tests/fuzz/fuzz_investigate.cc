// Any bytes may be given to `jaxtrace investigate`: shares are shares, the digest is short, and
// every writer gets through.  What a critical path is made of, fuzz_swimlane looks at.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "commands/investigate/roofline_svg.h"
#include "commands/investigate/sections.h"
#include "fuzz/memory_file.h"
#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"

namespace {

using namespace jaxtrace;

void run(const Trace& trace) {
  const Investigation all = investigate(trace, {});
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
  const MemoryFile file(data, size);
  try {
    run(read_capture(file.path()));
  } catch (const InputError&) {
    // Most inputs are no captures.
  }
  return 0;
}

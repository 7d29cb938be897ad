// read_capture: finds the files, surveys all, then reads all, so that columns are reserved once for
// every host together.
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"
#include "jaxtrace/trace_builder.h"
#include "readers/runs.h"
#include "readers/xplane.h"

namespace jaxtrace {
namespace {

std::uint64_t total_size(const CaptureFiles& capture) {
  std::uint64_t total = 0;
  for (const CaptureFile& file : capture.files) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file.path, error);
    if (!error) total += size;
  }
  return total;
}

/// Opens every file.  One that is unfit among others is a finding; if all are, the first says why.
std::vector<XplaneFile> open_all(const CaptureFiles& capture, TraceBuilder& builder, Meter& meter) {
  std::vector<XplaneFile> open;
  std::optional<InputError> first;
  for (const CaptureFile& file : capture.files) {
    try {
      open.push_back(open_xplane(file.path, file.host, meter));
    } catch (const InputError& error) {
      if (!first) first = error;
      builder.note(Severity::error, "host-left-out",
                   std::string("a file of the capture was left out: ") + error.what(), file.host);
    }
  }
  if (open.empty()) throw *first;
  return open;
}

}  // namespace

Trace read_capture(const std::filesystem::path& path, const ReadOptions& options) {
  const CaptureFiles capture = find_capture(path, options.run);
  constexpr std::uint64_t kPasses = 2;
  Meter meter(options.progress, kPasses * total_size(capture));
  TraceBuilder builder;
  for (const std::string& note : capture.notes) builder.say(note);

  std::vector<XplaneFile> files = open_all(capture, builder, meter);
  std::size_t events = 0;
  for (const XplaneFile& file : files) events += count_events(file);
  builder.reserve(events);
  for (XplaneFile& file : files) read_tables(file, builder);
  for (const XplaneFile& file : files) read_streams(file, builder, meter);
  for (const XplaneFile& file : files) read_threads(file, builder, meter);
  files.clear();
  meter.finish();
  return std::move(builder).finish();
}

}  // namespace jaxtrace

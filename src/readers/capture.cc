// read_capture: finds the files, surveys all, then reads all, so that columns are reserved once for
// every host together.  Trace JSON is read in one go: how many events it has shows only at its end.
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
#include "readers/trace_json.h"
#include "readers/xplane.h"

namespace jaxtrace {
namespace {

/// The files of a capture, by kind.
struct OpenFiles {
  std::vector<XplaneFile> xplanes;
  std::vector<TraceJsonFile> jsons;

  std::size_t size() const { return xplanes.size() + jsons.size(); }
};

std::uint64_t total_size(const CaptureFiles& capture) {
  std::uint64_t total = 0;
  for (const CaptureFile& file : capture.files) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file.path, error);
    if (!error) total += size;
  }
  return total;
}

enum class Formats : std::uint8_t { xplane, xplane_or_json, json };

bool is_json(const CaptureFile& file, Formats formats) {
  if (formats != Formats::xplane_or_json) return formats == Formats::json;
  const std::string name = file.path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz") ||
         is_trace_json(MappedFile(file.path));
}

void open_one(const CaptureFile& file, Formats formats, Meter& meter, OpenFiles& open) {
  if (is_json(file, formats)) {
    open.jsons.push_back(open_trace_json(file.path, file.host, meter));
  } else {
    open.xplanes.push_back(open_xplane(file.path, file.host, meter));
  }
}

/// Opens every file.  One that is unfit among others is a finding; if all are, the first says why.
OpenFiles open_all(const CaptureFiles& capture, Formats formats, TraceBuilder& builder,
                   Meter& meter) {
  OpenFiles open;
  std::optional<InputError> first;
  for (const CaptureFile& file : capture.files) {
    try {
      open_one(file, formats, meter, open);
    } catch (const InputError& error) {
      if (!first) first = error;
      builder.note(Severity::error, "host-left-out",
                   std::string("a file of the capture was left out: ") + error.what(), file.host);
    }
  }
  if (open.size() == 0) throw *first;
  return open;
}

Trace read_files(const CaptureFiles& capture, Formats formats, const ReadOptions& options) {
  constexpr std::uint64_t kPasses = 2;
  Meter meter(options.progress, kPasses * total_size(capture));
  TraceBuilder builder;
  for (const std::string& note : capture.notes) builder.say(note);

  OpenFiles files = open_all(capture, formats, builder, meter);
  std::size_t events = 0;
  for (const XplaneFile& file : files.xplanes) events += count_events(file);
  builder.reserve(events);
  for (XplaneFile& file : files.xplanes) read_tables(file, builder);
  for (const XplaneFile& file : files.xplanes) read_streams(file, builder, meter);
  for (const XplaneFile& file : files.xplanes) read_threads(file, builder, meter);
  files.xplanes.clear();
  const bool several = files.jsons.size() > 1;
  for (TraceJsonFile& file : files.jsons) read_events(file, several, builder, meter);
  files.jsons.clear();
  meter.finish();
  return std::move(builder).finish();
}

}  // namespace

Trace read_capture(const std::filesystem::path& path, const ReadOptions& options) {
  return read_files(find_capture(path, options.run, options.json),
                    options.json ? Formats::xplane_or_json : Formats::xplane, options);
}

Trace read_trace_json(const std::filesystem::path& path, const ReadOptions& options) {
  return read_files(find_capture(path, options.run, true), Formats::json, options);
}

std::vector<std::filesystem::path> trace_jsons(const std::filesystem::path& capture,
                                               const std::string& run) {
  return jsons_beside(find_capture(capture, run, true));
}

}  // namespace jaxtrace

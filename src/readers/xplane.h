// *.xplane.pb, the profiler's own file.
//
//   plane `/device:GPU:0`     one line a stream, `Stream #16(Compute)`: kernels, copies, fills
//   plane `/host:CPU`         one line a thread: TraceMe, Python and driver calls
//   plane `/host:metadata`    no lines; the HLO of each program as a stat of its event metadata
//   plane `Task Environment`  when the session began and ended
//
// Everything else is left out, and said: lines that tools derive from the streams would count the
// same time twice, counters are not work.  GPUs are known by their plane's name; ids are not
// trusted.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "jaxtrace/trace_builder.h"
#include "readers/mapped_file.h"
#include "readers/meter.h"
#include "readers/survey.h"

namespace jaxtrace {

/// How the warning begins that `attribute --write-xplane` leaves in what it wrote of a cut file.
inline constexpr std::string_view kWrittenCut = "jaxtrace: ";

/// One file of a capture, surveyed.
struct XplaneFile {
  std::filesystem::path path;
  std::string host;  ///< Unique within the capture.
  MappedFile file;
  Survey survey;
  HostId id{};
  std::map<std::string_view, DeviceId> devices;  ///< By the name of their plane.
};

/// Throws InputError if there is no GPU in it, or it is no xplane file at all.
XplaneFile open_xplane(const std::filesystem::path& path, std::string host, Meter& meter);

/// How many events read_streams and read_threads will add.
std::size_t count_events(const XplaneFile& xplane);

/// Adds the host, its devices and its modules, and what the file says about itself.
void read_tables(XplaneFile& xplane, TraceBuilder& builder);

/// Adds the device work; read_tables must have been called.
void read_streams(const XplaneFile& xplane, TraceBuilder& builder, Meter& meter);

/// Adds the host threads.
void read_threads(const XplaneFile& xplane, TraceBuilder& builder, Meter& meter);

}  // namespace jaxtrace

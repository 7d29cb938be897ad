// *.trace.json.gz, *.trace.json and perfetto_trace.json.gz: what the profiler writes beside its
// *.xplane.pb for viewers, in the Chrome trace format.
//
//   {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}}
//   {"ph":"M","pid":1,"tid":16,"name":"thread_name","args":{"name":"Stream #16(Compute)"}}
//   {"ph":"X","pid":1,"tid":16,"ts":960.034,"dur":16.098,"name":"fusion_3","args":{…}}
//
// It holds the same events as the xplane file, but no HLO, no program ids and nothing about the
// devices; thread ids are cut to 32 bits, and from a million (or five) events on the later ones are
// missing.  That limit leaves no mark but the number and the order of the events.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "jaxtrace/trace_builder.h"
#include "readers/mapped_file.h"
#include "readers/meter.h"
#include "readers/trace_names.h"

namespace jaxtrace {

/// One file of a capture, whose names are known as far as they come before the events.
struct TraceJsonFile {
  std::filesystem::path path;
  std::string host;  ///< Unique within the capture.
  MappedFile file;
  TraceNames names;
};

/// Whether the file is JSON, compressed or not, going by how it begins.
bool is_trace_json(const MappedFile& file);

/// Throws InputError if it is no trace of the JAX profiler, or no GPU is in it.
TraceJsonFile open_trace_json(const std::filesystem::path& path, std::string host, Meter& meter);

/// Adds everything in it.  `among_others`: the capture has more files.
void read_events(TraceJsonFile& json, bool among_others, TraceBuilder& builder, Meter& meter);

}  // namespace jaxtrace

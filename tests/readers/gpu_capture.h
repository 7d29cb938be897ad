// Captures of one GPU whose events a test spells out, and what was read of them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "jaxtrace/readers.h"
#include "support/capture.h"

namespace jaxtrace {

inline const Annotation& annotation(const Trace& trace, std::size_t event) {
  return trace.annotations[static_cast<std::size_t>(trace.events.annotation[event])];
}

inline const Details& details(const Trace& trace, std::size_t event) {
  return trace.details[static_cast<std::size_t>(trace.events.details[event])];
}

inline const Finding* finding(const Trace& trace, std::string_view code) {
  const auto found = std::find_if(trace.findings.begin(), trace.findings.end(),
                                  [&](const Finding& f) { return f.code == code; });
  return found == trace.findings.end() ? nullptr : &*found;
}

/// A capture whose GPU plane holds `lines`; metadata 1 is "k", stat 1 correlation_id, 2 hlo_op,
/// 3 program_id, 4 memcpy_details, 5 kernel_details.
inline Trace read_gpu(const std::string& lines, const std::string& more = "") {
  return read_text(R"pb(planes { name: "/device:GPU:0"
                                 event_metadata {
                                   key: 1
                                   value { id: 1 name: "k" }
                                 }
                                 stat_metadata {
                                   key: 1
                                   value { name: "correlation_id" }
                                 }
                                 stat_metadata {
                                   key: 2
                                   value { name: "hlo_op" }
                                 }
                                 stat_metadata {
                                   key: 3
                                   value { name: "program_id" }
                                 }
                                 stat_metadata {
                                   key: 4
                                   value { name: "memcpy_details" }
                                 }
                                 stat_metadata {
                                   key: 5
                                   value { name: "kernel_details" }
                                 }
                                 stat_metadata {
                                   key: 6
                                   value { name: "(null)" }
                                 }
                   )pb" +
                   lines + "}" + more);
}

inline Trace read_event(const std::string& stats) {
  return read_gpu("lines { name: 'Stream #1' events { metadata_id: 1 duration_ps: 5 " + stats +
                  "} }");
}

}  // namespace jaxtrace

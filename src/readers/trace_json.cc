// A file's passes: names up to the first event, then everything, then what had to be put off.
#include "readers/trace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "jaxtrace/error.h"
#include "readers/text_windows.h"
#include "readers/trace_events.h"
#include "readers/trace_lanes.h"
#include "readers/trace_limit.h"

namespace jaxtrace {
namespace {

/// Keys that Kineto, PyTorch's profiler, writes before the events, and categories of those
/// (output_json.cpp, ActivityType.cpp).
constexpr std::array<std::string_view, 3> kKinetoKeys = {"schemaVersion", "deviceProperties",
                                                         "distributedInfo"};
constexpr std::array<std::string_view, 7> kKinetoCategories = {
    "cpu_op",      "kernel",          "gpu_memcpy",     "cuda_runtime",
    "hip_runtime", "user_annotation", "python_function"};

template <typename List>
bool holds(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool any_gpu(const TraceNames& names) {
  return std::any_of(names.processes().begin(), names.processes().end(),
                     [](const auto& entry) { return entry.second.gpu.has_value(); });
}

bool any_process(const TraceNames& names, std::string_view prefix) {
  return std::any_of(names.processes().begin(), names.processes().end(),
                     [&](const auto& entry) { return entry.second.plane.starts_with(prefix); });
}

/// "/host:CPU, /device:TPU:0 and 7 more"
std::string list_processes(const TraceNames& names) {
  constexpr std::size_t kMost = 6;
  std::set<std::string_view> distinct;
  for (const auto& [id, process] : names.processes()) distinct.insert(process.name);
  std::string list;
  std::size_t listed = 0;
  for (const std::string_view name : distinct) {
    if (listed == kMost) break;
    list += (listed++ == 0 ? "" : ", ");
    list += name;
  }
  if (distinct.size() > listed) list += fmt::format(" and {} more", distinct.size() - listed);
  return list;
}

/// What the file is, if it is no capture of GPUs.
std::string unfit(const TraceWalk& walk, const TraceNames& names, bool kineto) {
  constexpr std::string_view kGive = "give a *.trace.json.gz or *.xplane.pb of the JAX profiler";
  if (kineto) {
    return "is a PyTorch trace (Kineto's), not one of the JAX profiler; record the run with "
           "jax.profiler.trace";
  }
  if (walk.shape != TraceWalk::Shape::trace) {
    if (walk.end.how == TextEnd::How::damaged) {
      return fmt::format("cannot be inflated from byte {} on, before any event; copy it again",
                         walk.end.byte);
    }
    if (walk.cut) {
      return fmt::format("breaks off at byte {} of its text, before any event; copy it again",
                         walk.cut_byte);
    }
    return walk.shape == TraceWalk::Shape::no_json
               ? fmt::format("is no trace: it does not hold JSON; {}", kGive)
               : fmt::format("is JSON, but no trace: it has no array traceEvents; {}", kGive);
  }
  const std::string processes = list_processes(names);
  const char* machine = nullptr;
  if (any_process(names, "/host:") || any_process(names, "/device:")) machine = "CPU";
  if (any_process(names, "/device:TPU:")) machine = "TPU";
  if (machine != nullptr) {
    return fmt::format(
        "is a {} capture: no GPU process, only {}; record where the GPUs are visible", machine,
        processes);
  }
  if (walk.cut) {
    return fmt::format("breaks off at byte {} of its text, before any GPU is named; copy it again",
                       walk.cut_byte);
  }
  return fmt::format("is no trace of the JAX profiler: no process is called /device:GPU:<n>{}; {}",
                     processes.empty() ? "" : ", only " + processes, kGive);
}

bool is_kineto(const TraceWalk& walk) {
  return std::any_of(walk.keys.begin(), walk.keys.end(),
                     [](const std::string& key) { return holds(kKinetoKeys, key); });
}

void note_damage(const TraceWalk& walk, const std::string& where, TraceBuilder& builder) {
  if (walk.damaged != 0) {
    builder.note(
        Severity::error, "damaged",
        fmt::format("the text makes no sense at byte {}; reading went on at the next event",
                    walk.damaged_byte),
        where, walk.damaged);
  }
  if (walk.end.how == TextEnd::How::damaged) {
    builder.note(Severity::error, "damaged",
                 fmt::format("the file cannot be inflated from byte {} on; every event before that "
                             "was used",
                             walk.end.byte),
                 where);
  } else if (walk.cut) {
    const bool compressed = walk.end.how == TextEnd::How::cut;
    builder.note(
        Severity::data_loss, "truncated",
        fmt::format("the file is cut at byte {}{}; every event that is complete was used",
                    compressed ? walk.end.byte : walk.cut_byte, compressed ? "" : " of its text"),
        where);
  }
  if (walk.end.how == TextEnd::How::checksum) {
    builder.note(Severity::error, "damaged",
                 "the file's checksum is not that of its text: bytes were changed after it was "
                 "written",
                 where);
  }
  if (walk.end.how == TextEnd::How::followed) {
    builder.note(Severity::note, "bytes-after-the-end",
                 fmt::format("bytes after the compressed text, from byte {} on, were left out",
                             walk.end.byte),
                 where);
  }
}

void note_epoch(const TraceLanes& lanes, const std::string& where, TraceBuilder& builder) {
  for (const HostId id : lanes.hosts()) {
    const std::int64_t origin_ns = builder.host(id).origin_ns;
    if (origin_ns == 0) continue;
    builder.note(
        Severity::note, "epoch-times",
        fmt::format("times count from 1970 in this file; {} ns, the begin of its first day, "
                    "were taken off",
                    origin_ns),
        where);
  }
}

void note_limit(const TraceLimit& limit, const std::string& where, TraceBuilder& builder) {
  builder.note(
      Severity::data_loss, "json-event-limit",
      fmt::format(
          "the profiler kept the earliest {} events{}: everything later is missing, "
          "so use the *.xplane.pb of the same run, which has all",
          limit.events,
          limit.chosen ? ", a limit set by TF_PROFILER_TRACE_VIEWER_MAX_EVENTS, it seems" : ""),
      where);
}

}  // namespace

bool is_trace_json(const MappedFile& file) {
  TextWindows windows(file);
  const std::string_view text = windows.next({});
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return false;
  // An xplane file may begin like that: a line feed is the tag of its first plane, a brace the
  // length of a small one.  But then tags follow, which are control characters.
  const std::string_view begin = text.substr(first, 64);
  return std::none_of(begin.begin(), begin.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r' && c != '\n';
  });
}

TraceJsonFile open_trace_json(const std::filesystem::path& path, std::string host, Meter& meter) {
  TraceJsonFile json{path, std::move(host), MappedFile(path), {}};
  if (json.file.bytes().empty()) {
    throw InputError(path.string(), "is empty; the profiler did not finish writing it");
  }
  bool kineto = false;
  // Names come first, and a GPU's before those of hosts.  A file without one is read to its end, to
  // be sure.
  const TraceWalk walk = walk_trace_events(json.file, meter, [&](const TraceEvent& event) {
    if (event.phase == 'M') json.names.learn(event);
    kineto = kineto || holds(kKinetoCategories, event.category);
    return !kineto && (event.phase != 'X' || !any_gpu(json.names));
  });
  if (!any_gpu(json.names)) {
    throw InputError(path.string(), unfit(walk, json.names, kineto || is_kineto(walk)));
  }
  return json;
}

void read_events(TraceJsonFile& json, bool among_others, TraceBuilder& builder, Meter& meter) {
  TraceLanes lanes(json.names, {json.host, json.path.string(), among_others}, builder);
  LimitWatch watch;
  const TraceWalk walk = walk_trace_events(json.file, meter, [&](const TraceEvent& event) {
    if (event.phase == 'M') json.names.learn(event);
    if (event.phase == 'X') {
      watch.see(event);
      lanes.add(event);
    }
    return true;
  });
  if (lanes.begin_second_pass()) {
    walk_trace_events(json.file, meter, [&](const TraceEvent& event) {
      if (event.phase == 'X') lanes.add(event);
      return true;
    });
  }
  lanes.finish();

  note_damage(walk, json.host, builder);
  if (walk.cut || walk.damaged != 0 || walk.end.how == TextEnd::How::damaged) {
    for (const HostId host : lanes.hosts()) builder.host(host).partial = true;
  }
  note_epoch(lanes, json.host, builder);
  if (const auto limit = watch.limit()) note_limit(*limit, json.host, builder);
  if (json.names.shared() != 0) {
    builder.note(
        Severity::note, "shared-thread-id",
        "threads have two names: ids of 64 bits were cut to 32, and some met; their events "
        "cannot be told apart",
        json.host, json.names.shared());
  }
  builder.note(Severity::note, "read-from-json",
               "read from JSON, which has no HLO, no program ids and nothing about the GPUs; the "
               "*.xplane.pb of the same run has them",
               json.host);
}

}  // namespace jaxtrace

// filenames.json, occupancy.json and realtime.json:
//
//   {"gfxip": 9, "gfxv": "vega", "version": "3.0.0", "pc_sampling": false,
//    "wave_filenames": {"0": {"3": {"1": {"0": ["se0_sm3_sl1_wv0.json", 45980, 65348]}}}}}
//
//   {"0": [[45932, 0, 3, 0, 1, 4], …], "dispatches": {"4": "_Z8micro_tk…"}, "version": "3.0.0"}
//   by engine: time, CU, SIMD, slot, 1 for a start and 0 for an end, kernel
//
//   {"SE0": [[gfx clock, realtime clock], …], "metadata": {"frequency": 100000000}}
//
// Which wave files there are is asked of the directory, not of filenames.json: people copy some of
// them.  filenames.json says how many there were.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <system_error>

#include "jaxtrace/error.h"
#include "readers/att_notes.h"
#include "readers/att_parts.h"
#include "readers/att_wave_name.h"
#include "readers/json_cursor.h"
#include "readers/mapped_file.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

/// Calls `read` with a cursor over a file of the directory, if it is there; what cannot be read to
/// the end is a finding.
void read_part(ThreadTrace& trace, const char* name, const std::function<void(JsonCursor&)>& read) {
  const fs::path path = trace.directory / name;
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(path, ignored))) return;
  const std::string where = trace.name + '/' + name;
  try {
    const MappedFile file(path);
    JsonCursor at(file.bytes());
    read(at);
    if (!at.failed()) return;
    note(trace.findings, Severity::data_loss, "att-part-unreadable",
         fmt::format("makes no sense from byte {} on; what it says before is used", at.byte()),
         where);
  } catch (const InputError&) {
    note(trace.findings, Severity::data_loss, "att-part-unreadable", "cannot be read", where);
  }
}

/// Lists of waves below objects of any depth: their names are strings at the front of an array.
void count_waves(JsonCursor& at, std::uint64_t& count) {
  constexpr std::size_t kDeepest = 8;
  std::string key;
  std::size_t depth = 0;
  if (!at.enter_object()) {
    at.skip();
    return;
  }
  for (depth = 1; depth > 0;) {
    if (!at.next_key(key)) {
      if (at.failed()) return;
      --depth;
    } else if (depth < kDeepest && at.enter_object()) {
      ++depth;
    } else {
      if (at.peek() == JsonCursor::Kind::array) ++count;
      at.skip();
    }
  }
}

void find_wave_files(ThreadTrace& trace) {
  std::error_code error;
  for (fs::directory_iterator entry(trace.directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (wave_name(name) && fs::is_regular_file(entry->symlink_status(ignored))) {
      trace.wave_files.push_back(std::move(name));
    }
  }
  std::ranges::sort(trace.wave_files, {},
                    [](const std::string& name) { return std::pair(*wave_name(name), name); });
}

/// One row of occupancy.json; false if it is none.
bool read_event(JsonCursor& at, OccupancyEvent& event) {
  std::array<std::optional<std::int64_t>, 6> cells;
  if (!at.integers(cells) ||
      !std::ranges::all_of(cells, [](const auto& c) { return c.has_value(); })) {
    return false;
  }
  event.time = *cells[0];
  event.cu = *cells[1];
  event.simd = *cells[2];
  event.slot = *cells[3];
  event.starts = *cells[4] != 0;
  event.kernel = *cells[5];
  return true;
}

bool is_number(const std::string& key) {
  return !key.empty() && key.size() < 9 &&
         std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; });
}

/// First and last of a list of [gfx clock, realtime clock].
struct ClockSpan {
  std::int64_t gfx = 0, realtime = 0;
};

ClockSpan read_clock_pairs(JsonCursor& at) {
  std::optional<ClockSpan> first;
  ClockSpan last;
  while (at.next_item()) {
    std::array<std::optional<std::int64_t>, 2> pair;
    if (!at.integers(pair)) continue;
    if (!pair[0] || !pair[1] || *pair[0] < 0 || *pair[1] < 0) continue;
    last = {*pair[0], *pair[1]};
    if (!first) first = last;
  }
  if (!first) return {};
  return {last.gfx - first->gfx, last.realtime - first->realtime};
}

}  // namespace

void read_att_filenames(ThreadTrace& trace) {
  read_part(trace, "filenames.json", [&](JsonCursor& at) {
    std::string key;
    bool sampled = false, traced = true;
    if (!at.enter_object()) {
      at.skip();
      return;
    }
    while (at.next_key(key)) {
      if (key == "gfxip") {
        if (at.peek() == JsonCursor::Kind::string) {
          at.string(trace.gfxip);
        } else if (const auto number = at.integer()) {
          trace.gfxip = std::to_string(*number);
        }
      } else if (key == "wave_filenames") {
        count_waves(at, trace.waves_listed);
      } else if (key == "pc_sampling") {
        sampled = at.boolean().value_or(false);
      } else if (key == "thread_trace") {
        traced = at.boolean().value_or(true);
      } else {
        at.skip();
      }
    }
    if (sampled && !traced) trace.timing = Timing::pc_sampling;
  });
  find_wave_files(trace);
  if (trace.wave_files.size() >= trace.waves_listed) return;
  const std::string what =
      trace.wave_files.empty()
          ? fmt::format(
                "none of the {} wave files is there; totals do not need them, but what waits "
                "wait for goes by the order of instructions",
                trace.waves_listed)
          : fmt::format(
                "only {} of {} wave files are there; totals do not need them, but what waits "
                "wait for goes by these",
                trace.wave_files.size(), trace.waves_listed);
  note(trace.findings, Severity::note, "att-waves-missing", what, trace.name);
}

void read_att_occupancy(ThreadTrace& trace) {
  std::uint64_t unreadable = 0;
  read_part(trace, "occupancy.json", [&](JsonCursor& at) {
    std::string key;
    if (!at.enter_object()) {
      at.skip();
      return;
    }
    while (at.next_key(key)) {
      if (!is_number(key) || !at.enter_array()) {
        at.skip();
        continue;
      }
      OccupancyEvent event;
      event.engine = std::atoll(key.c_str());
      while (at.next_item()) {
        const bool read = read_event(at, event);
        if (at.failed()) break;
        if (read) {
          trace.occupancy.push_back(event);
        } else {
          ++unreadable;
        }
      }
    }
  });
  if (unreadable > 0) {
    note(trace.findings, Severity::error, "att-part-unreadable",
         fmt::format("{} of its rows cannot be read and are left out", unreadable),
         trace.name + "/occupancy.json");
  }
  std::ranges::stable_sort(trace.occupancy, {}, [](const OccupancyEvent& event) {
    return std::tuple(event.engine, event.time, event.starts);
  });
}

void read_att_clock(ThreadTrace& trace) {
  read_part(trace, "realtime.json", [&](JsonCursor& at) {
    ClockSpan longest;
    std::optional<std::int64_t> frequency;
    std::string key;
    if (!at.enter_object()) {
      at.skip();
      return;
    }
    while (at.next_key(key)) {
      if (key.starts_with("SE") && at.enter_array()) {
        const ClockSpan span = read_clock_pairs(at);
        if (span.realtime > longest.realtime) longest = span;
      } else if (key == "metadata" && at.enter_object()) {
        while (at.next_key(key)) {
          if (key == "frequency") {
            frequency = at.integer();
          } else {
            at.skip();
          }
        }
      } else {
        at.skip();
      }
    }
    if (frequency.value_or(0) > 0 && longest.realtime > 0 && longest.gfx > 0) {
      trace.clock_hz = static_cast<double>(longest.gfx) / static_cast<double>(longest.realtime) *
                       static_cast<double>(*frequency);
    }
  });
}

}  // namespace jaxtrace

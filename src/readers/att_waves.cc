// Wave files, se<engine>_sm<SIMD>_sl<slot>_wv<number>.json:
//
//   {"duration": 19028, "name": "SE0", "num_insts": 961, "num_stitched": 961,
//    "wave": {"begin": 45972, "cu": 1, "end": 65000, "id": 0, "simd": 0, "slot": 0,
//             "instructions": [[46728, 2, 0, 4, 1], [46788, 9, 536, 536, 16], …],
//             "timeline": [[1, 756], [2, 8], …],
//             "waitcnt": [[156, [[102, 0], [109, 0]]], …]}}
//
// An instruction is time, category, stall, duration, line.  Any list may be null.  A wave file that
// breaks off is left out whole: a part of a wave looks like a wave that waited for nothing.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "jaxtrace/error.h"
#include "jaxtrace/thread_trace_reader.h"
#include "readers/att_notes.h"
#include "readers/att_wave_name.h"
#include "readers/json_cursor.h"
#include "readers/mapped_file.h"

namespace jaxtrace {
namespace {

/// A row of five integers; false if it is none.
bool read_step(JsonCursor& at, WaveStep& step) {
  std::array<std::optional<std::int64_t>, 5> cells;
  if (!at.integers(cells) ||
      !std::ranges::all_of(cells, [](const auto& c) { return c.has_value(); })) {
    return false;
  }
  const auto [time, category, stall, duration, line] = cells;
  // Times beyond this add up to no 64-bit number; a category has a few values.
  constexpr std::int64_t kMost = std::int64_t{1} << 60U;
  if (*time < -kMost || *time > kMost || *stall < 0 || *duration < *stall || *duration > kMost ||
      *category < 0 || *category > 255) {
    return false;
  }
  step = {*time, *stall, *duration, *line, static_cast<std::uint8_t>(*category)};
  return true;
}

void read_steps(JsonCursor& at, Wave& wave, std::uint64_t& unreadable) {
  if (!at.enter_array()) {
    at.skip();
    return;
  }
  WaveStep step;
  while (at.next_item()) {
    if (read_step(at, step)) {
      wave.steps.push_back(step);
    } else {
      ++unreadable;
    }
  }
}

/// [[line, [[line of an operation, 0], …]], …]
void read_waits(JsonCursor& at, Wave& wave) {
  if (!at.enter_array()) {
    at.skip();
    return;
  }
  while (at.next_item()) {
    if (!at.enter_array()) {
      at.skip();
      continue;
    }
    WaveWait wait;
    for (std::size_t i = 0; at.next_item(); ++i) {
      if (i == 0) {
        wait.line = at.integer().value_or(-1);
      } else if (i > 1 || !at.enter_array()) {
        at.skip();
      } else {
        while (at.next_item()) {
          std::optional<std::int64_t> operation;
          if (at.integers({&operation, 1}) && operation) wait.waits_for.push_back(*operation);
        }
      }
    }
    wave.waits.push_back(std::move(wait));
  }
}

struct Member {
  std::string_view name;
  std::int64_t Wave::*field;
};

constexpr Member kMembers[] = {{"cu", &Wave::cu}, {"simd", &Wave::simd},   {"slot", &Wave::slot},
                               {"id", &Wave::id}, {"begin", &Wave::begin}, {"end", &Wave::end}};

void read_wave(JsonCursor& at, Wave& wave, std::uint64_t& unreadable) {
  std::string key;
  if (!at.enter_object()) {
    at.skip();
    return;
  }
  while (at.next_key(key)) {
    if (key == "instructions") {
      read_steps(at, wave, unreadable);
    } else if (key == "waitcnt") {
      read_waits(at, wave);
    } else if (const auto* const member = std::ranges::find(kMembers, key, &Member::name);
               member != std::end(kMembers)) {
      wave.*member->field = at.integer().value_or(wave.*member->field);
    } else {
      at.skip();
    }
  }
}

/// The wave of a file; what is wrong with it comes back as a sentence.
std::string read_file(const std::filesystem::path& path, Wave& wave, std::uint64_t& unstitched) {
  std::uint64_t unreadable = 0;
  std::optional<std::int64_t> instructions, stitched;
  const MappedFile file(path);
  JsonCursor at(file.bytes());
  std::string key;
  bool found = false;
  if (at.enter_object()) {
    while (at.next_key(key)) {
      if (key == "wave") {
        read_wave(at, wave, unreadable);
        found = true;
      } else if (key == "num_insts") {
        instructions = at.integer();
      } else if (key == "num_stitched") {
        stitched = at.integer();
      } else {
        at.skip();
      }
    }
  }
  if (at.failed()) return fmt::format("breaks off at byte {} and is left out", at.byte());
  if (!found) return "holds no wave and is left out";
  if (unreadable > 0) {
    return fmt::format("has {} instructions that cannot be read and is left out", unreadable);
  }
  if (instructions && stitched && *stitched < *instructions) unstitched += 1;
  return "";
}

}  // namespace

std::optional<std::array<std::int64_t, 4>> wave_name(std::string_view name) {
  std::array<std::int64_t, 4> numbers{};
  std::size_t i = 0;
  for (const std::string_view word : {"se", "_sm", "_sl", "_wv"}) {
    if (!name.starts_with(word)) return std::nullopt;
    name.remove_prefix(word.size());
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), numbers[i++]);
    if (error != std::errc()) return std::nullopt;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  }
  if (name != ".json") return std::nullopt;
  return numbers;
}

std::vector<Finding> read_waves(const ThreadTrace& trace,
                                const std::function<void(const Wave&)>& take) {
  std::vector<Finding> findings;
  std::uint64_t left_out = 0, unstitched = 0;
  std::string first;
  Wave wave;
  for (const std::string& name : trace.wave_files) {
    wave.file = name;
    wave.steps.clear();
    wave.waits.clear();
    const auto numbers = wave_name(name).value_or(std::array<std::int64_t, 4>{});
    wave.engine = numbers[0];
    wave.simd = numbers[1];
    wave.slot = numbers[2];
    wave.id = numbers[3];
    wave.cu = wave.begin = wave.end = 0;
    std::string wrong;
    try {
      wrong = read_file(trace.directory / name, wave, unstitched);
    } catch (const InputError&) {
      wrong = "cannot be read and is left out";
    }
    if (!wrong.empty()) {
      if (left_out++ == 0) first = name + ' ' + wrong;
      continue;
    }
    std::ranges::stable_sort(wave.steps, {}, &WaveStep::begin);
    take(wave);
  }
  if (left_out > 0) {
    note(findings, Severity::error, "att-wave-unreadable",
         left_out == 1
             ? first
             : fmt::format("{} (and {} more wave files are left out)", first, left_out - 1),
         trace.name);
  }
  if (unstitched > 0) {
    note(
        findings, Severity::data_loss, "att-wave-unstitched",
        fmt::format("of {} waves some instructions could not be found in the code; the decoder and "
                    "the profiler may be of different versions, so update both",
                    unstitched),
        trace.name);
  }
  return findings;
}

}  // namespace jaxtrace

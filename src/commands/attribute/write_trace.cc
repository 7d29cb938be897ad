// Choosing, writing, and saying what was written.
#include "commands/attribute/write_trace.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "commands/attribute/words.h"
#include "export/gzip_out.h"
#include "export/own_files.h"
#include "jaxtrace/error.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto got = std::from_chars(text.data(), end, value);
  if (got.ec != std::errc{} || got.ptr != end) return std::nullopt;
  return value;
}

std::optional<StepRange> steps_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view first = text.substr(0, colon), end = text.substr(colon + 1);
  const StepRange range{number_of<std::int64_t>(first), number_of<std::int64_t>(end)};
  if ((!first.empty() && !range.first) || (!end.empty() && !range.end)) return std::nullopt;
  if (range.first && range.end && *range.first >= *range.end) return std::nullopt;
  return range;
}

std::optional<int> device_of(std::string_view text) {
  constexpr std::string_view kPrefix = "GPU:";
  const auto same = [](char letter, char upper) {
    return letter == upper || (upper >= 'A' && upper <= 'Z' && letter == upper - 'A' + 'a');
  };
  if (text.size() >= kPrefix.size() &&
      std::ranges::equal(text.substr(0, kPrefix.size()), kPrefix, same)) {
    text.remove_prefix(kPrefix.size());
  }
  const std::optional<int> ordinal = number_of<int>(text);
  return ordinal && *ordinal >= 0 ? ordinal : std::nullopt;
}

std::string steps_fault(const std::string& text) {
  if (steps_of(text)) return {};
  return '"' + text + "\" is not A:B, two step numbers of which the second is greater";
}

std::string device_fault(const std::string& text) {
  if (device_of(text)) return {};
  return '"' + text + "\" is neither a GPU's number nor GPU:N";
}

std::string file_fault(const std::string& text) {
  const std::string name = fs::path(text).filename().string();
  if (name.empty()) return '"' + text + "\" is no name of a file";
  if (text == "-")
    return "standard output carries the report, so the trace needs a file of its own";
  if (name.ends_with(".xplane.pb")) {
    return '"' + text + "\" would be taken for a capture; name it FILE.json.gz";
  }
  if (name[0] == '.') return '"' + text + "\" would be a hidden file; give it another name";
  return {};
}

// V8 holds strings of 2^29 characters, so Chrome's viewer cannot take a longer text.
constexpr std::uint64_t kLargeBytes = std::uint64_t{1} << 29U;

/// Refuses to put the trace in the place of anything but an older one.
void require_replaceable(const fs::path& file, const std::vector<fs::path>& inputs) {
  const auto fail = [&](const std::string& what) {
    throw OutputError(file.string(), what + "; give --write-trace another name");
  };
  std::error_code ignored;
  for (const fs::path& input : inputs) {
    if (fs::equivalent(input, file, ignored)) fail("is a file of the capture");
  }
  const fs::file_status there = fs::symlink_status(file, ignored);
  if (!fs::exists(there)) return;  // What cannot be looked at cannot be written either.
  if (fs::is_symlink(there)) fail("is a symbolic link, which is not replaced");
  if (fs::is_directory(there)) fail("is a directory");
  if (!fs::is_regular_file(there)) fail("is a device, pipe or socket, not a file");
  if (!is_own_trace_file(file)) {
    fail("is there already, and is no trace that jaxtrace has written");
  }
}

std::string known_devices(const Trace& trace) {
  std::set<int> ordinals;
  for (const Device& device : trace.devices) ordinals.insert(device.ordinal);
  if (ordinals.empty()) return "it has none";
  const int first = *ordinals.begin(), last = *ordinals.rbegin();
  const bool dense = static_cast<std::size_t>(last - first) + 1 == ordinals.size();
  if (ordinals.size() == 1) return fmt::format("it has GPU:{} alone", first);
  return fmt::format("it has {} GPUs, {}GPU:{} to GPU:{}", ordinals.size(),
                     dense ? "" : "with gaps from ", first, last);
}

void require_choice(const TraceFlags& flags, const fs::path& capture, const Trace& trace,
                    const Steps& steps, const TraceSelection& selection) {
  if (std::ranges::find(selection.device, true) == selection.device.end() &&
      !flags.device.empty()) {
    throw InputError(capture.string(), fmt::format("has no GPU:{} for --device; {}",
                                                   *device_of(flags.device), known_devices(trace)));
  }
  if (flags.steps.empty()) return;
  if (steps.rule == StepRule::none) {
    throw InputError(capture.string(),
                     "has no steps for --steps to choose from: no step annotations, and no "
                     "function or program that runs three times; leave --steps out");
  }
  if (!selection.empty()) return;
  const auto [first, last] = std::ranges::minmax(steps.steps, {}, &Step::number);
  throw InputError(
      capture.string(),
      fmt::format("has no step in {}; its {} steps of {} are numbered {} to {}", flags.steps,
                  steps.steps.size(), steps.name, first.number, last.number));
}

}  // namespace

void declare_trace_flags(CLI::App& app, TraceFlags& flags) {
  CLI::Option* const write =
      app.add_option("--write-trace", flags.file,
                     "Write a trace for ui.perfetto.dev or chrome://tracing, gzip if so named")
          ->type_name("FILE.json.gz")
          ->check(CLI::Validator(file_fault, ""));
  app.add_option("--steps", flags.steps,
                 "Of --write-trace: only steps A to B-1, by the numbers of skip-stats")
      ->type_name("A:B")
      ->check(CLI::Validator(steps_fault, ""))
      ->needs(write);
  app.add_option("--device", flags.device, "Of --write-trace: only this GPU, N or GPU:N")
      ->type_name("N")
      ->check(CLI::Validator(device_fault, ""))
      ->needs(write);
}

WrittenTrace write_trace(const TraceFlags& flags, const fs::path& capture,
                         const std::vector<fs::path>& inputs, const Trace& trace,
                         const Attribution& attribution, const Ops& ops,
                         const hlo::UserTest& user) {
  const Works works = find_works(trace);
  const std::vector<DeviceTimeline> timelines = device_timelines(trace, works);
  const Steps steps = find_steps(trace, works, timelines);
  TraceChoice choice;
  if (!flags.steps.empty()) choice.steps = steps_of(flags.steps);
  if (!flags.device.empty()) choice.device = device_of(flags.device);
  const TraceSelection selection = select_trace(trace, works, steps, timelines, choice);
  require_choice(flags, capture, trace, steps, selection);

  const fs::path file(flags.file);
  require_replaceable(file, inputs);
  WrittenTrace written{
      .name = file.filename().string(),
      .counts = {},
      .directory = std::make_unique<OutputDir>(
          file.has_parent_path() ? file.parent_path() : fs::path("."), inputs, "--write-trace")};
  std::ostream& out = written.directory->file(written.name);
  const TraceFileInput input{trace, attribution, ops, works, steps, timelines, selection, user};
  if (file.extension() == ".gz") {
    GzipOut gzip(out);
    written.counts = write_trace_file(input, [&](std::string_view text) { gzip.write(text); });
    gzip.finish();
  } else {
    written.counts = write_trace_file(input, [&](std::string_view text) {
      out.write(text.data(), static_cast<std::streamsize>(text.size()));
    });
  }
  return written;
}

void require_apart(const TraceFlags& flags, const OutputDir& directory) {
  if (directory.writes(flags.file)) {
    throw OutputError(flags.file, "is a file of the report; give --write-trace another name");
  }
}

void describe(const WrittenTrace& written, Report& report) {
  const TraceFileCounts& counts = written.counts;
  std::string text = fmt::format(
      "`{}`, for ui.perfetto.dev and chrome://tracing, holds {}, {}, {} of instructions, scopes, "
      "lines, runs and steps, and {} from launches to kernels.",
      escape_markdown(written.name), counted(counts.device_events, "device event"),
      counted(counts.host_events, "host event"), counted(counts.derived, "slice"),
      counted(counts.arrows, "arrow"));
  std::vector<std::string> notes;
  const auto note = [&](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) notes.push_back(counted(count, one, many));
  };
  note(counts.moved_kernels,
       "device event begins before the one before it on its stream has ended, and stands in a "
       "further row",
       "device events begin before the one before them on their stream has ended, and stand in "
       "further rows");
  note(counts.moved_host, "host event overlaps another without being inside, likewise",
       "host events overlap others without being inside, likewise");
  if (counts.cut.count > 0) {
    notes.push_back(fmt::format("{} cut where the next begins, by {} at most",
                                counted(counts.cut.count, "slice is", "slices are"),
                                time_text(counts.cut.longest.count())));
  }
  note(counts.damaged, "event with impossible times is left out",
       "events with impossible times are left out");
  note(counts.left_out, "event overlaps more than 250 others and is left out",
       "events overlap more than 250 others and are left out");
  note(counts.backwards, "kernel begins before its launch and has no arrow",
       "kernels begin before their launch and have no arrow");
  if (counts.shift.count() != 0) {
    notes.push_back(
        fmt::format("every time is {} later than in the capture, so that none is "
                    "negative",
                    time_text(counts.shift.count())));
  }
  if (counts.bytes >= kLargeBytes) {
    notes.push_back(fmt::format(
        "it is {} of JSON before compression, more than chrome://tracing takes and much for any "
        "browser; --steps and --device make it smaller",
        for_people(static_cast<std::int64_t>(counts.bytes), Unit::bytes)));
  }
  report.blocks.emplace_back(Heading{"The trace"});
  report.blocks.emplace_back(Prose{std::move(text)});
  if (!notes.empty()) {
    Bullets bullets;
    for (std::string& item : notes) bullets.items.push_back(std::move(item) + '.');
    report.blocks.emplace_back(std::move(bullets));
  }
  const auto fact = [&](const char* key, std::uint64_t count) {
    report.blocks.emplace_back(Fact{key, static_cast<std::int64_t>(count)});
  };
  fact("trace_device_events", counts.device_events);
  fact("trace_host_events", counts.host_events);
  fact("trace_derived_slices", counts.derived);
  fact("trace_arrows", counts.arrows);
}

}  // namespace jaxtrace

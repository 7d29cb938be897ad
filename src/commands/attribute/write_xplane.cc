// Names: a run keeps the name of its folder, so that both runs can be told apart and compared; a
// file that lies in no run folder makes a run of its own name.  No clock is asked, so the same
// capture is written to the same place again.
#include "commands/attribute/write_xplane.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Option.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <system_error>
#include <utility>

#include "commands/attribute/words.h"
#include "export/own_files.h"
#include "jaxtrace/error.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".xplane.pb";

/// The path without symbolic links, as far as it exists.
fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  if (error) real = path.lexically_normal();
  return real.has_filename() ? real : real.parent_path();
}

/// `2025_02_05_11_05_24`, or anything else below a folder `profile`.
bool is_run_folder(const fs::path& folder) {
  constexpr std::string_view kPattern = "0000_00_00_00_00_00";
  const std::string name = folder.filename().string();
  const auto fits = [](char letter, char pattern) {
    return pattern == '0' ? letter >= '0' && letter <= '9' : letter == pattern;
  };
  return folder.parent_path().filename() == "profile" ||
         std::equal(name.begin(), name.end(), kPattern.begin(), kPattern.end(), fits);
}

std::string host_file(const fs::path& file) {
  std::string name = file.filename().string();
  if (!name.ends_with(kSuffix)) name += kSuffix;
  return name;
}

std::string run_of(const fs::path& capture, const fs::path& file) {
  const fs::path folder = real_path(file).parent_path();
  if (is_run_folder(folder)) return folder.filename().string();
  std::error_code ignored;
  std::string name =
      fs::is_directory(capture, ignored) ? folder.filename().string() : file.filename().string();
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  return name.empty() ? "capture" : name;
}

/// What XProf computed from files that are to be replaced, and would go on showing.
std::vector<fs::path> stale_results(const fs::path& directory, const fs::path& run) {
  constexpr std::array<std::string_view, 3> kEndings = {".op_stats_v2.pb", ".op_stats.pb",
                                                        ".SSTABLE"};
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory / run, ignored)) {
    const std::string name = entry.path().filename().string();
    const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
    if (std::ranges::any_of(kEndings, ends)) found.push_back(run / name);
  }
  std::ranges::sort(found);
  return found;
}

/// `input` is what `target` would be made of.
void require_replaceable(const fs::path& target, const fs::path& input,
                         const std::vector<fs::path>& inputs) {
  const fs::path real = real_path(target);
  const auto fail = [&](const std::string& what) {
    throw OutputError(target.string(), what + "; --write-xplane needs another directory");
  };
  if (real == real_path(input)) fail("is the capture itself, which is never changed");
  if (std::ranges::find(inputs, real, real_path) != inputs.end()) {
    fail("is a file of a capture that is read here, which is never changed");
  }
  std::error_code ignored;
  const fs::file_status there = fs::symlink_status(target, ignored);
  if (there.type() == fs::file_type::not_found) return;
  if (fs::is_symlink(there)) fail("is a symbolic link, which is not replaced");
  // A copy of the input is what an earlier run writes that finds nothing to add.
  if (!is_own_xplane(target) && !same_content(target, input)) {
    fail("is there already, and is no capture that jaxtrace has written");
  }
}

/// What is wrong with what the user gave; empty if nothing is.
std::string directory_fault(const std::string& text) {
  return text.empty() ? "is an empty name" : "";
}

std::string confidence_fault(const std::string& text) {
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto got = std::from_chars(text.data(), end, value);
  const bool fits = got.ec == std::errc{} && got.ptr == end && value >= 0 && value <= 1;
  return fits ? "" : '"' + text + "\" is not a number from 0 to 1";  // Nor is nan.
}

/// All counted device events, by what became of them.
struct Outcomes {
  Amount exact, added, before, unsure_before, unsure, none, damaged;
  bool cut = false;
};

Outcomes count(const XplaneFiles& files, const Measured& measured, const Counted& counted) {
  Outcomes outcomes;
  for (const XplaneWritten& written : files.written) {
    outcomes.added.add(written.added);
    outcomes.before.add(written.before);
    outcomes.unsure_before.add(written.unsure);
    outcomes.damaged.add(written.damaged);
    outcomes.cut = outcomes.cut || written.cut_at.has_value();
  }
  for (std::size_t i = 0; i < measured.attribution.labels.size(); ++i) {
    const Label& label = measured.attribution.labels[i];
    if (!counted.label[i] || is_written(label, files.min_confidence)) continue;
    Amount& amount = label.match == Match::exact  ? outcomes.exact
                     : label.match == Match::none ? outcomes.none
                                                  : outcomes.unsure;
    amount.add({measured.sums.label[i].kernels, measured.sums.label[i].total_ps});
  }
  outcomes.unsure.add({-outcomes.unsure_before.events, -outcomes.unsure_before.total_ps});
  return outcomes;
}

/// "a.pb and 2 more"
std::string first_of(const std::vector<fs::path>& paths) {
  std::string text = escape_markdown(paths.front().string());
  if (paths.size() > 1) text += fmt::format(" and {} more", count_text(std::ssize(paths) - 1));
  return text;
}

std::string prose(const XplaneFiles& files, const Outcomes& outcomes, std::int64_t all_ps) {
  std::string text =
      fmt::format("Written for `xprof --logdir`, below the directory of --write-xplane: {}.",
                  first_of(files.names));
  const std::int64_t before_events = outcomes.before.events + outcomes.unsure_before.events;
  const std::int64_t before_ps = outcomes.before.total_ps + outcomes.unsure_before.total_ps;
  if (outcomes.added.events > 0) {
    const std::int64_t named = outcomes.exact.total_ps + before_ps + outcomes.added.total_ps;
    text += fmt::format(" Of the time, {} has its instruction there; the tracer had named {}.",
                        share_text(named, all_ps), share_text(outcomes.exact.total_ps, all_ps));
  } else {
    text += before_events > 0 ? " All there is to add was added by an earlier run"
                              : " There was nothing to add";
    text += outcomes.cut ? "." : ": each file is its input, byte for byte.";
  }
  if (outcomes.cut) {
    text +=
        " What was incomplete at the end of the input is left out, so that the file can be "
        "opened.";
  }
  if (!files.stale.empty()) {
    text += fmt::format(
        " XProf goes on showing what it computed from an older file there until {} "
        "is deleted.",
        first_of(files.stale));
  }
  return text;
}

Table table(const XplaneFiles& files, const Outcomes& outcomes, const Cost& all) {
  Table table{.id = "written",
              .caption = "",
              .columns = {{"in_the_file", Unit::none, "in the file"},
                          {"kernels", Unit::count},
                          {"kernel_share", Unit::ratio, "of kernels"},
                          {"total_ps", Unit::time, "time"},
                          {"time_share", Unit::ratio, "of time"}},
              .rows = {}};
  const auto add = [&](std::string what, const Amount& amount) {
    table.rows.push_back({std::move(what), amount.events, share(amount.events, all.kernels),
                          amount.total_ps, share(amount.total_ps, all.total_ps)});
  };
  add("the tracer's own instruction, left", outcomes.exact);
  add("instruction added", outcomes.added);
  if (outcomes.before.events > 0) add("instruction added by an earlier run", outcomes.before);
  const std::string below = fmt::format("confidence below {:g}", files.min_confidence / 1000.0);
  if (outcomes.unsure_before.events > 0) {
    add("instruction added by an earlier run, " + below, outcomes.unsure_before);
  }
  add("unchanged: " + below, outcomes.unsure);
  add("unchanged: no instruction found", outcomes.none);
  if (outcomes.damaged.events > 0) add("unchanged: damaged bytes", outcomes.damaged);
  return table;
}

}  // namespace

void declare_xplane_flags(CLI::App& app, WriteXplaneFlags& flags) {
  CLI::Option* const write =
      app.add_option("--write-xplane", flags.directory,
                     "Write the capture once more, as a log directory for XProf, with the "
                     "instructions found")
          ->type_name("DIR")
          ->check(CLI::Validator(directory_fault, ""));
  app.add_option("--min-confidence", flags.min_confidence,
                 "Of --write-xplane: least confidence (0 to 1) of what is added; default 0.9")
      ->type_name("C")
      ->check(CLI::Validator(confidence_fault, ""))
      ->needs(write);
}

void XplaneFiles::commit() {
  for (const auto& run : runs) run->commit();
}

XplaneFiles write_xplane_files(const Trace& trace, const Attribution& attribution,
                               const fs::path& capture, const std::vector<fs::path>& inputs,
                               const WriteXplaneFlags& flags) {
  XplaneFiles files;
  files.directory = flags.directory;
  files.min_confidence = static_cast<std::uint16_t>(std::ceil(flags.min_confidence * 1000 - 1e-6));

  struct Target {
    HostId host;
    std::string name;
  };
  std::map<fs::path, std::vector<Target>> runs;  // By folder below the directory.
  for (std::size_t i = 0; i < trace.hosts.size(); ++i) {
    const fs::path file(trace.strings[trace.hosts[i].file]);
    const fs::path run = fs::path("plugins/profile") / run_of(capture, file);
    const std::string name = host_file(file);
    require_replaceable(files.directory / run / name, file, inputs);
    runs[run].push_back({HostId{static_cast<std::uint16_t>(i)}, name});
  }

  for (const auto& [run, targets] : runs) {
    const std::vector<fs::path> stale = stale_results(files.directory, run);
    files.stale.insert(files.stale.end(), stale.begin(), stale.end());
    files.runs.push_back(
        std::make_unique<OutputDir>(files.directory / run, inputs, "--write-xplane"));
    for (const Target& target : targets) {
      files.names.push_back(run / target.name);
      files.written.push_back(write_xplane(trace, attribution, target.host, files.min_confidence,
                                           files.runs.back()->file(target.name)));
    }
  }
  return files;
}

void describe(const XplaneFiles& files, const Measured& measured, const Counted& counted,
              Report& report) {
  const Outcomes outcomes = count(files, measured, counted);
  report.blocks.emplace_back(Prose{prose(files, outcomes, measured.sums.all.total_ps)});
  report.blocks.emplace_back(table(files, outcomes, measured.sums.all));
}

}  // namespace jaxtrace

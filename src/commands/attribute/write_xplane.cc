// Names: a run keeps the name of its folder, so that both runs can be told apart and compared; a
// file that lies in no run folder makes a run of its own name.  No clock is asked, so the same
// capture is written to the same place again.
#include "commands/attribute/write_xplane.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <system_error>
#include <utility>

#include "commands/attribute/words.h"
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

}  // namespace

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

void XplaneFiles::commit() {
  for (const auto& run : runs) run->commit();
}

XplaneFiles write_xplane_files(const Trace& trace, const Attribution& attribution,
                               const fs::path& capture, const WriteXplaneFlags& flags) {
  XplaneFiles files;
  files.directory = flags.directory;
  files.min_confidence = static_cast<std::uint16_t>(std::ceil(flags.min_confidence * 1000 - 1e-6));

  struct Target {
    HostId host;
    std::string name;
  };
  std::map<fs::path, std::vector<Target>> runs;  // By folder below the directory.
  std::vector<fs::path> inputs;
  for (std::size_t i = 0; i < trace.hosts.size(); ++i) {
    const fs::path file(trace.strings[trace.hosts[i].file]);
    const fs::path run = fs::path("plugins/profile") / run_of(capture, file);
    const std::string name = host_file(file);
    inputs.push_back(file);
    if (real_path(files.directory / run / name) == real_path(file)) {
      throw OutputError((files.directory / run / name).string(),
                        "is the capture itself, which is never changed; --write-xplane needs "
                        "another directory");
    }
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
  Amount added, before, damaged;
  bool cut = false;
  for (const XplaneWritten& written : files.written) {
    added.add(written.added);
    before.add(written.before);
    damaged.add(written.damaged);
    cut = cut || written.cut_at.has_value();
  }
  Amount exact, unsure, none;
  for (std::size_t i = 0; i < measured.attribution.labels.size(); ++i) {
    const Label& label = measured.attribution.labels[i];
    if (!counted.label[i] || is_written(label, files.min_confidence)) continue;
    const Cost& cost = measured.sums.label[i];
    Amount& amount = label.match == Match::exact  ? exact
                     : label.match == Match::none ? none
                                                  : unsure;
    amount.add({cost.kernels, cost.total_ps});
  }

  const std::string least = fmt::format("{:g}", files.min_confidence / 1000.0);
  std::string text = "Written for XProf (`xprof --logdir` with the directory of --write-xplane): " +
                     escape_markdown(files.names.front().string());
  if (files.names.size() > 1) {
    text += fmt::format(" and {} more", count_text(std::ssize(files.names) - 1));
  }
  text += added.events > 0 ? fmt::format(
                                 ". {} of the time has now its instruction there, where "
                                 "the tracer named it for {}.",
                                 share_text(added.total_ps + before.total_ps + exact.total_ps,
                                            measured.sums.all.total_ps),
                                 share_text(exact.total_ps, measured.sums.all.total_ps))
          : cut ? ". There was nothing to add."
          : before.events > 0
              ? ". Everything there was to add had been added by an earlier run: each file is its "
                "input, byte for byte."
              : ". There was nothing to add: each file is its input, byte for byte.";
  if (cut) {
    text +=
        " What the input holds after its last complete event was left out, so that the file "
        "can be opened.";
  }
  if (!files.stale.empty()) {
    text += fmt::format(
        " XProf will go on showing what it computed from an older file there until that is "
        "deleted: {}{}.",
        escape_markdown(files.stale.front().string()),
        files.stale.size() > 1
            ? fmt::format(" and {} more", count_text(std::ssize(files.stale) - 1))
            : "");
  }
  report.blocks.emplace_back(Prose{std::move(text)});

  Table table{.id = "written",
              .caption = "",
              .columns = {{"in_the_file", Unit::none, "in the file"},
                          {"kernels", Unit::count},
                          {"kernel_share", Unit::ratio, "of kernels"},
                          {"total_ps", Unit::time, "time"},
                          {"time_share", Unit::ratio, "of time"}},
              .rows = {}};
  const auto row = [&](std::string what, const Amount& amount, bool always) {
    if (amount.events == 0 && !always) return;
    table.rows.push_back({std::move(what), amount.events,
                          share(amount.events, measured.sums.all.kernels), amount.total_ps,
                          share(amount.total_ps, measured.sums.all.total_ps)});
  };
  row("the tracer's own instruction, left", exact, true);
  row("instruction added", added, true);
  row("instruction added by an earlier run", before, false);
  row(fmt::format("unchanged: confidence below {}", least), unsure, true);
  row("unchanged: no instruction found", none, true);
  row("unchanged: damaged bytes", damaged, false);
  report.blocks.emplace_back(std::move(table));
}

}  // namespace jaxtrace

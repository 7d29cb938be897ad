// Which files tell of the same run: those in one directory whose names begin alike, as rocprofv3
// names them (`<prefix>_results.db`, `<prefix>_kernel_trace.csv` …).
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "jaxtrace/error.h"
#include "jaxtrace/kernel_times.h"
#include "readers/csv_kind.h"
#include "readers/kernel_csv.h"
#include "readers/rocpd.h"
#include "readers/rocprof_json.h"
#include "readers/side_files.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

struct Source {
  fs::path path;
  TimesOf kind;
  bool given = false;  ///< By the user; else found beside it.
};

/// What a name promises; a directory is searched by names alone.
std::optional<TimesOf> kind_by_name(std::string_view name) {
  const auto holds = [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  };
  if (name.ends_with("results.db")) return TimesOf::database;
  if (name.ends_with("results.json")) return TimesOf::json;
  if (name.ends_with(".csv") && holds("kernel_trace")) return TimesOf::trace;
  if (name.ends_with(".csv") && holds("kernel_stats")) return TimesOf::stats;
  return std::nullopt;
}

bool is_kernel_file(std::string_view name) {
  return kind_by_name(name).has_value();
}

bool is_api_trace(std::string_view name) {
  return name.ends_with(".csv") && (name.find("hip_api_trace") != std::string_view::npos ||
                                    name.find("hip_trace") != std::string_view::npos ||
                                    name.find("hip_runtime_trace") != std::string_view::npos);
}

/// What the bytes of a file that was given are; absent if it is for read_capture().
std::optional<TimesOf> kind_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string start(4096, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  using namespace std::string_view_literals;
  if (start.starts_with("SQLite format 3\0"sv)) return TimesOf::database;
  if (is_rocprof_json(start)) return TimesOf::json;
  const std::string name = path.filename().string();
  if (name.ends_with(".db") || name.ends_with(".rpd")) return TimesOf::database;
  if (is_counter_file(name)) return TimesOf::counters;
  if (name.ends_with(".csv")) return TimesOf::trace;  // Which of them, its header says.
  return std::nullopt;
}

KernelTimes read_source(const Source& source, Meter& meter) {
  switch (source.kind) {
    case TimesOf::database:
      return read_rocpd(source.path);
    case TimesOf::json:
      return read_rocprof_json(source.path, meter);
    case TimesOf::trace:
    case TimesOf::stats:
    case TimesOf::counters:
    case TimesOf::capture:
      break;
  }
  return read_kernel_csv(source.path, meter);
}

/// Files of one run, by directory and prefix.
using Key = std::pair<std::string, std::string>;
using Groups = std::map<Key, std::vector<Source>>;

Key key_of(const fs::path& path) {
  std::error_code ignored;
  return {fs::weakly_canonical(path, ignored).parent_path().string(), run_prefix(path)};
}

void add(Groups& groups, Source source) {
  std::vector<Source>& group = groups[key_of(source.path)];
  std::error_code ignored;
  for (Source& known : group) {
    if (!fs::equivalent(known.path, source.path, ignored)) continue;
    known.given = known.given || source.given;
    return;
  }
  group.push_back(std::move(source));
}

/// Files of the same directory and prefix.
std::vector<fs::path> beside(const fs::path& path, NameTest test) {
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path file = path.has_parent_path() ? entry->path() : entry->path().filename();
    std::error_code ignored;
    if (test(file.filename().string()) && run_prefix(file) == run_prefix(path) &&
        entry->is_regular_file(ignored)) {
      files.push_back(file);
    }
  }
  std::ranges::sort(files);
  return files;
}

void take_graph_calls(KernelTimes& times) {
  for (const fs::path& file : beside(times.file, is_api_trace)) {
    try {
      times.api_trace =
          read_graph_calls(file, times.graph_calls, times.findings) || times.api_trace;
    } catch (const InputError& error) {
      times.findings.push_back(
          {Severity::error, "source-unread",
           std::string("the API calls beside it were not read: ") + error.what(), times.file, 1});
    }
  }
}

/// The first source that can be read, in the order of preference, and the others to compare.
KernelRun read_group(std::vector<Source> sources, Meter& meter) {
  std::ranges::sort(sources, {}, [](const Source& source) {
    return std::tuple(source.kind, source.path.string());
  });
  KernelRun run;
  std::optional<InputError> first;
  std::vector<Finding> unread;
  bool any = false;
  for (const Source& source : sources) {
    try {
      KernelTimes times = read_source(source, meter);
      if (times.dispatches.empty() && times.sums.empty()) {
        throw InputError(source.path.string(), "has a header and no kernel: nothing was recorded");
      }
      if (any) {
        run.others.push_back(std::move(times));
      } else {
        run.times = std::move(times);
      }
      any = true;
    } catch (const InputError& error) {
      if (!first || (source.given && first->code() == error.code())) first = error;
      unread.push_back({Severity::error, "source-unread",
                        std::string("a file of the run was left out: ") + error.what(), "", 1});
    }
  }
  if (!any) throw *first;
  run.times.findings.insert(run.times.findings.end(), unread.begin(), unread.end());
  const bool named = std::ranges::any_of(sources, [&](const Source& source) {
    return source.given && source.path.string() == run.times.file;
  });
  if (!named && sources.size() > 1) {
    run.times.notes.push_back(fmt::format("read {}, which is of the same run",
                                          fs::path(run.times.file).filename().string()));
  }
  take_graph_calls(run.times);
  return run;
}

/// A capture that is given twice is still one.
void add_capture(KernelRuns& result, const fs::path& input) {
  const auto same = [&](const fs::path& known) {
    std::error_code ignored;
    return known == input || fs::equivalent(known, input, ignored);
  };
  if (std::ranges::none_of(result.captures, same)) {
    result.captures.push_back(input);
    return;
  }
  result.findings.push_back(
      {Severity::note, "file-twice", "was given twice and is read once", input.string(), 1});
}

}  // namespace

KernelRuns read_kernel_runs(std::span<const fs::path> inputs, const ReadOptions& options) {
  KernelRuns result;
  Groups groups;
  for (const fs::path& input : inputs) {
    std::error_code ignored;
    if (fs::is_directory(input, ignored)) {
      const std::vector<fs::path> files = files_below(input, is_kernel_file);
      if (files.empty()) add_capture(result, input);
      for (const fs::path& file : files) {
        add(groups, {file, *kind_by_name(file.filename().string()), true});
      }
      continue;
    }
    const auto kind = kind_of(input);
    if (!kind) {
      add_capture(result, input);
      continue;
    }
    const auto promised = kind_by_name(input.filename().string());
    add(groups, {input, promised.value_or(*kind), true});
    // What stands beside a file of another kind is no answer to it.
    if (!promised) continue;
    for (const fs::path& file : beside(input, is_kernel_file)) {
      add(groups, {file, *kind_by_name(file.filename().string()), false});
    }
  }
  std::uint64_t total = 0;
  for (const auto& [key, sources] : groups) {
    for (const Source& source : sources) total += total_size({source.path});
  }
  Meter meter(options.progress, total);
  for (auto& [key, sources] : groups) result.runs.push_back(read_group(sources, meter));
  if (!groups.empty()) meter.finish();
  return result;
}

}  // namespace jaxtrace

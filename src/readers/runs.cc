// Finding captures.  A JAX log directory holds plugins/profile/<run>/<host>.xplane.pb, and people
// give any part of that path.  The newest run is the last by name, since runs are named by the time
// they began (2025_02_05_11_05_24); file times change when a directory is copied.
//
// Trace JSON beside an xplane file is the same run told again, so a folder gives the one or the
// other, never both; so is perfetto_trace.json.gz beside another JSON, and a JSON that was unpacked
// beside its archive.
#include "readers/runs.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <system_error>

#include "jaxtrace/error.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".xplane.pb";

// Longest first: the name of a host is what stands before it.
constexpr std::array<std::string_view, 4> kJsonSuffixes = {".trace.json.gz", ".trace.json",
                                                           ".json.gz", ".json"};

/// What one directory holds, by name.
struct Listing {
  std::vector<fs::path> captures;
  std::vector<fs::path> traces;  ///< JSON, one of each run of a host
  std::vector<fs::path> folders;
  bool gzipped = false;  ///< *.xplane.pb.gz
  bool riegeli = false;

  /// What is read of it.
  const std::vector<fs::path>& files(bool json) const {
    return captures.empty() && json ? traces : captures;
  }
};

bool is_trace_json_name(std::string_view name) {
  return name.ends_with(".trace.json.gz") || name.ends_with(".trace.json");
}

bool is_perfetto_name(std::string_view name) {
  return name == "perfetto_trace.json.gz" || name == "perfetto_trace.json";
}

/// One file of each that was unpacked beside its archive; `files` are sorted.
void drop_archives(std::vector<fs::path>& files) {
  const auto unpacked = [&](const fs::path& file) {
    return file.extension() == ".gz" &&
           std::binary_search(files.begin(), files.end(), fs::path(file).replace_extension());
  };
  std::vector<fs::path> kept;
  std::copy_if(files.begin(), files.end(), std::back_inserter(kept),
               [&](const fs::path& file) { return !unpacked(file); });
  files = std::move(kept);
}

Listing list(const fs::path& directory) {
  Listing listing;
  std::vector<fs::path> perfetto;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    const std::string name = path.filename().string();
    if (name.starts_with('.')) continue;  // Among them the ._* files of macOS archives.
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      listing.folders.push_back(path);
    } else if (name.ends_with(kSuffix)) {
      listing.captures.push_back(path);
    } else if (is_trace_json_name(name)) {
      listing.traces.push_back(path);
    } else if (is_perfetto_name(name)) {
      perfetto.push_back(path);
    } else {
      listing.gzipped = listing.gzipped || name.ends_with(".xplane.pb.gz");
      listing.riegeli = listing.riegeli || name.ends_with(".riegeli");
    }
  }
  if (error) {
    throw InputError(directory.string(), "cannot be listed: " + error.message(),
                     ExitCode::input_missing);
  }
  if (listing.traces.empty()) listing.traces = std::move(perfetto);
  std::sort(listing.captures.begin(), listing.captures.end());
  std::sort(listing.traces.begin(), listing.traces.end());
  drop_archives(listing.traces);
  std::sort(listing.folders.begin(), listing.folders.end());
  return listing;
}

/// The same, of a directory that may be missing or closed to us.
Listing list_if_any(const fs::path& directory) {
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) return {};
  try {
    return list(directory);
  } catch (const InputError&) {
    return {};
  }
}

/// Names, the first few of many.
std::string enumerate(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

std::string name_of(const fs::path& path) {
  return path.filename().string();
}

/// "2025_02_05_11_05_24", the way the profiler names a run.
bool is_timestamp(std::string_view name) {
  constexpr std::string_view kShape = "0000_00_00_00_00_00";
  return std::equal(name.begin(), name.end(), kShape.begin(), kShape.end(),
                    [](char c, char s) { return s == '_' ? c == '_' : (c >= '0' && c <= '9'); });
}

/// The name of a directory, also when it was given as "." or "..".
std::string real_name_of(const fs::path& directory) {
  std::error_code error;
  const fs::path real = fs::canonical(directory, error);
  return name_of(error ? directory : real);
}

/// The directory of runs that `directory` stands for; empty if none.
fs::path runs_of(const fs::path& directory, bool json) {
  std::error_code ignored;
  if (fs::is_directory(directory / "plugins/profile", ignored))
    return directory / "plugins/profile";
  const std::string name = real_name_of(directory);
  if (name == "plugins" && fs::is_directory(directory / "profile", ignored)) {
    return directory / "profile";
  }
  // Run folders, of which there may be others than the profiler's own in its own directory.
  for (const fs::path& folder : list_if_any(directory).folders) {
    const bool is_run = name == "profile" || is_timestamp(name_of(folder));
    if (is_run && !list_if_any(folder).files(json).empty()) return directory;
  }
  return {};
}

std::string host_of(const fs::path& file) {
  std::string name = file.filename().string();
  if (name.ends_with(kSuffix) && name.size() > kSuffix.size()) {
    name.resize(name.size() - kSuffix.size());
    return name;
  }
  for (const std::string_view suffix : kJsonSuffixes) {
    if (!name.ends_with(suffix) || name.size() == suffix.size()) continue;
    name.resize(name.size() - suffix.size());
    break;
  }
  return name;
}

/// Names hosts; those of one name in several folders by their folder as well.
CaptureFiles name_hosts(const std::vector<fs::path>& files) {
  std::map<std::string, std::size_t> seen;
  for (const fs::path& file : files) ++seen[host_of(file)];
  CaptureFiles result;
  for (const fs::path& file : files) {
    std::string host = host_of(file);
    if (seen[host] > 1) host = name_of(file.parent_path()) + "/" + host;
    result.files.push_back({file, std::move(host)});
  }
  std::sort(result.files.begin(), result.files.end(),
            [](const CaptureFile& a, const CaptureFile& b) {
              return a.host != b.host ? a.host < b.host : a.path < b.path;
            });
  return result;
}

/// Nothing to read in `directory`: says what there is instead.
[[noreturn]] void refuse(const fs::path& directory, const Listing& listing) {
  if (listing.gzipped) {
    throw InputError(directory.string(),
                     "holds only compressed captures; gunzip the *.xplane.pb.gz");
  }
  if (listing.riegeli) {
    throw InputError(directory.string(),
                     "holds only Riegeli files, which jaxtrace does not read; record with a "
                     "profiler that writes *.xplane.pb");
  }
  if (!listing.traces.empty()) {
    throw InputError(directory.string(),
                     "holds only a trace.json; the *.xplane.pb of the same run is needed, since it "
                     "holds the HLO");
  }
  throw InputError(directory.string(),
                   "holds no capture: no *.xplane.pb and no plugins/profile directory; give the "
                   "directory that jax.profiler.trace was given");
}

CaptureFiles choose_runs(const fs::path& profile, const std::string& pattern, bool json) {
  std::vector<fs::path> files;
  std::vector<std::string> full;
  std::vector<std::string> bare;
  std::vector<std::string> read;
  Listing last_bare;
  for (const fs::path& folder : list(profile).folders) {
    Listing listing = list_if_any(folder);
    const std::string name = name_of(folder);
    const bool empty = listing.files(json).empty();
    (empty ? bare : full).push_back(name);
    if (empty) last_bare = std::move(listing);
  }
  if (full.empty()) refuse(profile, last_bare);

  for (const std::string& name : full) {
    const bool wanted =
        pattern.empty() ? name == full.back() : ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    if (!wanted) continue;
    read.push_back(name);
    const Listing listing = list(profile / name);
    const std::vector<fs::path>& found = listing.files(json);
    files.insert(files.end(), found.begin(), found.end());
  }
  if (files.empty()) {
    throw InputError(
        profile.string(),
        fmt::format("has no run that matches {}; there are {}", pattern, enumerate(full)),
        ExitCode::input_missing);
  }

  CaptureFiles result = name_hosts(files);
  std::vector<std::string> others;
  std::set_difference(full.begin(), full.end(), read.begin(), read.end(),
                      std::back_inserter(others));
  if (!others.empty() || read.size() > 1) {
    result.notes.push_back(
        fmt::format("Read {} {}{}.", read.size() == 1 ? "run" : "runs", enumerate(read),
                    others.empty() ? "" : fmt::format("; not read: {}", enumerate(others))));
  }
  if (!bare.empty() && bare.back() > full.back()) {
    result.notes.push_back(fmt::format("The newest run folder, {}, holds no {}.", bare.back(),
                                       json ? "capture" : "*.xplane.pb"));
  }
  return result;
}

/// Folders in `directory` that could have been given instead.
std::vector<std::string> log_directories(const Listing& listing, bool json) {
  std::vector<std::string> names;
  for (const fs::path& folder : listing.folders) {
    if (!runs_of(folder, json).empty() || !list_if_any(folder).files(json).empty()) {
      names.push_back(name_of(folder));
    }
  }
  return names;
}

CaptureFiles find_in_directory(const fs::path& directory, const std::string& run, bool json) {
  const Listing listing = list(directory);
  if (!listing.files(json).empty()) return name_hosts(listing.files(json));
  if (const fs::path profile = runs_of(directory, json); !profile.empty()) {
    return choose_runs(profile, run, json);
  }
  const std::vector<std::string> inside = log_directories(listing, json);
  if (!inside.empty()) {
    throw InputError(directory.string(),
                     "holds no capture of its own but several directories that "
                     "do; give one of them: " +
                         enumerate(inside));
  }
  refuse(directory, listing);
}

}  // namespace

CaptureFiles find_capture(const fs::path& path, const std::string& run, bool json) {
  if (path.empty()) throw InputError("CAPTURE", "is an empty name", ExitCode::input_missing);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    const bool missing = status.type() == fs::file_type::not_found;
    throw InputError(
        path.string(),
        missing ? "there is no such file or directory" : "cannot be read: " + error.message(),
        ExitCode::input_missing);
  }
  // "logs/" and "logs" are one directory, and its name is "logs".
  const fs::path plain = path.has_filename() ? path : path.parent_path();
  if (fs::is_directory(status)) return find_in_directory(plain, run, json);
  return name_hosts({plain});
}

std::vector<fs::path> jsons_beside(const CaptureFiles& capture) {
  std::vector<fs::path> jsons;
  const auto add_first = [&](const fs::path& folder, const std::vector<std::string>& names) {
    std::error_code ignored;
    for (const std::string& name : names) {
      if (!fs::is_regular_file(folder / name, ignored)) continue;
      jsons.push_back(folder / name);
      return;
    }
  };
  for (const CaptureFile& file : capture.files) {
    const std::string name = name_of(file.path);
    if (!name.ends_with(kSuffix)) continue;
    const std::string host = name.substr(0, name.size() - kSuffix.size());
    std::vector<std::string> names = {host + ".trace.json", host + ".trace.json.gz"};
    // It does not say of which host it is.
    if (capture.files.size() == 1) {
      names.insert(names.end(), {"perfetto_trace.json", "perfetto_trace.json.gz"});
    }
    add_first(file.path.parent_path(), names);
  }
  return jsons;
}

}  // namespace jaxtrace

// Telling wrong files apart.  What is told is what was seen and what to do next, in one sentence.
#include "readers/unfit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "jaxtrace/error.h"
#include "readers/plane_kinds.h"

namespace jaxtrace {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  std::string_view message;
};

constexpr std::array kSignatures = {
    Signature{"\x1f\x8b"sv, "is compressed with gzip; gunzip it first"},
    // Every Riegeli file begins with this chunk: riegeli/doc/riegeli_records_file_format.md.
    Signature{"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"sv,
              "is a Riegeli file, which jaxtrace does not read; record with a profiler that writes "
              "*.xplane.pb"},
    Signature{"SQLite format 3\0"sv,
              "is an SQLite database, not a *.xplane.pb of the JAX profiler"},
    Signature{"PK\x03\x04"sv, "is a zip archive; unpack it first"},
    Signature{"version https://git-lfs"sv, "is a Git LFS pointer; fetch the file itself first"},
};

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

/// Length of the UTF-8 sequence that `lead` begins; 0 if none does.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

/// Whether `text` is UTF-8, but for a sequence cut at its end.
bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(static_cast<unsigned char>(text[at]));
    if (length == 0) return false;
    const std::size_t end = std::min(at + length, text.size());
    for (std::size_t i = at + 1; i < end; ++i) {
      if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80) return false;
    }
    at += length;
  }
  return true;
}

/// A copy in text mode replaces every byte that is not UTF-8.  Lengths and times of any real
/// capture hold such bytes, so a damaged file of pure UTF-8 with U+FFFD in it was copied that way.
bool is_mangled(std::string_view bytes) {
  constexpr std::size_t kSample = 1024 * 1024;
  constexpr std::size_t kFew = 4;
  const std::string_view sample = bytes.substr(0, kSample);
  return count(sample, kReplacement) >= kFew && is_utf8(sample);
}

/// Likewise a conversion of line ends: a capture begins with the tag of its first plane, which is a
/// line feed.
bool has_dos_line_ends(std::string_view bytes) {
  const auto feeds = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  return bytes.starts_with("\r\n") && count(bytes, "\r\n") == feeds;
}

/// A capture may begin like JSON, with a line feed (the tag of its first plane) and a brace (the
/// length of a small one); but its tags are control characters, which JSON never has.
bool is_json(std::string_view bytes) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos || (bytes[first] != '{' && bytes[first] != '[')) return false;
  const std::string_view begin = bytes.substr(first, 64);
  return std::none_of(begin.begin(), begin.end(), [&](char c) {
    return static_cast<unsigned char>(c) < 0x20 && kBlanks.find(c) == std::string_view::npos;
  });
}

/// Plane names, a few of many: "/host:CPU, /device:TPU:0 and 7 more".
std::string list_planes(const Survey& survey) {
  constexpr std::size_t kMost = 6;
  std::set<std::string_view> names;
  for (const PlaneSpan& plane : survey.planes) {
    if (!plane.name.empty()) names.insert(plane.name);
  }
  std::string list;
  std::size_t listed = 0;
  for (const std::string_view name : names) {
    if (listed == kMost) break;
    list += (listed++ == 0 ? "" : ", ");
    list += name;
  }
  if (names.size() > listed) list += fmt::format(" and {} more", names.size() - listed);
  return list;
}

bool any_plane(const Survey& survey, bool (*test)(std::string_view)) {
  return std::any_of(survey.planes.begin(), survey.planes.end(),
                     [&](const PlaneSpan& plane) { return test(plane.name); });
}

}  // namespace

void refuse_other_formats(const std::filesystem::path& path, std::string_view bytes) {
  if (bytes.empty()) {
    throw InputError(path.string(), "is empty; the profiler did not finish writing it");
  }
  if (path.filename().string().ends_with(".json.gz") && bytes.starts_with("\x1f\x8b")) {
    throw InputError(path.string(),
                     "is JSON, compressed; give the *.xplane.pb of the same run, which holds the "
                     "HLO");
  }
  for (const Signature& signature : kSignatures) {
    if (bytes.starts_with(signature.bytes)) {
      throw InputError(path.string(), std::string(signature.message));
    }
  }
  if (is_json(bytes)) {
    throw InputError(path.string(),
                     "is JSON; give the *.xplane.pb of the same run, which holds the HLO");
  }
}

void refuse_unusable(const std::filesystem::path& path, std::string_view bytes,
                     const Survey& survey) {
  if (any_plane(survey, [](std::string_view name) { return gpu_ordinal(name).has_value(); }) &&
      survey.damage.empty()) {
    return;
  }
  if (!survey.damage.empty()) {
    if (is_mangled(bytes)) {
      throw InputError(path.string(),
                       "was damaged by a copy in text mode (bytes were replaced by U+FFFD); copy "
                       "the original again, as binary");
    }
    if (has_dos_line_ends(bytes)) {
      throw InputError(path.string(),
                       "was damaged by a conversion of line ends; copy the original again, as "
                       "binary");
    }
  }
  if (any_plane(survey, [](std::string_view name) { return gpu_ordinal(name).has_value(); }))
    return;

  const std::string planes = list_planes(survey);
  if (planes.empty()) {
    const std::string where =
        survey.damage.empty()
            ? "it holds no plane"
            : fmt::format("it stops making sense at byte {}", survey.damage[0].byte);
    throw InputError(path.string(), "is not a capture of the JAX profiler: " + where);
  }
  std::string what = "holds no GPU plane";
  if (any_plane(survey, [](std::string_view name) { return name.starts_with("/device:TPU:"); })) {
    what = "is a TPU capture: no GPU plane";
  } else if (survey.damage.empty() && !any_plane(survey, [](std::string_view name) {
               return name.starts_with("/device:") && !name.starts_with("/device:CUSTOM:");
             })) {
    what = "is a CPU capture: no GPU plane";
  } else if (!survey.damage.empty()) {
    what = fmt::format("holds no GPU plane before it breaks off at byte {}", survey.damage[0].byte);
  }
  throw InputError(path.string(),
                   fmt::format("{}, only {}; record where the GPUs are visible", what, planes));
}

}  // namespace jaxtrace

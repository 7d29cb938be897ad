// Which files a path stands for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace jaxtrace {

struct CaptureFile {
  std::filesystem::path path;
  std::string host;  ///< Unique within the capture.
};

struct CaptureFiles {
  std::vector<CaptureFile> files;  ///< By host.
  std::vector<std::string> notes;  ///< What was chosen, and from what.
};

/// `run` and `json` as in ReadOptions.  Throws InputError if there is nothing to read.  A directory
/// that holds both kinds stands for its *.xplane.pb.
CaptureFiles find_capture(const std::filesystem::path& path, const std::string& run, bool json);

/// The trace JSON of the same hosts, beside the xplane files of `capture`.
std::vector<std::filesystem::path> jsons_beside(const CaptureFiles& capture);

}  // namespace jaxtrace

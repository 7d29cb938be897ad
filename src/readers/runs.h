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

/// `run` as in ReadOptions.  Throws InputError if there is nothing to read.
CaptureFiles find_capture(const std::filesystem::path& path, const std::string& run);

}  // namespace jaxtrace

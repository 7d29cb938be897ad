// A set of files that appears in a directory whole or not at all.
//
// Files are written into a hidden folder inside the directory, so that they are on the same file
// system, and renamed into place by commit().  Without commit(), nothing was ever there: neither
// the files nor the directories made for them.  Other files in the directory are left alone.  A run
// that is killed leaves its hidden folder, which the next run takes away.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/report.h"

namespace jaxtrace {

class OutputDir {
 public:
  /// Creates `directory` if need be.  `inputs` are the files of the capture, which are never
  /// replaced; `option` is what chooses another directory.  Throws OutputError, as every function
  /// here does.
  explicit OutputDir(std::filesystem::path directory,
                     std::vector<std::filesystem::path> inputs = {}, std::string option = "--out");
  ~OutputDir();
  OutputDir(const OutputDir&) = delete;
  OutputDir& operator=(const OutputDir&) = delete;

  /// Files made from now on go into this folder of the directory, which is made if need be; empty:
  /// into the directory itself.  The name is the program's own: one part, no dot before it.
  void enter(std::string folder) { folder_ = std::move(folder); }

  /// A new file, to be written and left open: commit() closes it and sees whether all went well.
  /// `name` comes from a capture at times: slashes, control bytes and a leading dot in it become
  /// underscores, and a name of over 255 bytes is cut before its last two extensions.
  std::ostream& file(std::string name);

  /// A new file with this content, closed at once: for files that may be more than a process can
  /// hold open.
  void write(std::string name, std::string_view content);

  /// Puts every file in place, replacing files and symbolic links of the same names.
  void commit();

  /// Names of the files so far, in order, with their folders.
  std::vector<std::string> names() const;

  /// Whether `file` is the place of one of them.
  bool writes(const std::filesystem::path& file) const;

 private:
  struct File {
    std::filesystem::path name;  ///< Below the directory.
    std::unique_ptr<std::ofstream> stream;
  };

  std::filesystem::path target(const File& file) const { return directory_ / file.name; }
  [[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) const;
  void make_folders(std::vector<std::filesystem::path>& made, std::filesystem::path& at) const;
  void take_away() noexcept;

  std::filesystem::path directory_;
  std::vector<std::filesystem::path> inputs_;
  std::string option_;
  std::vector<std::filesystem::path> created_;  // Directories made here, outermost first.
  std::filesystem::path staging_;
  std::string folder_;
  int lock_ = -1;  // On the staging folder, for as long as its run lives.
  std::vector<File> files_;
  bool committed_ = false;
};

/// A table as `<id>.csv`.
void write_csv_file(const Table& table, OutputDir& directory);

}  // namespace jaxtrace

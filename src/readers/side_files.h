// Result files of rocprofv3 and its kind: finding them below a directory, and telling those that
// are no CSV at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "jaxtrace/finding.h"

namespace jaxtrace {

/// Whether a file's name is that of a kind.
using NameTest = bool (*)(std::string_view name);

bool is_counter_file(std::string_view name);

/// The files that `inputs` stand for: themselves, or those below a directory whose names pass, in
/// order of their paths.  A file given twice is read once, with a finding.  Throws InputError for
/// what is missing and for a directory that holds none; `wanted` says what was looked for.
std::vector<std::filesystem::path> find_files(std::span<const std::filesystem::path> inputs,
                                              NameTest test, std::string_view wanted,
                                              std::vector<Finding>& findings);

/// Those below one directory, four levels deep at most: <dir>/pass_1/<host>/<pid>_….csv.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& directory,
                                               NameTest test);

std::uint64_t total_size(const std::vector<std::filesystem::path>& files);

/// Throws InputError if the bytes are a known other format's, compressed, or empty.
void refuse_no_csv(const std::filesystem::path& path, std::string_view bytes);

}  // namespace jaxtrace

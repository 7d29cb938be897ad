// Files that are not captures, and what to tell whoever gave us one.
#pragma once

#include <filesystem>
#include <string_view>

#include "readers/survey.h"

namespace jaxtrace {

/// Throws InputError if the first bytes are another format's.
void refuse_other_formats(const std::filesystem::path& path, std::string_view bytes);

/// Throws InputError if the survey holds nothing that can be used, or no GPU.
void refuse_unusable(const std::filesystem::path& path, std::string_view bytes,
                     const Survey& survey);

}  // namespace jaxtrace

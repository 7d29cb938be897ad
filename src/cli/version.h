// Which jaxtrace this is; version.cc is generated at build time by version.cmake.
#pragma once

#include <string_view>

namespace jaxtrace {

/// "0.1.0 (v0.1.0-3-gabc1234)": project(VERSION), and the git description where there is one.
std::string_view version();

}  // namespace jaxtrace

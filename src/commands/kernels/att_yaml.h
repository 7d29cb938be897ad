// The input file with which rocprofv3 records a thread trace of one kernel.
#pragma once

#include <string>
#include <string_view>

namespace jaxtrace {

/// The whole input.yaml.
std::string att_yaml(std::string_view kernel);

}  // namespace jaxtrace

// --user-re: which Python frames count as the user's own code.
#pragma once

#include <string>

#include "hlo/provenance.h"

namespace jaxtrace {

/// What is wrong with a regular expression; empty if nothing is.
std::string regex_fault(const std::string& pattern);

/// Frames whose "file:function" matches; hlo::is_user_code if the pattern is empty.
hlo::UserTest user_test(const std::string& pattern);

}  // namespace jaxtrace

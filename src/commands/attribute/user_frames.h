// --user-re: which Python frames count as the user's own code.
#pragma once

#include <string>

#include "hlo/provenance.h"

namespace CLI {
class App;
}

namespace jaxtrace {

/// The flag; `pattern` lives as long as `app`.
void declare_user_re(CLI::App& app, std::string& pattern);

/// Frames whose "file:function" matches; hlo::is_user_code if the pattern is empty.
hlo::UserTest user_test(const std::string& pattern);

}  // namespace jaxtrace

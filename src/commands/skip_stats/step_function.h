// --step-fn: the jitted function whose calls are the steps.
#pragma once

#include <filesystem>
#include <string>

#include "jaxtrace/trace.h"

namespace CLI {
class App;
}

namespace jaxtrace {

/// The flag; `function` lives as long as `app`.
void declare_step_function(CLI::App& app, std::string& function);

/// Throws InputError if the function asked for is never called: steps would silently be found
/// otherwise.
void require_function(const std::string& function, const std::filesystem::path& capture,
                      const Trace& trace);

}  // namespace jaxtrace

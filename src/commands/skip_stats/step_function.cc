// What can be asked for is in the capture, so the error lists it.
#include "commands/skip_stats/step_function.h"

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <algorithm>
#include <vector>

#include "jaxtrace/error.h"
#include "skip/steps.h"

namespace jaxtrace {

void declare_step_function(CLI::App& app, std::string& function) {
  app.add_option("--step-fn", function,
                 "Calls of this jitted function are the steps; default: annotations, else the "
                 "function with the most device time")
      ->type_name("FUNCTION");
}

void require_function(const std::string& function, const std::filesystem::path& capture,
                      const Trace& trace) {
  if (function.empty()) return;
  const std::vector<std::string> known = step_functions(trace);
  if (std::ranges::find(known, function) != known.end()) return;
  constexpr std::size_t kMost = 10;
  std::string list;
  for (std::size_t i = 0; i < known.size() && i < kMost; ++i) {
    list += (i == 0 ? "" : ", ") + known[i];
  }
  throw InputError(capture.string(), "has no call of " + function +
                                         (list.empty() ? "; it records no calls of jitted functions"
                                                       : "; it records calls of " + list +
                                                             (known.size() > kMost ? ", …" : "")));
}

}  // namespace jaxtrace

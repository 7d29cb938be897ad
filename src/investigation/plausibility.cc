// The list of checks, in the order of the report.
#include "investigation/plausibility.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "investigation/investigated.h"
#include "investigation/plausible.h"

namespace jaxtrace {

std::vector<CheckResult> plausibility(const Investigated& in) {
  using namespace check;
  const std::vector<RunCoverage> programs = run_coverage(in);
  return {coverage(in, programs), gpus(in),           hlo_carried(in),
          empty_steps(in),        edges(in),          limits(in),
          copies(in, programs),   dominant_event(in), outlier_events(in),
          collective_skew(in),    streams(in),        host_clocks(in),
          registers(in),          occupancy(in)};
}

std::vector<CheckResult> integrity(const Investigated& in) {
  // Records must agree before anything else can be asked of them.
  constexpr std::array<std::string_view, 4> kFirst = {"json", "join", "kernels-per-step",
                                                      "same-work"};
  std::vector<CheckResult> out;
  for (const std::string_view id : kFirst) {
    const auto at = std::ranges::find(in.skip.checks, id, &CheckResult::id);
    if (at != in.skip.checks.end()) out.push_back(*at);
  }
  out.push_back(check::sums(in));
  for (const CheckResult& check : in.skip.checks) {
    if (std::ranges::find(kFirst, check.id) == kFirst.end()) out.push_back(check);
  }
  for (CheckResult& check : plausibility(in)) out.push_back(std::move(check));
  return out;
}

}  // namespace jaxtrace

// All that `investigate` finds in one capture: the results of every analysis, in the order in which
// they build on each other.  Nothing is computed here or on the page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/attribute/tables.h"
#include "commands/investigate/swimlane.h"
#include "commands/skip_stats/tables.h"
#include "investigation/changes.h"
#include "investigation/collectives.h"
#include "investigation/new_captures.h"
#include "investigation/plausibility.h"
#include "investigation/roofline.h"
#include "investigation/trust.h"

namespace jaxtrace {

struct InvestigateOptions {
  AttributeOptions attribute;
  RooflineOptions roofline;
  SkipOptions skip;
  hlo::UserTest user = hlo::is_user_code;
};

struct Investigation {
  const Trace& trace;
  SkipStats skip;
  Attribution attribution;
  Ops ops{};
  Counted counted{};
  Sums sums{};

  std::vector<CheckResult> checks{};
  AlignedCollectives aligned{};
  /// Of the step that is shown; absent if the capture has no GPU work.
  std::optional<CriticalPath> path{};
  std::vector<PathCause> path_causes{};
  Swimlane swimlane{};  ///< Empty without a path
  std::vector<CollectiveRow> collectives{};
  Roofline roofline{};
  Changes changes{};
  std::vector<Distrust> distrusts{};
  std::vector<NewCapture> new_captures{};
};

Investigation investigate(const Trace& trace, const InvestigateOptions& options);

/// What the pages and files of the two commands are made of.
Found found(const Investigation& all);
Measured measured(const Investigation& all);

}  // namespace jaxtrace

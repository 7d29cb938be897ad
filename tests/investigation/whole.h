// A capture with everything that was found in it, as the lists of an investigation read it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "investigation/investigated.h"
#include "investigation/new_captures.h"
#include "investigation/plausibility.h"
#include "investigation/roofline.h"
#include "investigation/trust.h"
#include "support/capture.h"
#include "support/recording.h"
#include "support/rows.h"
#include "support/write_xplane.h"

namespace jaxtrace {

struct Whole {
  Trace trace;
  SkipStats skip;
  Attribution attribution;
  Ops ops;
  Sums sums;
  Roofline roofline;
  std::vector<CheckResult> checks;

  explicit Whole(Trace of)
      : trace(std::move(of)),
        skip(skip_stats(trace)),
        attribution(attribute(trace)),
        ops(find_ops(trace, attribution)),
        sums(add_up(trace, attribution, ops, counted_labels(attribution, {}))),
        roofline(find_roofline(trace, attribution, ops)),
        checks(integrity(in())) {}
  explicit Whole(const synth::Recording& recording)
      : Whole(read_bytes(synth::xspace_bytes(recording))) {}
  explicit Whole(const std::string& rows) : Whole(rows::trace_of(rows)) {}

  Investigated in() const { return {trace, skip, attribution, ops, sums}; }

  const CheckResult& check(std::string_view id) const {
    return *std::ranges::find(checks, id, &CheckResult::id);
  }
  CheckState state(std::string_view id) const { return check(id).state; }

  std::vector<Distrust> trust() const { return cannot_trust(in(), checks, &roofline); }
  std::vector<NewCapture> captures() const { return new_captures(in(), checks, &roofline); }
};

/// The first entry of this code; nullptr if there is none.
inline const Distrust* entry_of(const std::vector<Distrust>& list, std::string_view code) {
  const auto at = std::ranges::find(list, code, &Distrust::code);
  return at == list.end() ? nullptr : &*at;
}

}  // namespace jaxtrace

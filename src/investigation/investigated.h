// What the analyses of a whole capture read: everything that was found in it so far.
#pragma once

#include "attribution/sums.h"
#include "skip/skip_stats.h"

namespace jaxtrace {

struct Investigated {
  const Trace& trace;
  const SkipStats& skip;
  const Attribution& attribution;
  const Ops& ops;
  const Sums& sums;
};

}  // namespace jaxtrace

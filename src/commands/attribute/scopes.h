// scopes.csv: time down the tree of scopes that op_names spell: jit(f), jvp(attention), while,
// body, named scopes.
#pragma once

#include "commands/attribute/tables.h"

namespace jaxtrace {

/// Rows in tree order, the children of a scope by time.  total_ps is a scope with all that is
/// inside it, self_ps without what is in a deeper scope: self_ps of all rows, and total_ps of the
/// rows of depth 1, add up to everything counted.
Table scopes_table(const Measured& measured);

}  // namespace jaxtrace

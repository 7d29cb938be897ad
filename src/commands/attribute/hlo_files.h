// `<module>(<program_id>).hlo.txt`: the programs of a capture as XLA prints them.
#pragma once

#include <vector>

#include "attribution/attribution.h"
#include "report/output_dir.h"

namespace jaxtrace {

/// One file for each distinct program; hosts that carry the same text share it, and where texts of
/// one name differ, the host's name goes into the file's: `jit_step(7).host2.hlo.txt`.  `bare`
/// leaves metadata and backend_config out.
void write_hlo_files(const Trace& trace, const AttributeOptions& options, bool bare,
                     OutputDir& directory);

}  // namespace jaxtrace

// results.db of rocprofv3 (rocpd, schema 3): an SQLite database whose tables carry the uuid of the
// process they are of, with views over them under plain names.
//
//   rocpd_metadata_<uuid>             tag, value: schema_version 3
//   rocpd_kernel_dispatch_<uuid>      nid, pid, agent_id, kernel_id, queue_id, start, end, …
//   rocpd_info_kernel_symbol_<uuid>   id, kernel_name, display_name, arch_vgpr_count, …
//   rocpd_info_agent_<uuid>           id, type, absolute_index, name, product_name
//   rocpd_info_process_<uuid>         id, pid
//
// The views are not used: they join by more than the keys, and drop rows where a join finds
// nothing.
#pragma once

#include <filesystem>

#include "jaxtrace/kernel_times.h"

namespace jaxtrace {

/// Throws InputError for databases of other tools and versions, by name.
KernelTimes read_rocpd(const std::filesystem::path& path);

}  // namespace jaxtrace

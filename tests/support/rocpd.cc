#include "support/rocpd.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>
#include <stdexcept>

namespace jaxtrace {

void with_open_database(
    const std::filesystem::path& path,
    const std::function<void(const std::function<void(const std::string&)>&)>& use) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open(path.c_str(), &opened);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  if (result != SQLITE_OK) throw std::runtime_error(sqlite3_errstr(result));
  use([&](const std::string& statements) {
    if (sqlite3_exec(opened, statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(opened));
    }
  });
}

void run_sql(const std::filesystem::path& path, const std::string& statements) {
  with_open_database(path, [&](const auto& run) { run(statements); });
}

std::string rocpd_sql(const std::vector<RocpdDispatch>& dispatches, const std::string& uuid,
                      const std::string& schema) {
  std::string sql = fmt::format(
      "PRAGMA synchronous = OFF; BEGIN;"
      "CREATE TABLE rocpd_metadata{0} (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);"
      "INSERT INTO rocpd_metadata{0} (tag, value) VALUES ('schema_version', '{1}');"
      "CREATE TABLE rocpd_info_process{0} (id INTEGER PRIMARY KEY, pid INTEGER);"
      "INSERT INTO rocpd_info_process{0} VALUES (100, 100);"
      "CREATE TABLE rocpd_info_agent{0} (id INTEGER PRIMARY KEY, type TEXT, absolute_index "
      "INTEGER, "
      "name TEXT, product_name TEXT);"
      "INSERT INTO rocpd_info_agent{0} VALUES (0, 'CPU', 0, 'EPYC', ''), (1, 'GPU', 4, 'gfx942', "
      "'AMD Instinct MI300X');"
      "CREATE TABLE rocpd_info_kernel_symbol{0} (id INTEGER PRIMARY KEY, kernel_name TEXT, "
      "display_name TEXT, sgpr_count INTEGER, arch_vgpr_count INTEGER, accum_vgpr_count INTEGER);"
      "INSERT INTO rocpd_info_kernel_symbol{0} VALUES (1, 'gemm.kd', 'gemm', 112, 128, 8), (2, "
      "'copy.kd', '', 16, 8, 0);"
      "CREATE TABLE rocpd_kernel_dispatch{0} (id INTEGER PRIMARY KEY, pid INTEGER, agent_id "
      "INTEGER, "
      "kernel_id INTEGER, \"start\" BIGINT, \"end\" BIGINT, private_segment_size INTEGER, "
      "group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, "
      "workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER);"
      "CREATE VIEW IF NOT EXISTS rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch{0} "
      "UNION ALL SELECT * FROM rocpd_kernel_dispatch{0};",
      uuid, schema);
  for (const RocpdDispatch& dispatch : dispatches) {
    sql += fmt::format(
        "INSERT INTO rocpd_kernel_dispatch{} (pid, agent_id, kernel_id, \"start\", \"end\", "
        "private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y, "
        "workgroup_size_z, grid_size_x, grid_size_y, grid_size_z) VALUES (100, {}, {}, {}, {}, 0, "
        "4096, 256, 1, 1, 1024, 2, 1);",
        uuid, dispatch.agent, dispatch.kernel, dispatch.begin_ns, dispatch.end_ns);
  }
  return sql + "COMMIT;";
}

}  // namespace jaxtrace

// results.db of rocprofv3, made in a test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace jaxtrace {

struct RocpdDispatch {
  std::int64_t kernel = 1;  ///< 1 "gemm", 2 "copy", else not in the database
  std::int64_t begin_ns = 1000;
  std::int64_t end_ns = 2000;
  std::int64_t agent = 1;
};

/// Runs statements on a database, which is made if need be.  Throws std::runtime_error.
void run_sql(const std::filesystem::path& path, const std::string& statements);

/// Calls `use` with a function that runs statements, while the database is open.
void with_open_database(
    const std::filesystem::path& path,
    const std::function<void(const std::function<void(const std::string&)>&)>& use);

/// The statements that make a database of schema 3, with the views that rocprofv3 puts over it.
std::string rocpd_sql(const std::vector<RocpdDispatch>& dispatches,
                      const std::string& uuid = "_0000_1111", const std::string& schema = "3");

}  // namespace jaxtrace

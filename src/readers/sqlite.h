// A database file of somebody else, opened to be read and never changed, not even by recovery.
//
// Beside a database its writer keeps a log (`-wal`, `-journal`) with what is not in the file yet.
// SQLite would write to both to make sense of it, so then a private copy is opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/finding.h"

struct sqlite3;
struct sqlite3_stmt;

namespace jaxtrace {

class Database {
 public:
  /// Throws InputError if the file is missing, no database, locked by a writer, or cut short.
  Database(const std::filesystem::path& path, std::vector<Finding>& findings);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Names of base tables: no views, no virtual tables.
  const std::vector<std::string>& tables() const { return tables_; }

  /// Columns of one of them.
  std::vector<std::string> columns(const std::string& table);

 private:
  friend class TableRows;

  void open(const std::filesystem::path& path, bool immutable);
  bool copy_with_log(std::vector<Finding>& findings);
  void list_tables();

  std::filesystem::path path_;
  std::filesystem::path copy_;  // A directory; empty if the file itself is open.
  sqlite3* handle_ = nullptr;
  std::vector<std::string> tables_;
};

/// The rows of one table, with the columns asked for by name.
class TableRows {
 public:
  /// Columns that the table lacks read as absent.
  TableRows(Database& database, const std::string& table, const std::vector<std::string>& columns);
  ~TableRows();
  TableRows(const TableRows&) = delete;
  TableRows& operator=(const TableRows&) = delete;

  /// False at the end, and where the file is damaged: see damaged().
  bool next();
  std::optional<std::int64_t> integer(std::size_t column) const;
  std::string_view text(std::size_t column) const;  ///< Good until next().

  /// Why reading stopped before the end; empty if it did not.
  const std::string& damaged() const { return damaged_; }

 private:
  sqlite3_stmt* statement_ = nullptr;
  std::vector<int> places_;  // Of the columns in the statement; -1 where the table has none.
  std::string damaged_;
};

}  // namespace jaxtrace

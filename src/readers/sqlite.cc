// What a file may do to SQLite is limited: its schema is not trusted, its views are not used.
#include "readers/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "jaxtrace/error.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeader = 100;  // Bytes; sqlite.org/fileformat2.html

fs::path beside(const fs::path& path, const char* suffix) {
  fs::path result = path;
  result += suffix;
  return result;
}

bool has_bytes(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && fs::file_size(path, error) > 0 && !error;
}

/// A file name for SQLite's URI form, in which `?`, `#` and `%` mean something.
std::string uri_of(const fs::path& path, bool immutable) {
  std::string text = "file:";
  for (const char byte : fs::absolute(path).string()) {
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '/' || byte == '.' || byte == '_';
    text += plain ? std::string(1, byte)
                  : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  }
  return text + (immutable ? "?mode=ro&immutable=1" : "?mode=rw");
}

std::uint32_t big_endian(const std::array<char, kHeader>& header, std::size_t at,
                         std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value = value << 8U | static_cast<unsigned char>(header[at + i]);
  }
  return value;
}

/// Throws unless the header is a database's whose pages are all there.
void check_header(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, kHeader> header{};
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (!in || error) {
    throw InputError(path.string(), "cannot be read", ExitCode::input_missing);
  }
  if (!in.read(header.data(), kHeader)) {
    throw InputError(path.string(), "is cut: it has less than the header of a database");
  }
  const std::uint32_t coded = big_endian(header, 16, 2);
  const std::uint64_t page = coded == 1 ? 65536 : coded;
  const std::uint64_t pages = big_endian(header, 28, 4);
  // The count is kept by SQLite since 2010, and right where these two agree.
  const bool counted = big_endian(header, 24, 4) == big_endian(header, 92, 4);
  if (counted && pages * page > size && !has_bytes(beside(path, "-wal"))) {
    throw InputError(path.string(),
                     fmt::format("is cut: {} of {} bytes are there; copy it again, or the profiler "
                                 "did not finish writing it",
                                 size, pages * page));
  }
}

/// Throws if a process is writing: SQLite's locks are those of POSIX on bytes after 2^30.
void check_lock(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return;
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = 0x40000000;
  lock.l_len = 512;
  const bool known = ::fcntl(file, F_GETLK, &lock) == 0;
  ::close(file);
  if (known && lock.l_type == F_WRLCK) {
    throw InputError(path.string(),
                     fmt::format("is being written by process {}; wait until the profiler has "
                                 "finished",
                                 lock.l_pid));
  }
}

}  // namespace

Database::Database(const fs::path& path, std::vector<Finding>& findings) : path_(path) {
  check_header(path);
  check_lock(path);
  try {
    if (has_bytes(beside(path, "-wal")) || has_bytes(beside(path, "-journal"))) {
      if (!copy_with_log(findings)) open(path, true);
    } else {
      open(path, true);
    }
    list_tables();
  } catch (...) {
    sqlite3_close(handle_);
    std::error_code ignored;
    if (!copy_.empty()) fs::remove_all(copy_, ignored);
    throw;
  }
}

Database::~Database() {
  sqlite3_close(handle_);
  std::error_code ignored;
  if (!copy_.empty()) fs::remove_all(copy_, ignored);
}

/// False, with a finding, if there is no room for a copy.
bool Database::copy_with_log(std::vector<Finding>& findings) {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "jaxtrace-XXXXXX").string();
  if (!error && ::mkdtemp(pattern.data()) != nullptr) {
    copy_ = pattern;
    fs::copy_file(path_, copy_ / "copy.db", error);
    for (const char* const suffix : {"-wal", "-journal"}) {
      if (error || !has_bytes(beside(path_, suffix))) continue;
      fs::copy_file(beside(path_, suffix), beside(copy_ / "copy.db", suffix), error);
    }
    if (!error) {
      open(copy_ / "copy.db", false);
      findings.push_back({Severity::note, "database-log",
                          "what its writer had left in a log beside it was read too; the profiler "
                          "did not close it",
                          path_.string(), 1});
      return true;
    }
  }
  findings.push_back({Severity::data_loss, "database-log",
                      "a log lies beside it that could not be read, for lack of room for a copy; "
                      "rows may be missing",
                      path_.string(), 1});
  return false;
}

void Database::open(const fs::path& path, bool immutable) {
  const int flags = SQLITE_OPEN_URI | (immutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  const int result = sqlite3_open_v2(uri_of(path, immutable).c_str(), &handle_, flags, nullptr);
  if (result != SQLITE_OK) {
    throw InputError(path_.string(), std::string("cannot be opened: ") + sqlite3_errstr(result),
                     ExitCode::input_missing);
  }
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_exec(handle_, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
}

void Database::list_tables() {
  sqlite3_stmt* statement = nullptr;
  int result =
      sqlite3_prepare_v2(handle_,
                         "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage "
                         "> 0 ORDER BY name",
                         -1, &statement, nullptr);
  if (result == SQLITE_OK) {
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
      const auto* const name = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      if (name != nullptr) tables_.emplace_back(name);
    }
  }
  sqlite3_finalize(statement);
  if (result != SQLITE_DONE) {
    throw InputError(path_.string(),
                     std::string("is damaged: its list of tables cannot be read (") +
                         sqlite3_errstr(result) + "); copy it again");
  }
}

std::vector<std::string> Database::columns(const std::string& table) {
  std::vector<std::string> names;
  sqlite3_stmt* statement = nullptr;
  const char* const query = "SELECT name FROM pragma_table_info(?1)";
  if (sqlite3_prepare_v2(handle_, query, -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_text(statement, 1, table.c_str(), -1, SQLITE_TRANSIENT);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const auto* const name = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      if (name != nullptr) names.emplace_back(name);
    }
  }
  sqlite3_finalize(statement);
  return names;
}

TableRows::TableRows(Database& database, const std::string& table,
                     const std::vector<std::string>& columns) {
  const std::vector<std::string> there = database.columns(table);
  const auto quoted = [](const std::string& name) {
    std::string text = "\"";
    for (const char byte : name) text += byte == '"' ? "\"\"" : std::string(1, byte);
    return text + '"';
  };
  std::string list;
  int next = 0;
  for (const std::string& column : columns) {
    const bool has = std::ranges::find(there, column) != there.end();
    places_.push_back(has ? next++ : -1);
    if (has) list += (list.empty() ? "" : ", ") + quoted(column);
  }
  if (list.empty()) return;
  const std::string query = "SELECT " + list + " FROM " + quoted(table);
  const int result = sqlite3_prepare_v2(database.handle_, query.c_str(), -1, &statement_, nullptr);
  if (result != SQLITE_OK) damaged_ = sqlite3_errstr(result);
}

TableRows::~TableRows() {
  sqlite3_finalize(statement_);
}

bool TableRows::next() {
  if (statement_ == nullptr || !damaged_.empty()) return false;
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) damaged_ = sqlite3_errstr(result);
  return false;
}

std::optional<std::int64_t> TableRows::integer(std::size_t column) const {
  const int place = places_[column];
  if (place < 0 || sqlite3_column_type(statement_, place) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_, place);
}

std::string_view TableRows::text(std::size_t column) const {
  const int place = places_[column];
  if (place < 0) return {};
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, place));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, place))};
}

}  // namespace jaxtrace

// Every table is written; the report shows their first rows.
#include "commands/skip_stats/files.h"

#include <algorithm>
#include <vector>

#include "commands/skip_stats/rows_csv.h"
#include "jaxtrace/error.h"

namespace jaxtrace {

void require_function(const std::string& function, const std::filesystem::path& capture,
                      const Trace& trace) {
  if (function.empty()) return;
  const std::vector<std::string> known = step_functions(trace);
  if (std::ranges::find(known, function) != known.end()) return;
  constexpr std::size_t kMost = 10;
  std::string list;
  for (std::size_t i = 0; i < known.size() && i < kMost; ++i) {
    list += (i == 0 ? "" : ", ") + known[i];
  }
  throw InputError(capture.string(), "has no call of " + function +
                                         (list.empty() ? "; it records no calls of jitted functions"
                                                       : "; it records calls of " + list +
                                                             (known.size() > kMost ? ", …" : "")));
}

void write_files(const Found& found, OutputDir& directory) {
  write_rows_csv(found, directory.file("rows.csv"));
  write_gaps_csv(found, directory.file("gaps.csv"));
  for (const Table& table : {checks_table(found), devices_table(found), streams_table(found),
                             causes_table(found), kernels_table(found), chains_table(found)}) {
    write_csv_file(table, directory);
  }

  write_steps_csv(found, directory.file("steps.csv"));
}

}  // namespace jaxtrace

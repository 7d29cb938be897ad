// Every table is written; the report shows their first rows.
#include "commands/skip_stats/files.h"

#include "commands/skip_stats/rows_csv.h"

namespace jaxtrace {

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

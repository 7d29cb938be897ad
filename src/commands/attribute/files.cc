// Every table is written; the report shows their first rows.
#include "commands/attribute/files.h"

#include <string>

#include "commands/attribute/hlo_files.h"
#include "commands/attribute/kernels_csv.h"
#include "commands/attribute/scopes.h"
#include "jaxtrace/error.h"

namespace jaxtrace {

void require_program(const AttributeOptions& options, const std::filesystem::path& capture,
                     const Attribution& attribution, const Trace& trace) {
  if (!options.program) return;
  std::string known;
  std::size_t listed = 0;
  for (const AttributedProgram& program : attribution.programs) {
    if (program.program_id == *options.program) return;
    if (program.program_id == kNoProgram || ++listed > 10) continue;
    known += known.empty() ? "" : ", ";
    known += std::to_string(program.program_id) + " (" +
             std::string(trace.strings[program.module]) + ')';
  }
  throw InputError(capture.string(), "has no program " + std::to_string(*options.program) +
                                         (known.empty() ? "; it names none"
                                                        : "; its programs are " + known +
                                                              (listed > 10 ? ", …" : "")));
}

void write_files(const Measured& measured, const AttributeOptions& options,
                 const FileOptions& files, const Counted& counted, OutputDir& directory) {
  write_kernels_csv(measured.trace, measured.attribution, measured.ops, counted, files.stacks,
                    directory.file("kernels.csv"));
  write_csv_file(ops_table(measured), directory);
  write_csv_file(lines_table(measured), directory);
  write_csv_file(scopes_table(measured), directory);
  write_csv_file(fusions_table(measured), directory);
  write_csv_file(how_table(measured), directory);
  write_hlo_files(measured.trace, options, files.hlo_bare, directory);
}

}  // namespace jaxtrace

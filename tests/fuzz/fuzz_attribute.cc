// Any bytes may be given to `jaxtrace attribute`: every event gets a label, and every table adds up
// to the same time.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "attribution/attribution.h"
#include "attribution/ops.h"
#include "attribution/sums.h"
#include "commands/attribute/check.h"
#include "commands/attribute/kernels_csv.h"
#include "commands/attribute/scopes.h"
#include "commands/attribute/summary.h"
#include "commands/attribute/tables.h"
#include "fuzz/memory_file.h"
#include "hlo/text.h"
#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"

namespace {

using namespace jaxtrace;

std::int64_t column_sum(const Table& table, std::string_view name) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name != name) continue;
    for (const auto& row : table.rows) {
      const auto* value = std::get_if<std::int64_t>(&row[i]);
      if (value != nullptr && __builtin_add_overflow(sum, *value, &sum)) return -1;
    }
  }
  return sum;
}

void attribute_all(const Trace& trace) {
  const Attribution attribution = attribute(trace);
  require(attribution.label.size() == trace.device_events);
  for (const std::uint32_t label : attribution.label) require(label < attribution.labels.size());

  const Ops ops = find_ops(trace, attribution, hlo::is_user_code);
  const Counted counted = counted_labels(attribution, {});
  const Sums sums = add_up(trace, attribution, ops, counted);
  const Measured measured{trace, attribution, ops, sums};
  for (const Table& table : {ops_table(measured), lines_table(measured), how_table(measured)}) {
    const std::int64_t sum = column_sum(table, "total_ps");
    require(sum == sums.all.total_ps || sum == -1);
  }
  std::ostringstream out;
  write_kernels_csv(trace, attribution, ops, counted, true, out);
  write_csv(scopes_table(measured), out);
  write_csv(fusions_table(measured), out);
  const Side side{trace, attribution};
  const Check same = check(side, side, {});
  write_check_csv(same, side, side, out);
  require(same.differences.empty());
  const Report report = summary(measured, {}, same);
  write_markdown(report, out);
  write_json(report, out);
  for (const Module& module : trace.modules) {
    if (const auto text = hlo::print_module(module.hlo_proto, {})) out << *text;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    attribute_all(read_capture(file.path()));
  } catch (const InputError&) {
    // Most inputs are no captures.
  }
  return 0;
}

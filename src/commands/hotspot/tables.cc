// instructions.csv, lines.csv and stalls.csv: the cycles, three times over.
#include "commands/hotspot/tables.h"

#include <fmt/format.h>

#include "att/select.h"
#include "report/csv_writer.h"

namespace jaxtrace {
namespace {

/// Share of a whole as write_csv() prints ratios.
void share_cell(CsvWriter& csv, std::int64_t part, std::int64_t whole) {
  if (whole <= 0) {
    csv.cell();
  } else if (part == 0) {
    csv.raw("0.000000");
  } else {
    csv.raw(fmt::format("{:.6f}", *ratio(part, whole)));
  }
}

void write_instruction(CsvWriter& csv, const HotspotDispatch& dispatch, std::uint32_t row) {
  const Instruction& instruction = dispatch.trace.instructions[row];
  csv.cell(dispatch.label);
  csv.cell(name_of(dispatch.trace.kernels[instruction.kernel]));
  csv.cell(instruction.line);
  csv.raw(hex(instruction.address));
  csv.cell(instruction.text);
  csv.cell(instruction.source);
  csv.cell(name_of(dispatch.totals.class_of[row]));
  if (instruction.damaged) {
    for (int i = 0; i < 6; ++i) csv.cell();
  } else {
    const Cycles cycles = cycles_of(instruction);
    csv.cell(cycles.hits);
    csv.cell(cycles.latency);
    csv.cell(cycles.stall);
    csv.cell(cycles.issue());
    csv.cell(cycles.idle);
    share_cell(csv, cycles.stall, dispatch.totals.all.stall);
  }
  csv.end_row();
}

}  // namespace

Cell optional_cell(std::optional<double> value) {
  return value ? Cell(*value) : Cell();
}

Cell optional_cell(std::optional<std::int64_t> value) {
  return value ? Cell(*value) : Cell();
}

Cell text_cell(std::string_view text) {
  return text.empty() ? Cell() : Cell(std::string(text));
}

std::string hex(std::int64_t address) {
  return fmt::format("{:#x}", static_cast<std::uint64_t>(address));
}

void write_instructions_csv(Dispatches dispatches, std::ostream& out) {
  CsvWriter csv(out);
  csv.raw(
      "dispatch,kernel,line_number,address,instruction,source,class,hits,latency_cycles,"
      "stall_cycles,issue_cycles,idle_cycles,stall_share");
  csv.end_row();
  for (const auto& dispatch : dispatches) {
    for (std::uint32_t row = 0; row < dispatch->trace.instructions.size(); ++row) {
      write_instruction(csv, *dispatch, row);
    }
  }
}

Table lines_csv(Dispatches dispatches) {
  Table table{.id = "lines",
              .caption = "",
              .columns = {{"dispatch"},
                          {"source"},
                          {"instructions", Unit::count},
                          {"hits", Unit::count},
                          {"latency_cycles", Unit::cycles},
                          {"stall_cycles", Unit::cycles},
                          {"issue_cycles", Unit::cycles},
                          {"idle_cycles", Unit::cycles},
                          {"stall_share", Unit::ratio},
                          {"stall_rate", Unit::ratio},
                          {"class"}},
              .rows = {}};
  for (const auto& dispatch : dispatches) {
    for (const LineTotal& line : dispatch->totals.lines) {
      const Cycles& cycles = line.cycles;
      table.rows.push_back(
          {dispatch->label, text_cell(line.line), static_cast<std::int64_t>(line.rows.size()),
           cycles.hits, cycles.latency, cycles.stall, cycles.issue(), cycles.idle,
           optional_cell(ratio(cycles.stall, dispatch->totals.all.stall)),
           optional_cell(ratio(cycles.stall, cycles.latency)),
           cycles.stall > 0 ? Cell(std::string(name_of(line.dominant()))) : Cell()});
    }
  }
  return table;
}

Table stalls_csv(Dispatches dispatches) {
  Table table{.id = "stalls",
              .caption = "",
              .columns = {{"dispatch"},
                          {"class"},
                          {"instructions", Unit::count},
                          {"hits", Unit::count},
                          {"stall_cycles", Unit::cycles},
                          {"share_of_stall", Unit::ratio},
                          {"share_of_latency", Unit::ratio},
                          {"share_of_wave_time", Unit::ratio},
                          {"latency_cycles", Unit::cycles},
                          {"idle_cycles", Unit::cycles}},
              .rows = {}};
  for (const auto& dispatch : dispatches) {
    const Cycles& all = dispatch->totals.all;
    for (const ClassTotal& total : dispatch->totals.classes) {
      const std::int64_t stall = total.cycles.stall;
      table.rows.push_back(
          {dispatch->label, std::string(name_of(total.stall_class)), total.instructions,
           total.cycles.hits, stall, optional_cell(ratio(stall, all.stall)),
           optional_cell(ratio(stall, all.latency)), optional_cell(ratio(stall, all.of_waves())),
           total.cycles.latency, total.cycles.idle});
    }
  }
  return table;
}

}  // namespace jaxtrace

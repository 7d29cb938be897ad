// The tables of a report as CSV.  CsvWriter has the rules of quoting.
#include <fmt/format.h>

#include "jaxtrace/report.h"
#include "report/csv_rows.h"
#include "report/csv_writer.h"

namespace jaxtrace {
namespace {

void write(const Cell& cell, Unit unit, CsvWriter& csv) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    csv.cell(*text);
  } else if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    csv.cell(*integer);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    csv.cell(unit == Unit::ratio ? fmt::format("{:.6f}", *real) : fmt::format("{}", *real));
  } else {
    csv.cell();
  }
}

}  // namespace

void write_csv_rows(const Table& table, std::ostream& out) {
  CsvWriter csv(out);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) write(row[i], table.columns[i].unit, csv);
    csv.end_row();
  }
}

void write_csv(const Table& table, std::ostream& out) {
  {
    CsvWriter csv(out);
    for (const Column& column : table.columns) csv.cell(column.name);
    csv.end_row();
  }
  write_csv_rows(table, out);
}

void write_csv(const Report& report, std::ostream& out) {
  const char* separator = "";
  const auto write_one = [&](const Table& table) {
    out << separator << "# " << table.id << '\n';
    write_csv(table, out);
    separator = "\n";
  };
  for (const auto& block : report.blocks) {
    if (const auto* table = std::get_if<Table>(&block)) write_one(*table);
    if (const auto* annex = std::get_if<Annex>(&block)) write_one(annex->table);
    if (const auto* group = std::get_if<Bundle>(&block)) {
      for (const Table& table : group->tables) write_one(table);
    }
  }
}

}  // namespace jaxtrace

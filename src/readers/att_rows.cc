// AttRows.
#include "readers/att_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "readers/att_notes.h"

namespace jaxtrace {
namespace {

/// Four times as much still adds up within 64 bits, when traces are merged.
constexpr std::int64_t kMostCycles = std::int64_t{1} << 61U;

bool is_label(const std::string& isa) {
  return isa.starts_with(';');
}

/// Hits and cycles of a row, if they can be.
bool has_sane_numbers(const AttRow& row, std::int64_t cycles_before) {
  for (const AttColumn column :
       {AttColumn::hits, AttColumn::latency, AttColumn::stall, AttColumn::idle}) {
    if (!row[column] || *row[column] < 0) return false;
  }
  const std::int64_t left = kMostCycles - cycles_before;
  return *row[AttColumn::hits] <= kMostCycles &&
         *row[AttColumn::stall] <= *row[AttColumn::latency] && *row[AttColumn::latency] <= left &&
         *row[AttColumn::idle] <= left - *row[AttColumn::latency];
}

}  // namespace

void AttRows::add_kernel(const AttRow& row) {
  const std::size_t name = row.isa.find_first_not_of("; ");
  trace_.kernels.push_back(
      {.symbol = name == std::string::npos ? "" : row.isa.substr(name), .demangled = row.source});
}

void AttRows::add(AttRow& row) {
  if (row.isa.empty()) {
    ++left_out_;
    return;
  }
  if (is_label(row.isa)) {
    add_kernel(row);
    return;
  }
  if (trace_.kernels.empty()) trace_.kernels.emplace_back();

  Instruction made;
  made.text = std::move(row.isa);
  made.source = std::move(row.source);
  made.line = row[AttColumn::line].value_or(next_line_);
  made.code_object = row[AttColumn::object].value_or(0);
  made.address = row[AttColumn::address].value_or(0);
  made.kernel = static_cast<std::uint32_t>(trace_.kernels.size() - 1);
  next_line_ = made.line < kMostCycles ? made.line + 1 : made.line;
  if (row.complete && row[AttColumn::line] && row[AttColumn::address] &&
      has_sane_numbers(row, cycles_)) {
    made.hits = *row[AttColumn::hits];
    made.latency_cycles = *row[AttColumn::latency];
    made.stall_cycles = *row[AttColumn::stall];
    made.idle_cycles = *row[AttColumn::idle];
    cycles_ += made.latency_cycles + made.idle_cycles;
  } else {
    made.damaged = true;
    if (damaged_++ == 0) first_damaged_ = fmt::format("line {}, {}", made.line, made.text);
  }
  samples_ = samples_ || row[AttColumn::samples].value_or(0) > 0;
  trace_.instructions.push_back(std::move(made));
}

void AttRows::finish() {
  std::vector<Instruction>& rows = trace_.instructions;
  if (!std::ranges::is_sorted(rows, {}, &Instruction::line)) {
    std::ranges::stable_sort(rows, {}, &Instruction::line);
  }
  const std::string where = trace_.name + '/' + trace_.file;
  if (damaged_ > 0) {
    note(trace_.findings, Severity::error, "att-damaged-row",
         fmt::format("the numbers of {} of {} instructions cannot be, so they are in no total; the "
                     "first is {}",
                     damaged_, rows.size(), first_damaged_),
         where);
  }
  if (left_out_ > 0) {
    note(trace_.findings, Severity::error, "att-row-without-text",
         fmt::format("{} rows name no instruction and are left out", left_out_), where);
  }
  if (cycles_ > 0) return;
  const bool hit = std::ranges::any_of(rows, [](const Instruction& row) { return row.hits > 0; });
  const bool sampled = samples_ || trace_.timing == Timing::pc_sampling;
  trace_.timing = rows.empty() ? Timing::none
                  : sampled    ? Timing::pc_sampling
                  : hit        ? Timing::none
                               : Timing::zero_hits;
}

}  // namespace jaxtrace

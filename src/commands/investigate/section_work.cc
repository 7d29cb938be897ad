// Steps 4 and 5: whose work it was, and how near to the GPU's peaks it came.
#include <fmt/format.h>

#include <algorithm>

#include "commands/attribute/shown_tables.h"
#include "commands/investigate/sections.h"
#include "commands/investigate/tables.h"
#include "commands/investigate/words.h"
#include "report/words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kTop = 8;

std::string machine_text(const Roofline& roofline) {
  if (!roofline.machine) {
    return fmt::format("No peaks, so rates without a percentage: {}",
                       escape_markdown_sentence(roofline.no_machine));
  }
  return fmt::format("Peaks of {} ({}) are read, not measured: {}",
                     escape_markdown_sentence(roofline.machine->name),
                     roofline.chosen ? "chosen by --machine" : "recognised",
                     escape_markdown_sentence(roofline.machine->source));
}

std::string with_stop(std::string sentence) {
  if (!sentence.empty() && sentence.back() != '.') sentence += '.';
  return sentence;
}

}  // namespace

void add_attribution(Report& report, const Investigation& all) {
  const Measured of_attribute = measured(all);
  const std::vector<Cost> costs = cost_by_op(of_attribute);
  report.blocks.emplace_back(Heading{"4. Kernel → HLO → Python"});
  report.blocks.emplace_back(Prose{opening(of_attribute, time_with_a_line(of_attribute, costs))});
  if (all.sums.all.kernels == 0) return;
  show(report, match_table(of_attribute));
  show(report, unexplained_table(of_attribute));
  show(report, top_lines(of_attribute, kTop));
  show(report, top_ops(of_attribute, costs, kTop));
  Table phases = phases_table(all);
  phases.caption = "By part of the training step:";
  if (phases.rows.size() > 2) show(report, std::move(phases));
  Table collectives = excerpt(collectives_table(all),
                              {"instruction", "kind", "instances", "participants", "bytes",
                               "total_ps", "transfer_ps", "bus_bandwidth", "rate_over"},
                              kTop);
  collectives.caption = fmt::format(
      "Collectives{} (bus bandwidth as nccl-tests defines it: no share of a link's "
      "peak):",
      all.collectives.size() > kTop ? fmt::format(", {} of {}", kTop, all.collectives.size()) : "");
  show(report, std::move(collectives));
}

void add_roofline(Report& report, const Investigation& all) {
  const Roofline& roofline = all.roofline;
  report.blocks.emplace_back(Heading{"5. Roofline"});
  if (roofline.all <= Picoseconds{0}) {
    report.blocks.emplace_back(Prose{"No GPU time was counted."});
    return;
  }
  report.blocks.emplace_back(Prose{with_stop(machine_text(roofline))});
  std::string text = fmt::format("FLOPs and bytes are known of {} of the GPU time ({})",
                                 share_text(roofline.rooflined.count(), roofline.all.count()),
                                 for_people(std::int64_t{roofline.all.count()}, Unit::time));
  const Table left_out = not_rooflined_table(all);
  for (const auto& row : left_out.rows) {
    text += fmt::format("{}{} {}", &row == &left_out.rows.front() ? "; left out: " : ", ",
                        std::get<std::string>(row[0]), for_people(row[2], Unit::ratio));
  }
  report.blocks.emplace_back(Prose{text + ". roofline.svg draws it, roofline.csv has every row."});

  Table whole = roofline_table(all);
  std::size_t row = 0;
  std::erase_if(whole.rows, [&](const auto&) { return roofline.rows[row++].left_out.has_value(); });
  show(report, roofline.machine ? excerpt(whole,
                                          {"instruction", "line", "share", "instances", "precision",
                                           "figures", "flops_per_s", "bytes_per_s", "intensity",
                                           "bound", "compute_share", "memory_share"},
                                          kTop)
                                : excerpt(whole,
                                          {"instruction", "line", "share", "instances", "precision",
                                           "figures", "flops_per_s", "bytes_per_s", "intensity"},
                                          kTop));
  Bullets notes;
  for (const Finding& finding : roofline.findings) {
    constexpr std::size_t kMost = 4;
    if (notes.items.size() == kMost) {
      notes.items.push_back(fmt::format("{} more, in step 7.", roofline.findings.size() - kMost));
      break;
    }
    notes.items.push_back(with_stop(escape_markdown_sentence(finding.message)));
  }
  if (!notes.items.empty()) report.blocks.emplace_back(std::move(notes));
}

}  // namespace jaxtrace

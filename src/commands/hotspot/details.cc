// --detail: source with the hot line marked, as the directory's copy has it.
//
// Text of a capture goes into a fenced block, so the fence is longer than any run of backticks in
// it.
#include <fmt/format.h>

#include <algorithm>

#include "commands/hotspot/sections.h"
#include "report/text.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostLines = 5;
constexpr std::size_t kMostInstructions = 6;
constexpr std::size_t kWidest = 120;

/// Tabs as four blanks, and no longer than a screen.
std::string printable(std::string_view line) {
  std::string spaced;
  for (const char c : line.substr(0, 4096)) {
    if (c == '\t') {
      spaced += "    ";
    } else {
      spaced += c;
    }
  }
  return shortened(one_line(spaced), kWidest);
}

const SourceFile* source_of(const ThreadTrace& trace, std::string_view path) {
  const auto found = std::ranges::find(trace.sources, path, &SourceFile::path);
  return found == trace.sources.end() ? nullptr : &*found;
}

std::string snippet(const SourceFile& file, std::int64_t line, std::size_t context) {
  const auto lines = static_cast<std::int64_t>(file.lines.size());
  if (line > lines) return "";
  const auto around = static_cast<std::int64_t>(context);
  std::string text;
  for (std::int64_t i = std::max<std::int64_t>(1, line - around);
       i <= std::min(lines, line + around); ++i) {
    const std::string shown = printable(file.lines[static_cast<std::size_t>(i - 1)]);
    text += fmt::format("{} {:>4}{}{}\n", i == line ? ">>>" : "   ", i, shown.empty() ? "" : "  ",
                        shown);
  }
  return text;
}

std::string instructions(const HotspotDispatch& dispatch, const LineTotal& line) {
  const auto& rows = dispatch.trace.instructions;
  std::vector<std::uint32_t> order = line.rows;
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::uint32_t row) { return rows[row].stall_cycles; });
  std::string text;
  std::size_t shown = 0;
  for (const std::uint32_t row : order) {
    if (rows[row].stall_cycles == 0 || shown++ == kMostInstructions) break;
    text += fmt::format("{:>12}  {:<14} {}\n", count_text(rows[row].stall_cycles),
                        name_of(dispatch.totals.class_of[row]), printable(rows[row].text));
  }
  return text;
}

std::string fenced(const std::string& text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + '\n' + text + fence;
}

}  // namespace

void add_details(Report& report, const HotspotDispatch& dispatch, const HotspotOptions& options,
                 bool several) {
  const std::size_t most = std::min(kMostLines, options.topk);
  std::size_t rank = 0;
  for (const LineTotal& line : dispatch.totals.lines) {
    if (line.cycles.stall == 0 || line.line.empty()) continue;
    if (rank++ == most) break;
    // Of a whole chain the innermost line is where the code is.
    const SourceLine at = parse_line(line_of(line.line, Inline::innermost));
    const SourceFile* const file = source_of(dispatch.trace, at.path);
    const std::string source =
        file != nullptr && at.number ? snippet(*file, *at.number, options.context) : std::string();
    report.blocks.emplace_back(Prose{fmt::format(
        "**#{}** {}{}: {} cycles of stall, {} of all; stall rate {}.{}", rank,
        several ? escape_markdown(dispatch.label) + ", " : "", escape_markdown(line.line),
        count_text(line.cycles.stall), share_text(line.cycles.stall, dispatch.totals.all.stall),
        share_text(line.cycles.stall, line.cycles.latency),
        source.empty() ? " Its source was not copied into the directory." : "")});
    report.blocks.emplace_back(
        Prose{fenced(source + (source.empty() ? "" : "\n") + instructions(dispatch, line))});
  }
}

}  // namespace jaxtrace

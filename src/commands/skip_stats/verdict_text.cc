// The verdict is never without what it rests on: shares, gaps, doubts, and what would refute it.
#include "commands/skip_stats/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands/skip_stats/words.h"

namespace jaxtrace {
namespace {

std::string shares_text(const Found& found) {
  const Verdict& verdict = found.stats.verdict;
  std::string out = fmt::format("compute {}", percent(verdict.shares.compute));
  for (std::size_t i = 0; i < kLosses; ++i) {
    const auto loss = static_cast<Loss>(i);
    if (verdict.shares.of(loss) <= 0) continue;
    out += fmt::format(", {} {}", name_of(loss), percent(verdict.shares.of(loss)));
  }
  return out;
}

struct GapSpread {
  std::uint64_t count = 0;
  Picoseconds median{0}, p95{0}, max{0};
};

GapSpread gap_spread(const Found& found) {
  std::vector<Picoseconds> lengths;
  for (const ExplainedGap& gap : found.stats.causes.gaps) {
    if (gap.device == found.stats.verdict.device) lengths.push_back(gap.gap.window.length());
  }
  GapSpread out{.count = lengths.size()};
  if (lengths.empty()) return out;
  std::ranges::sort(lengths);
  out.median = lengths[(lengths.size() - 1) / 2];
  out.p95 = lengths[(lengths.size() - 1) * 95 / 100];
  out.max = lengths.back();
  return out;
}

}  // namespace

std::string_view in_words(HostBound host) {
  switch (host) {
    case HostBound::launch_rate:
      return "many short gaps: it cannot launch fast enough";
    case HostBound::dispatch:
      return "one long gap a step: between executions";
    case HostBound::host_work:
      return "host work between launches";
    case HostBound::none:
      break;
  }
  return "";
}

std::string_view in_words(Confidence confidence) {
  constexpr std::string_view kWords[] = {"low", "medium", "high"};
  return kWords[static_cast<std::size_t>(confidence)];
}

std::string verdict_text(const Found& found) {
  const Verdict& verdict = found.stats.verdict;
  if (!verdict.why_inconclusive.empty()) {
    return fmt::format("Verdict: **inconclusive**: {}.",
                       escape_markdown_sentence(verdict.why_inconclusive));
  }
  std::string out = fmt::format("Verdict: **{}**", in_words(verdict.decision));
  if (verdict.host != HostBound::none) out += fmt::format(" ({})", in_words(verdict.host));
  if (verdict.straggler) {
    out += found.stats.stragglers.device
               ? fmt::format(" (the others wait for {})",
                             escape_markdown(device_name(found, *found.stats.stragglers.device)))
               : std::string(" (mostly waiting for a late GPU)");
  }
  return out + fmt::format(", confidence {}.", in_words(verdict.confidence));
}

Bullets evidence(const Found& found) {
  const Verdict& verdict = found.stats.verdict;
  const DeviceStats& device = verdict_stats(found);
  Bullets out;
  out.items.push_back(fmt::format("Of the steady window of {} ({}): {}.",
                                  escape_markdown(device_name(found, verdict.device)),
                                  shown(device.steady.window.length()), shares_text(found)));
  const GapSpread gaps = gap_spread(found);
  std::string line = fmt::format("{}: median {}, 95th percentile {}, longest {}.",
                                 counted(gaps.count, "gap", "gaps"), shown(gaps.median),
                                 shown(gaps.p95), shown(gaps.max));
  if (gaps.count == 0) line = "No gaps.";
  if (const StreamStats* stream = busiest_stream(found.stats.streams, verdict.device)) {
    const LatencyStats& latency = stream->latency;
    line += fmt::format(
        " {} of {} launches on the busiest stream found it still at work.",
        percent(static_cast<double>(latency.queued) / static_cast<double>(latency.used)),
        for_people(static_cast<std::int64_t>(latency.used), Unit::count));
  }
  out.items.push_back(std::move(line));
  for (const std::string& remark : verdict.remarks) out.items.push_back(remark);
  if (!verdict.doubts.empty() && verdict.why_inconclusive.empty()) {
    std::string doubts;
    for (const std::string& doubt : verdict.doubts) {
      doubts += doubts.empty() ? "" : "; ";
      doubts += escape_markdown_sentence(doubt);
    }
    out.items.push_back(fmt::format("Why not surer: {}.", doubts));
  }
  if (!verdict.refuted_by.empty()) {
    out.items.push_back(fmt::format("It would be refuted by {}.", verdict.refuted_by));
  }
  return out;
}

}  // namespace jaxtrace

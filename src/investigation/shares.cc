// A share is left out on purpose and said so by its table, so it is `partial`; but what covers half
// of its whole leaves too little that holds.
#include "investigation/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/times.h"
#include "investigation/investigated.h"
#include "investigation/remedies.h"
#include "investigation/roofline.h"
#include "jaxtrace/report.h"

namespace jaxtrace {
namespace {

constexpr std::uint16_t kUnsure = 700;  // Thousandths, as `attribute` marks doubtful answers.
constexpr double kMostlyLost = 0.5;
constexpr double kLeast = 0.01;  // Of idle time: every capture has some that nothing explains.

std::string time_text(std::int64_t ps) {
  return for_people(ps, Unit::time);
}

std::string percent(double share) {
  return for_people(share, Unit::ratio);
}

/// Sums of one kind of doubt.
struct Part {
  std::int64_t events = 0, ps = 0;
  void add(const Cost& cost) {
    events += cost.kernels;
    ps += cost.total_ps;
  }
};

/// Files an entry for `part` of GPU time; nothing for nothing.
void add_part(const Investigated& in, std::string code, const Part& part, std::string reason,
              std::vector<Distrust>& out) {
  if (part.events == 0) return;
  Distrust entry = distrust(in, std::move(code));
  entry.count = part.events;
  if (in.sums.all.total_ps > 0) {
    entry.share = static_cast<double>(part.ps) / static_cast<double>(in.sums.all.total_ps);
    entry.share_of = "GPU time";
  }
  entry.reason = std::move(reason);
  entry.gravity = entry.share.value_or(0) >= kMostlyLost ? Gravity::serious : Gravity::partial;
  out.push_back(std::move(entry));
}

/// "It was …" of a rule, as a clause.
std::string clause(std::string_view sentence) {
  std::string text(sentence);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

void add_share(const Investigated& in, std::string code, Picoseconds part, Picoseconds whole,
               std::string share_of, std::string reason, std::vector<Distrust>& out) {
  if (part <= Picoseconds{0} || whole <= Picoseconds{0}) return;
  Distrust entry = distrust(in, std::move(code));
  entry.share = static_cast<double>(part.count()) / static_cast<double>(whole.count());
  entry.share_of = std::move(share_of);
  entry.reason = std::move(reason);
  entry.gravity = *entry.share >= kMostlyLost ? Gravity::serious : Gravity::partial;
  out.push_back(std::move(entry));
}

bool has_failed(const std::vector<CheckResult>& checks, std::string_view id) {
  const auto at = std::ranges::find(checks, id, &CheckResult::id);
  return at != checks.end() && (at->state == CheckState::warn || at->state == CheckState::fatal);
}

}  // namespace

Distrust distrust(const Investigated& in, std::string code) {
  const Advice& advice = advice_on(code);
  Distrust entry;
  entry.code = std::move(code);
  entry.affects = advice.affects;
  entry.remedy = remedy_for(advice, in.trace);
  return entry;
}

std::vector<Distrust> attribution_shares(const Investigated& in, bool no_hlo_said) {
  std::vector<Distrust> out;
  std::map<Rule, Part> none;
  Part unsure, no_line, inherited, library;
  for (std::size_t l = 0; l < in.attribution.labels.size(); ++l) {
    const Label& label = in.attribution.labels[l];
    const Cost& cost = in.sums.label[l];
    if (cost.kernels == 0) continue;
    if (label.match == Match::none) {
      none[label.rule].add(cost);
      continue;
    }
    if (label.confidence < kUnsure) unsure.add(cost);
    const std::uint32_t op = in.ops.of_label[l];
    if (op == kNone) continue;
    const hlo::Provenance& source = in.ops.rows[op].source;
    if (source.user.file.empty()) {
      // That a program has no HLO is said once, and then it has no lines.
      if (!no_hlo_said || label.rule != Rule::tracer_text) no_line.add(cost);
    } else if (source.origin == hlo::Origin::inherited) {
      inherited.add(cost);
    } else if (source.library) {
      library.add(cost);
    }
  }
  for (const auto& [rule, part] : none) {
    if (rule == Rule::damaged || (rule == Rule::no_hlo && no_hlo_said)) continue;
    add_part(in, "unattributed-" + std::string(text(rule)), part, clause(reason(rule)), out);
  }
  add_part(in, "low-confidence", unsure, "several instructions fit almost equally well", out);
  add_part(in, "no-line", no_line, "the HLO has no source line for these instructions", out);
  add_part(in, "inherited-line", inherited,
           "the instruction has no line of its own, but what it reads or feeds has", out);
  add_part(in, "library-line", library, "no frame of these stacks is user code", out);
  return out;
}

std::vector<Distrust> budget_shares(const Investigated& in,
                                    const std::vector<CheckResult>& checks) {
  std::vector<Distrust> out;
  const Works& works = in.skip.works;
  const std::size_t events = in.trace.device_events;
  // Check `device-of-call` says of ambiguous ones what there is to say.
  const auto unjoined = static_cast<std::int64_t>(std::ranges::count_if(
      works.join, [](Join join) { return join == Join::none || join == Join::weak; }));
  if (unjoined > 0 && !has_failed(checks, "join") && works.calls > 0) {
    Distrust entry = distrust(in, "unjoined");
    entry.count = unjoined;
    entry.share = static_cast<double>(unjoined) / static_cast<double>(events);
    entry.share_of = "device events";
    entry.reason = "no launching call of the host is surely theirs";
    entry.gravity = Gravity::partial;
    out.push_back(std::move(entry));
  }
  if (!has_failed(checks, "classified")) {
    std::int64_t count = 0;
    Picoseconds other{0}, all{0};
    for (std::size_t i = 0; i < events; ++i) {
      if (!works.timed[i]) continue;
      add_time(all, in.trace.events.duration[i]);
      if (works.cls[i] != WorkClass::other) continue;
      ++count;
      add_time(other, in.trace.events.duration[i]);
    }
    add_share(in, "unclassified", other, all, "GPU time", "neither name nor launch tells", out);
    if (!out.empty() && out.back().code == "unclassified") out.back().count = count;
  }
  if (in.skip.devices.empty()) return out;
  const DeviceStats& device = in.skip.devices[in.skip.verdict.device];
  const Picoseconds window = device.steady.window.length();
  const auto matters = [](Picoseconds part, Picoseconds whole) {
    return static_cast<double>(part.count()) > kLeast * static_cast<double>(whole.count());
  };
  const Picoseconds unexplained = device.steady_idle.unexplained();
  if (matters(unexplained, window)) {
    add_share(in, "unexplained-idle", unexplained, window, "the steady window",
              fmt::format("{} idle, ended by work without a known launch, or by nothing",
                          time_text(unexplained.count())),
              out);
  }
  const Picoseconds late = device.steady_idle.of(IdlePart::host_late);
  const Picoseconds unnamed = device.host_late[static_cast<std::size_t>(HostClass::none)];
  if (matters(unnamed, late)) {
    add_share(in, "unnamed-host-time", unnamed, late, "the host's lateness",
              fmt::format("no host event was open in {} of it", time_text(unnamed.count())), out);
  }
  if (in.skip.causes.cut_events > 0) {
    Distrust entry = distrust(in, "cut-host-events");
    entry.count = static_cast<std::int64_t>(in.skip.causes.cut_events);
    entry.reason = "host events of one thread overlap without containing each other";
    entry.gravity = Gravity::partial;
    out.push_back(std::move(entry));
  }
  return out;
}

std::vector<Distrust> roofline_shares(const Investigated& in, const Roofline& roofline,
                                      bool no_hlo_said) {
  std::vector<Distrust> out;
  std::string reason;
  Picoseconds left_out{0}, most{0};
  auto greatest = NotRooflined::unknown_cost;
  for (std::size_t r = 0; r < kNotRooflined; ++r) {
    // Time without an instruction is in the list already.
    const auto why = static_cast<NotRooflined>(r);
    const Picoseconds time = roofline.left_out[r];
    const bool said =
        why == NotRooflined::no_instruction || (why == NotRooflined::no_hlo && no_hlo_said);
    if (said || time <= Picoseconds{0}) continue;
    add_time(left_out, time);
    const double share =
        static_cast<double>(time.count()) / static_cast<double>(roofline.all.count());
    reason += fmt::format("{}{} {}", reason.empty() ? "" : ", ", text(why), percent(share));
    if (time > most) {
      most = time;
      greatest = why;
    }
  }
  add_share(in, "not-rooflined", left_out, roofline.all, "GPU time", reason, out);
  if (!out.empty() && greatest == NotRooflined::collective) {
    out.back().remedy = "see their rates in collectives.csv";
  } else if (!out.empty() && greatest == NotRooflined::copy) {
    out.back().remedy = "nothing: copies do no arithmetic; the time budget has their time";
  }
  struct Rows {
    Picoseconds time{0};
    std::int64_t count = 0;
    void add(const RooflineRow& row) {
      add_time(time, row.total);
      ++count;
    }
  };
  Rows guessed, estimated, open;
  for (const RooflineRow& row : roofline.rows) {
    if (row.left_out) continue;
    if (row.by == InstancesBy::guess || row.uneven) guessed.add(row);
    if (row.cost.estimate) estimated.add(row);
    if (row.cost.precision_open) open.add(row);
  }
  const auto add_rows = [&](std::string code, const Rows& rows, std::string why) {
    const std::size_t before = out.size();
    add_share(in, std::move(code), rows.time, roofline.all, "GPU time", std::move(why), out);
    if (out.size() > before) out.back().count = rows.count;
  };
  add_rows("guessed-instances", guessed,
           "instances ran different numbers of kernels, or only kernels tell how many there were");
  add_rows("estimated-cost", estimated,
           "the HLO does not fix what is computed (rounds of a loop, the work of fused attention)");
  add_rows("open-precision", open,
           "f32 operands may be multiplied in TF32, which has a higher peak");
  if (!roofline.machine && roofline.all > Picoseconds{0}) {
    Distrust entry = distrust(in, "no-peaks");
    entry.reason = clause(roofline.no_machine);
    out.push_back(std::move(entry));
  }
  // The roofline says beside every figure what it is of.
  for (Distrust& entry : out) entry.gravity = Gravity::partial;
  return out;
}

}  // namespace jaxtrace

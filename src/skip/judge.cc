// Shares of one device's steady window to a verdict; doubts about it to a confidence.
#include "skip/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/median.h"

namespace jaxtrace {
namespace {

constexpr std::uint64_t kLeastKernels = 10;

double ratio(Picoseconds part, Picoseconds whole) {
  if (whole <= Picoseconds{0}) return 0;
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

Picoseconds of_class(const ByHostClass& time, HostClass cls) {
  return time[static_cast<std::size_t>(cls)];
}

/// The share that a verdict rests on, in one step.
double leading_share(const StepParts& parts, const Decision& decision) {
  if (decision.bound == Bound::gpu) return ratio(parts.compute, parts.step);
  switch (decision.first) {
    case Loss::compile:
      return ratio(of_class(parts.host, HostClass::compile), parts.step);
    case Loss::input:
      return ratio(of_class(parts.host, HostClass::input), parts.step);
    case Loss::host:
      return ratio(parts.idle.host() - of_class(parts.host, HostClass::compile) -
                       of_class(parts.host, HostClass::input),
                   parts.step);
    case Loss::comm:
      return ratio(parts.collective, parts.step);
    case Loss::memcpy:
      return ratio(parts.copy, parts.step);
    case Loss::device_wait:
      return ratio(parts.idle.device_wait(), parts.step);
    case Loss::unknown:
      return ratio(parts.idle.unexplained(), parts.step);
  }
  return 0;
}

/// Middle half of the leading share over the kept steps; absent for fewer than four.
std::optional<double> middle_half(const Evidence& e, std::size_t device, const Decision& decision) {
  std::vector<double> shares;
  for (std::size_t s = 0; s < e.scope.steps.steps.size(); ++s) {
    const StepParts& parts = e.devices[device].steps[s];
    if (e.scope.steps.steps[s].fate == StepFate::kept && parts.step > Picoseconds{0}) {
      shares.push_back(leading_share(parts, decision));
    }
  }
  if (shares.size() < 4) return std::nullopt;
  std::ranges::sort(shares);
  return shares[shares.size() * 3 / 4] - shares[shares.size() / 4];
}

HostBound host_kind(const Evidence& e, std::size_t device) {
  const DeviceStats& stats = e.devices[device];
  const Picoseconds host = stats.steady_idle.host();
  std::vector<Picoseconds> gaps;
  std::map<std::uint32_t, Picoseconds> longest;  // Of each step
  for (const ExplainedGap& gap : e.causes.gaps) {
    if (gap.device != device) continue;
    const Picoseconds part = split_gap(e.scope.trace, e.scope.works, gap.gap).host();
    if (part <= Picoseconds{0}) continue;
    gaps.push_back(part);
    Picoseconds& most = longest.try_emplace(gap.step, 0).first->second;
    most = std::max(most, part);
  }
  if (gaps.empty()) return HostBound::none;
  constexpr Picoseconds kShort = std::chrono::microseconds(20);
  const Picoseconds launching =
      of_class(stats.host_late, HostClass::launch) + stats.steady_idle.of(IdlePart::launch_path);
  if (lower_median(gaps) < kShort && launching * 2 >= host) return HostBound::launch_rate;
  Picoseconds in_longest{0};
  for (const auto& [step, part] : longest) in_longest += part;
  if (in_longest * 2 >= host) return HostBound::dispatch;
  return HostBound::host_work;
}

std::string refutation(const Decision& decision) {
  switch (decision.bound) {
    case Bound::gpu:
      return "a step that gets shorter when only the host gets faster";
    case Bound::host:
    case Bound::input:
    case Bound::compile:
      return "a capture without the Python tracer and with command buffers in which the GPU is "
             "busy for over 85 % of the step";
    case Bound::comm:
      return "a step on one GPU, or with collectives removed, that takes as long";
    case Bound::memcpy:
      return "a step without these copies that takes as long";
    case Bound::device_wait:
      return "gaps that stay when streams and dependencies between them are removed";
    default:
      return "a capture with more steps or fewer losses";
  }
}

std::size_t find_fatal(const std::vector<CheckResult>& checks) {
  const auto at = std::ranges::find(checks, CheckState::fatal, &CheckResult::state);
  return static_cast<std::size_t>(at - checks.begin());
}

void find_doubts(const Evidence& e, const Thresholds& thresholds, Verdict& out) {
  const auto doubt = [&](std::string text) { out.doubts.push_back(std::move(text)); };
  const Steps& steps = e.scope.steps;
  bool low = false;
  for (const CheckResult& check : e.checks) {
    if (check.state == CheckState::warn) doubt(fmt::format("check {}: {}", check.id, check.found));
  }
  if (steps.rule == StepRule::none) {
    low = true;  // Check `steps` says it.
  } else if (steps.kept < 5) {
    doubt(fmt::format("only {} steps were kept", steps.kept));
    low = steps.kept < 3;
  }
  if (const auto half = middle_half(e, out.device, out.decision)) {
    if (*half > thresholds.margin) {
      doubt(fmt::format("the middle half of the steps differ by {:.0f} points", 100 * *half));
    }
  }
  constexpr double kClear = 0.10;
  const double margin = out.decision.bound == Bound::gpu ? out.shares.compute - thresholds.gpu_bound
                                                         : out.decision.margin;
  if (margin < kClear) {
    doubt(out.decision.bound == Bound::gpu
              ? fmt::format("compute is {:.0f} points above the threshold", 100 * margin)
              : fmt::format("the next loss is {:.0f} points behind", 100 * margin));
  }
  const ByHostClass& late = e.devices[out.device].host_late;
  Picoseconds all{0};
  for (const Picoseconds time : late) all += time;
  const Picoseconds unnamed = of_class(late, HostClass::none);
  const bool about_host = out.decision.bound == Bound::host || out.decision.bound == Bound::input ||
                          out.decision.bound == Bound::compile ||
                          out.decision.bound == Bound::mixed;
  if (about_host && unnamed * 5 > all) {
    doubt(fmt::format("{:.0f} % of the host's lateness has no event", 100 * ratio(unnamed, all)));
  }
  std::uint64_t events = 0, strong = 0;
  for (const Join join : e.scope.works.join) {
    ++events;
    strong += join == Join::strong ? 1 : 0;
  }
  low = low || strong * 20 < events * 19;
  if (out.decision.bound == Bound::host) {
    if (const auto queued = queued_fraction(e, out.device); queued && *queued > 0.5) {
      doubt(fmt::format("{:.0f} % of launches found the GPU still at work: the loss is in few gaps",
                        100 * *queued));
    }
  }
  out.confidence = low || out.doubts.size() > 1 ? Confidence::low
                   : out.doubts.empty()         ? Confidence::high
                                                : Confidence::medium;
}

void find_remarks(const Evidence& e, const Thresholds& thresholds, Verdict& out) {
  const auto remark = [&](std::string text) { out.remarks.push_back(std::move(text)); };
  if (out.decision.bound == Bound::gpu) {
    remark(
        "The GPU is occupied; whether its kernels are efficient needs counters: "
        "`jaxtrace hotspot`, `jaxtrace pmc-l2`.");
  }
  for (std::size_t i = 0; i < kLosses; ++i) {
    const auto loss = static_cast<Loss>(i);
    const double share = out.shares.of(loss);
    // Input is moderate up to where it alone decides.
    const bool moderate =
        share < thresholds.high ||
        (loss == Loss::input && out.decision.input_moderate && out.decision.bound != Bound::input);
    if (share >= thresholds.remark && moderate) {
      remark(fmt::format("{} takes {:.1f} % of the steady window: moderate.", name_of(loss),
                         100 * share));
    }
  }
  std::uint64_t enabled = 0, late = 0;
  for (const ExplainedGap& gap : e.causes.gaps) {
    if (gap.device != out.device) continue;
    if (split_gap(e.scope.trace, e.scope.works, gap.gap).of(IdlePart::host_late) <=
        Picoseconds{0}) {
      continue;
    }
    ++late;
    enabled += gap.sync != kNoEvent ? 1 : 0;
  }
  if (enabled > 0) {
    remark(
        fmt::format("{} of {} host gaps begin as a wait of the host ends: it let the GPU run dry.",
                    enabled, late));
  }
  if (e.causes.gil_hints > 0) {
    remark(
        fmt::format("{} gaps are consistent with GIL contention, which is not observed directly.",
                    e.causes.gil_hints));
  }
}

}  // namespace

std::size_t verdict_device(const Evidence& e) {
  constexpr double kPersistent = 0.8;
  if (e.stragglers.device && e.stragglers.persistence >= kPersistent) return *e.stragglers.device;
  std::size_t most = 0;
  for (std::size_t d = 1; d < e.devices.size(); ++d) {
    if (e.devices[d].steady.compute() > e.devices[most].steady.compute()) most = d;
  }
  return most;
}

Shares shares_of(const DeviceStats& device) {
  Shares out;
  const Picoseconds window = device.steady.window.length();
  const Picoseconds compile = of_class(device.host_late, HostClass::compile);
  const Picoseconds input = of_class(device.host_late, HostClass::input);
  out.compute = ratio(device.steady.compute(), window);
  out.loss = {ratio(compile, window),
              ratio(input, window),
              ratio(device.steady_idle.host() - compile - input, window),
              ratio(device.steady.exposed_collective(), window),
              ratio(device.steady.exposed_copy(), window),
              ratio(device.steady_idle.device_wait(), window),
              ratio(device.steady_idle.unexplained(), window)};
  return out;
}

std::optional<double> queued_fraction(const Evidence& e, std::size_t device) {
  const StreamStats* const busiest = busiest_stream(e.streams, device);
  if (busiest == nullptr) return std::nullopt;
  return static_cast<double>(busiest->latency.queued) / static_cast<double>(busiest->latency.used);
}

Verdict judge(const Evidence& e, const Thresholds& thresholds) {
  Verdict out;
  if (e.devices.empty()) {
    out.why_inconclusive = "the capture has no GPU";
    return out;
  }
  out.device = verdict_device(e);
  const DeviceStats& device = e.devices[out.device];
  out.shares = shares_of(device);
  std::uint64_t kernels = 0;
  for (const DeviceStats& d : e.devices) kernels += d.capture_latency.kernels;
  if (const std::size_t fatal = find_fatal(e.checks); fatal < e.checks.size()) {
    out.why_inconclusive =
        fmt::format("check {} failed: {}", e.checks[fatal].id, e.checks[fatal].found);
  } else if (kernels < kLeastKernels) {
    out.why_inconclusive = fmt::format("{} kernels are too few to judge", kernels);
  } else if (device.steady.window.length() <= Picoseconds{0}) {
    out.why_inconclusive = "nothing in the kept steps has a length";
  }
  if (!out.why_inconclusive.empty()) return out;

  out.decision = decide(out.shares, thresholds);
  // The straggler itself never waits: that communication is lost shows on the others.
  if (e.stragglers.device && *e.stragglers.device == out.device && e.devices.size() > 1) {
    double waiting = 0;
    std::size_t others = 0;
    for (std::size_t d = 0; d < e.devices.size(); ++d) {
      if (d == out.device || e.devices[d].steady.window.length() <= Picoseconds{0}) continue;
      waiting += ratio(e.stragglers.wait[d], e.devices[d].steady.window.length());
      ++others;
    }
    if (others > 0 && waiting / static_cast<double>(others) >= thresholds.high) {
      out.straggler = true;
      const double share = waiting / static_cast<double>(others);
      if (share > out.shares.of(out.decision.first)) {
        out.decision.bound = Bound::comm;
        out.decision.margin = share - out.shares.of(out.decision.first);
        out.decision.second = out.decision.first;
        out.decision.first = Loss::comm;
      }
    }
  }
  if (out.decision.bound == Bound::comm && !out.straggler) {
    out.straggler = e.stragglers.wait[out.device] * 2 >= device.steady.exposed_collective() &&
                    e.stragglers.wait[out.device] > Picoseconds{0};
  }
  if (out.decision.bound == Bound::host) out.host = host_kind(e, out.device);
  find_doubts(e, thresholds, out);
  find_remarks(e, thresholds, out);
  out.refuted_by = refutation(out.decision);
  return out;
}

}  // namespace jaxtrace

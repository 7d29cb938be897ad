// Where a what-if has no time on the path, because it counts in another way (chains, batch), its
// own gain ranks it.
#include "investigation/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace jaxtrace {
namespace {

/// Time on the path by class of host event, and the event with most of each.
struct HostOnPath {
  std::array<Picoseconds, kHostClasses> time{};
  std::array<const PathCause*, kHostClasses> first{};  ///< `causes` come longest first.
};

HostOnPath host_on_path(const std::vector<PathCause>& causes) {
  HostOnPath out;
  for (const PathCause& cause : causes) {
    const auto row = static_cast<std::size_t>(cause.cls);
    out.time[row] += cause.time;
    if (out.first[row] == nullptr) out.first[row] = &cause;
  }
  return out;
}

std::optional<HostClass> class_of(std::string_view id) {
  constexpr std::string_view kPrefix = "W2 ";
  if (!id.starts_with(kPrefix)) return std::nullopt;
  for (std::size_t i = 0; i < kHostClasses; ++i) {
    if (name_of(static_cast<HostClass>(i)) == id.substr(kPrefix.size())) {
      return static_cast<HostClass>(i);
    }
  }
  return std::nullopt;
}

bool is_joint(std::string_view id) {
  return id == "W8" || id == "W1+W3";
}

std::string part_of(std::string_view id) {
  if (id.starts_with("W2 ") || id == "W5" || id == "W6") return "W1";
  return id == "W3 balance" ? "W3" : "";
}

/// The step's own straggler, by name.
std::string straggler_text(const Investigated& all, std::size_t step) {
  for (const StepStraggler& row : all.skip.stragglers.steps) {
    if (row.step != step || !row.device) continue;
    const DeviceId device = all.skip.timelines[*row.device].device;
    std::string_view plane =
        all.trace.strings[all.trace.devices[static_cast<std::size_t>(device)].plane];
    constexpr std::string_view kPrefix = "/device:";
    if (plane.starts_with(kPrefix)) plane.remove_prefix(kPrefix.size());
    return fmt::format("{} comes last at {} collective{}", plane, row.collectives,
                       row.collectives == 1 ? "" : "s");
  }
  return {};
}

/// "loss.py:12; memory-bound, at 31.0 % of the peak that was read for it"
std::string work_text(const Op& op, const RooflineRow* row) {
  std::string out;
  const hlo::Location& at = op.source.user;
  if (!at.file.empty()) {
    out = fmt::format("{}:{}", at.file.substr(at.file.find_last_of("/\\") + 1), at.line);
  }
  if (row != nullptr && row->peak_share()) {
    out += fmt::format("{}{}-bound, at {:.1f} % of the read peak", out.empty() ? "" : "; ",
                       text(*row->bound), 100 * *row->peak_share());
  }
  return out;
}

class Ranking {
 public:
  Ranking(const Investigated& all, const CriticalPath& path, const std::vector<PathCause>& causes)
      : all_(all), path_(path), host_(host_on_path(causes)) {}

  Proposal change(const WhatIf& what_if) const {
    Proposal out{.id = what_if.id,
                 .cause = what_if.without,
                 .part_of = part_of(what_if.id),
                 .step = what_if.step,
                 .assumption = what_if.assumption,
                 .knob = what_if.knob,
                 .confirm = what_if.confirm,
                 .joint = is_joint(what_if.id),
                 .worth = what_if.worth};
    if (const auto time = on_path(what_if.id)) set(out, *time);
    if (const auto cls = class_of(what_if.id)) {
      if (const PathCause* first = host_.first[static_cast<std::size_t>(*cls)]) {
        out.because = first->event;
      }
    }
    if (what_if.id == "W3 balance") out.because = straggler_text(all_, path_.step);
    return out;
  }

  /// The instructions with most compute on the path.
  void add_work(std::vector<Proposal>& causes, const Roofline& roofline) const {
    std::map<std::uint32_t, Picoseconds> by_op;
    for (const PathSegment& segment : path_.segments) {
      if (segment.kind != PathKind::compute || segment.event == kNoEvent) continue;
      const std::uint32_t op = all_.ops.of_label[all_.attribution.label[segment.event]];
      if (op != kNone) by_op[op] += segment.window.length();
    }
    std::vector<std::pair<std::uint32_t, Picoseconds>> order(by_op.begin(), by_op.end());
    std::ranges::stable_sort(order, std::greater{}, [](const auto& row) { return row.second; });
    constexpr std::size_t kMostWork = 3;
    if (order.size() > kMostWork) order.resize(kMostWork);
    for (const auto& [op, time] : order) {
      const auto row = std::ranges::find(roofline.rows, op, &RooflineRow::op);
      const Op& at = all_.ops.rows[op];
      Proposal change{.id = "compute",
                      .cause = at.name,
                      .because = work_text(at, row == roofline.rows.end() ? nullptr : &*row),
                      .knob = "the kernel itself: its layout, precision, tiling, fusion",
                      .confirm = "counters and stalls of this kernel: see New captures needed",
                      .worth = false};
      set(change, time);
      causes.push_back(std::move(change));
    }
  }

  /// What holds the path without being a loss that a what-if takes away.
  void add_rest(std::vector<Proposal>& causes) const {
    add(causes, "device waits",
        path_.of(PathKind::queued_short) + path_.of(PathKind::queued_long) +
            path_.of(PathKind::graph_internal),
        "work that was asked for in time and yet waited: dependencies, memory, dispatch",
        path_.of(PathKind::graph_internal) > path_.of(PathKind::queued_short)
            ? "fewer and larger kernels inside the graph: larger fusions"
            : "fewer and larger kernels; command buffers; streams that do not wait for each other");
    add(causes, "unexplained", path_.of(PathKind::unknown),
        "idle time before work whose launch is not known", "");
  }

 private:
  std::optional<Picoseconds> on_path(std::string_view id) const {
    if (path_.window.length() <= Picoseconds{0}) return std::nullopt;
    if (id == "W1") return path_.host();
    if (id == "W3") return path_.of(PathKind::transfer) + path_.of(PathKind::collective);
    if (id == "W4") return path_.of(PathKind::copy);
    if (id == "W8") return path_.window.length() - path_.of(PathKind::compute);
    if (const auto cls = class_of(id)) return host_.time[static_cast<std::size_t>(*cls)];
    return std::nullopt;
  }

  void set(Proposal& change, Picoseconds time) const {
    change.path = time;
    change.path_share =
        static_cast<double>(time.count()) / static_cast<double>(path_.window.length().count());
  }

  void add(std::vector<Proposal>& causes, const char* id, Picoseconds time, const char* cause,
           const char* knob) const {
    if (time <= Picoseconds{0}) return;
    Proposal change{.id = id, .cause = cause, .knob = knob, .worth = false};
    set(change, time);
    causes.push_back(std::move(change));
  }

  const Investigated& all_;
  const CriticalPath& path_;
  HostOnPath host_;
};

}  // namespace

Changes find_changes(const Investigated& all, const CriticalPath& path,
                     const std::vector<PathCause>& causes, const Roofline& roofline) {
  Changes out;
  out.window = path.window.length();
  const SkipStats& skip = all.skip;
  if (skip.what_ifs.empty()) {
    if (skip.devices.empty()) {
      out.why_none = "no GPU work was recorded";
    } else if (!skip.verdict.why_inconclusive.empty()) {
      out.why_none = skip.verdict.why_inconclusive;
    } else {
      out.why_none = "the capture has no median step to estimate from";
    }
    return out;
  }
  out.step = skip.devices[skip.verdict.device].steps[*skip.steps.median].step;
  const Ranking ranking(all, path, causes);
  for (const WhatIf& what_if : skip.what_ifs) {
    Proposal change = ranking.change(what_if);
    const bool nothing = change.path.value_or(Picoseconds{0}) <= Picoseconds{0} &&
                         what_if.step >= out.step && what_if.id != "W7";
    if (nothing) continue;
    (change.joint ? out.joint : out.causes).push_back(std::move(change));
  }
  ranking.add_rest(out.causes);
  ranking.add_work(out.causes, roofline);
  const auto rank = [&](const Proposal& change) {
    const Picoseconds gain = change.step ? out.step - *change.step : Picoseconds{0};
    return std::pair{change.path.value_or(gain), gain};
  };
  std::ranges::stable_sort(out.causes, [&](const Proposal& a, const Proposal& b) {
    const auto of_a = rank(a), of_b = rank(b);
    if (of_a != of_b) return of_a > of_b;
    return std::tie(a.id, a.cause) < std::tie(b.id, b.cause);
  });
  return out;
}

}  // namespace jaxtrace

// Each doubt on the smallest capture that gives rise to it, and its absence where all is well.
#include "attribution/doubts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "jaxtrace/trace_builder.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kMicrosecond = 1'000'000;

/// A host thread that runs programs, and GPUs that do what it launches.  Times in microseconds.
class Session {
 public:
  explicit Session(std::string_view vendor = "Nvidia", int gpus = 1) {
    host_ = builder_.add_host("host", "host.xplane.pb");
    for (int i = 0; i < gpus; ++i) {
      Device device{};
      device.host = host_;
      device.ordinal = i;
      device.vendor = builder_.intern(vendor);
      device.plane = builder_.intern("/device:GPU:" + std::to_string(i));
      devices_.push_back(builder_.add_device(device));
    }
  }

  Host& host() { return builder_.host(host_); }

  void stream(int gpu = 0) {
    builder_.begin_lane({.host = host_,
                         .kind = LaneKind::stream,
                         .device = devices_[static_cast<std::size_t>(gpu)],
                         .name = builder_.intern("Stream #7(Compute)"),
                         .id = 7});
  }
  void kernel(std::string_view name, std::int64_t begin, std::int64_t duration,
              std::uint64_t correlation = 0, const Annotation& said = {}) {
    builder_.add_event({.begin = Picoseconds{begin * kMicrosecond},
                        .duration = Picoseconds{duration * kMicrosecond},
                        .name = builder_.intern(name),
                        .annotation = builder_.annotation(said),
                        .correlation = correlation});
  }
  /// Many, one after the other.
  void kernels(std::string_view name, std::int64_t count) {
    EventRow row{.duration = Picoseconds{5}, .name = builder_.intern(name)};
    for (std::int64_t i = 1; i <= count; ++i) {
      row.begin = Picoseconds{10 * i};
      builder_.add_event(row);
    }
  }
  void thread() {
    builder_.begin_lane({.host = host_,
                         .kind = LaneKind::host,
                         .device = DeviceId::none,
                         .name = builder_.intern("python/1"),
                         .id = 1});
  }
  void call(std::string_view name, std::int64_t begin, std::int64_t duration,
            std::uint64_t correlation = 0) {
    kernel(name, begin, duration, correlation);
  }
  Annotation of_module(std::string_view module, std::int64_t id = kNoProgram) {
    Annotation said{};
    said.hlo_module = builder_.intern(module);
    said.program_id = id;
    return said;
  }
  void carries(std::string_view module, std::int64_t id) {
    builder_.add_module(
        {.host = host_, .name = builder_.intern(module), .program_id = id, .hlo_proto = {}});
  }

  std::vector<Finding> findings() {
    trace_ = std::move(builder_).finish();
    attribution_ = attribute(trace_);
    return attribution_.findings;
  }
  const Attribution& attribution() const { return attribution_; }

 private:
  TraceBuilder builder_;
  HostId host_{};
  std::vector<DeviceId> devices_;
  Trace trace_;
  Attribution attribution_;
};

/// The message of the finding with this code; empty if there is none.
std::string message(const std::vector<Finding>& findings, std::string_view code) {
  const auto at = std::ranges::find(findings, code, &Finding::code);
  return at == findings.end() ? "" : at->message;
}

Severity severity(const std::vector<Finding>& findings, std::string_view code) {
  const auto at = std::ranges::find(findings, code, &Finding::code);
  return at == findings.end() ? Severity::note : at->severity;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Doubts, AreNoneWhereAllIsWell) {
  Session session;
  session.stream();
  // Neighbours may collide by a little, and events of no length are legal.
  session.kernel("a", 10, 5, 1, session.of_module("jit_f"));
  session.kernel("b", 14, 5, 2, session.of_module("jit_f"));
  session.kernel("c", 16, 0, 3, session.of_module("jit_f"));
  session.thread();
  session.call("jit_f:XLA GPU module", 1, 8);
  session.call("cuLaunchKernel", 2, 1, 1);
  session.call("cuLaunchKernel", 4, 1, 2);
  session.call("cuLaunchKernel", 6, 1, 3);
  EXPECT_EQ(session.findings().size(), 0u);
}

TEST(Doubts, CountProgramRunsWithoutKernels) {
  Session session;
  session.stream();
  session.kernel("a", 10, 5, 1, session.of_module("jit_f"));
  session.thread();
  for (int run = 0; run < 4; ++run) session.call("jit_f:XLA GPU module", 100 * run, 50);
  session.call("cuLaunchKernel", 2, 1, 1);
  const auto findings = session.findings();
  EXPECT_EQ(message(findings, "runs-without-kernels"),
            "3 of 4 program runs (75.0 %) have no kernel: most kernels are missing");
  EXPECT_EQ(severity(findings, "runs-without-kernels"), Severity::data_loss);
}

TEST(Doubts, DoNotCountRunsWhereCallsCannotBeJoined) {
  Session session;
  session.stream();
  session.kernel("a", 10, 5, 0, session.of_module("jit_f"));
  session.thread();
  for (int run = 0; run < 4; ++run) session.call("jit_f:XLA GPU module", 100 * run, 50);
  EXPECT_EQ(message(session.findings(), "runs-without-kernels"), "");
}

TEST(Doubts, CountLaunchesWithoutWork) {
  Session session;
  session.stream();
  session.kernel("a", 10, 5, 1);
  session.thread();
  session.call("cuLaunchKernel", 2, 1, 1);
  session.call("a", 4, 1, 2);  // CUDA files name the call after the kernel.
  session.call("cuGraphLaunch", 6, 1, 3);
  session.call("cuStreamSynchronize", 8, 1, 4);
  session.call("hipLaunchHostFunc", 9, 1, 5);
  EXPECT_TRUE(contains(message(session.findings(), "launches-without-work"),
                       "2 of 3 launches on the host (66.7 %)"));
}

TEST(Doubts, DoNotMissWorkThatBearsTheLaunchOfAnotherGpu) {
  Session session("Nvidia", 2);
  session.stream(0);
  session.kernel("ncclDevKernel_AllReduce", 10, 5, 1);
  session.stream(1);
  session.kernel("ncclDevKernel_AllReduce", 10, 5, 1);
  session.thread();
  session.call("cuGraphLaunch", 2, 1, 1);
  session.call("cuGraphLaunch", 4, 1, 2);
  const auto findings = session.findings();
  EXPECT_EQ(message(findings, "launches-without-work"), "");
  EXPECT_TRUE(contains(message(findings, "launches-of-another-gpu"), "1 of 2 launches"));
  EXPECT_EQ(severity(findings, "launches-of-another-gpu"), Severity::note);
}

TEST(Doubts, KnowHipGraphsThatShowOneKernel) {
  for (const bool amd : {true, false}) {
    Session session(amd ? "AMD" : "Nvidia");
    session.stream();
    session.kernel("a", 10, 5, 1);
    session.kernel("a", 20, 5, 2);
    session.kernel("a", 30, 5, 3);
    session.kernel("b", 40, 5, 3);
    session.thread();
    for (std::uint64_t id : {1U, 2U, 3U}) {
      session.call("hipGraphLaunch", static_cast<std::int64_t>(id), 1, id);
    }
    EXPECT_EQ(contains(message(session.findings(), "graph-with-one-kernel"),
                       "2 of 3 graph launches (66.7 %)"),
              amd);
  }
}

TEST(Doubts, CountWholeGraphs) {
  Session session;
  session.stream();
  Annotation whole{};
  whole.graph_exec_id = 5;
  session.kernel("CudaGraphExec:5", 10, 5, 1, whole);
  session.kernel("a", 20, 5, 2);
  EXPECT_TRUE(contains(message(session.findings(), "whole-graphs"), "1 of 2 device events"));
}

TEST(Doubts, KnowTheLimitOfTheTracer) {
  Session session;
  session.stream();
  session.kernels("a", 2'097'152);
  EXPECT_TRUE(contains(message(session.findings(), "at-event-limit"), "2,097,152 device events"));
}

TEST(Doubts, NameGpusWithoutEvents) {
  Session session("AMD", 8);
  session.stream(3);
  session.kernel("a", 10, 5);
  const auto findings = session.findings();
  EXPECT_TRUE(contains(message(findings, "gpus-without-events"), "7 of 8 GPUs (87.5 %)"));
  EXPECT_EQ(severity(findings, "gpus-without-events"), Severity::note);
}

TEST(Doubts, TakeCorruptTimesOutOfTheTotals) {
  const std::int64_t hour = 3'600'000'000;
  Session session;
  session.stream();
  session.kernel("nothing", 0, 0);
  session.kernel("fine", 10, 5);
  session.kernel("backwards", 20, -3);
  session.kernel("endless", 30, 2 * hour);
  const auto findings = session.findings();
  EXPECT_TRUE(contains(message(findings, "corrupt-timing"), "3 of 4 events (75.0 %)"))
      << message(findings, "corrupt-timing");
  EXPECT_EQ(message(findings, "nested-work"), "");
  const Attribution& out = session.attribution();
  EXPECT_EQ(std::ranges::count_if(out.label,
                                  [&](auto row) { return out.labels[row].rule == Rule::damaged; }),
            3);
}

TEST(Doubts, BoundDurationsByTheSession) {
  Session session;
  session.host().profile_start_ns = 1'700'000'000'000'000'000;
  session.host().profile_stop_ns = 1'700'000'100'000'000'000;  // 100 s
  session.stream();
  session.kernel("slow", 10, 90'000'000);
  session.kernel("longer than the session", 100'000'000, 110'000'000);
  EXPECT_TRUE(contains(message(session.findings(), "corrupt-timing"), "1 of 2 events"));
}

TEST(Doubts, NameWorkInsideOtherWorkOfItsStream) {
  for (const bool amd : {true, false}) {
    Session session(amd ? "AMD" : "Nvidia");
    session.stream();
    session.kernel("outer", 10, 100);
    session.kernel("inner", 20, 10);
    session.kernel("next", 200, 10);
    const auto findings = session.findings();
    EXPECT_TRUE(contains(message(findings, "nested-work"), "1 of 3 events (33.3 %), 10.00 µs"))
        << message(findings, "nested-work");
    EXPECT_TRUE(contains(message(findings, "nested-work"), "outer"));
    EXPECT_EQ(severity(findings, "nested-work"), amd ? Severity::note : Severity::error);
  }
}

TEST(Doubts, EstimateHowFarClocksAreApart) {
  Session session;
  session.stream();
  session.kernel("a", 10, 5, 1);
  session.kernel("b", 20, 5, 2);
  session.thread();
  session.call("cuLaunchKernel", 19, 1, 1);
  session.call("cuLaunchKernel", 18, 1, 2);
  const std::string said = message(session.findings(), "clock-skew");
  EXPECT_TRUE(contains(said, "1 of 2 events (50.0 %)") && contains(said, "9.000 µs")) << said;
}

TEST(Doubts, KnowCorrelationIdsThatCameTwice) {
  Session session;
  session.stream();
  session.kernel("a", 10, 5, 1);
  session.kernel("a", 30, 5, 1);
  session.thread();
  session.call("cuLaunchKernel", 2, 1, 1);
  session.call("cuLaunchKernel", 22, 1, 1);
  EXPECT_TRUE(contains(message(session.findings(), "correlation-id-reused"), "1 correlation id"));
}

TEST(Doubts, SayWhenProgramsWereRenumbered) {
  Session session;
  session.carries("jit_f", 3);
  session.stream();
  session.kernel("a", 10, 5, 0, session.of_module("jit_f", 17));
  EXPECT_TRUE(contains(message(session.findings(), "program-renumbered"), "say program 17"));
}

TEST(Doubts, TellWhatProfilingChanged) {
  Session session;
  session.stream();
  session.kernel("a", 10, 5);
  session.thread();
  session.call("$train.py:7 step", 1, 50);
  session.call("WARNING: CommandBuffer disabled when profiling", 2, 0);
  const auto findings = session.findings();
  EXPECT_NE(message(findings, "python-tracer"), "");
  EXPECT_NE(message(findings, "command-buffers-disabled"), "");
}

TEST(Doubts, CallRunsUnknownRatherThanEverythingOutsideOfThem) {
  Session session;
  session.stream();
  session.kernel("a", 10, 5, 1);
  session.thread();
  session.call("cuLaunchKernel", 2, 1, 1);
  session.findings();
  const Attribution& out = session.attribution();
  EXPECT_EQ(out.labels[out.label[0]].rule, Rule::no_program);
}

}  // namespace
}  // namespace jaxtrace

// Trace JSON: what is read of it, and what its writers do that one would not expect.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"
#include "readers/gpu_capture.h"
#include "support/capture.h"
#include "support/program.h"
#include "support/trace_json.h"

namespace jaxtrace {
namespace {

constexpr std::string_view kNames =
    R"j({"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},
       {"ph":"M","pid":1,"tid":16,"name":"thread_name","args":{"name":"Stream #16(Compute)"
}
},
       {"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},
       {"ph":"M","pid":701,"tid":7,"name":"thread_name","args":{"name":"python"}},)j";

Trace read_file_named(const std::string& name, std::string_view bytes) {
  const ScratchDir directory;
  write_file(directory.path() / name, bytes);
  return read_trace_json(directory.path() / name);
}

Trace read_json(std::string_view text) {
  return read_file_named("host0.trace.json", text);
}

/// A trace of these events, after the names of a GPU with one stream and a host with one thread.
Trace read_events(const std::string& events) {
  return read_json(R"({"displayTimeUnit":"ns","traceEvents":[)" + std::string(kNames) + events +
                   "{}]}");
}

/// The one event that a trace with this event on the stream has.
Trace read_kernel(const std::string& members) {
  Trace trace = read_events(R"({"ph":"X","pid":1,"tid":16,)" + members + "},");
  EXPECT_EQ(trace.events.size(), 1U) << members;
  return trace;
}

std::string refusal(const std::string& name, std::string_view bytes) {
  try {
    read_file_named(name, bytes);
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::input_unfit);
    return error.what();
  }
  return "not refused";
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(TraceJson, AnEventAsTheProfilerWritesIt) {
  const Trace trace = read_kernel(
      R"("ts":960.034,"dur":16.097999999999999,"name":"loop_fusion","args":{"context_id":"$$1",)"
      R"("correlation_id":"4982","cuda_graph_id":"133","cuda_graph_node_id":"571230650382",)"
      R"("hlo_module":"jit_step","hlo_op":"fusion.3","kernel_details":"regs:23 grid:64,1,1 )"
      R"(block:128,1,1","name":"mul","step_num":"3","tf_op":"XlaModule:"})");
  EXPECT_EQ(trace.device_events, 1U);
  EXPECT_EQ(trace.events.begin[0].count(), 960'034'000);
  EXPECT_EQ(trace.events.duration[0].count(), 16'098'000);
  EXPECT_EQ(trace.strings[trace.events.name[0]], "loop_fusion");
  EXPECT_EQ(trace.events.correlation[0], 4982U);
  EXPECT_EQ(trace.events.graph_node.at(0), 571230650382U);
  const Annotation& said = annotation(trace, 0);
  EXPECT_EQ(trace.strings[said.hlo_op], "fusion.3");
  EXPECT_EQ(trace.strings[said.hlo_module], "jit_step");
  EXPECT_EQ(trace.strings[said.op_name], "mul");
  EXPECT_EQ(trace.strings[said.tf_op], "XlaModule:");
  EXPECT_EQ(said.graph_id, 133U);
  EXPECT_EQ(said.program_id, kNoProgram);
  EXPECT_EQ(details(trace, 0).of, Details::Of::kernel);
  EXPECT_EQ(details(trace, 0).registers, 23U);
  EXPECT_TRUE(trace.stats.empty()) << "numbers are kept of host events only";
  EXPECT_EQ(trace.strings[trace.devices.at(0).plane], "/device:GPU:0");
  EXPECT_EQ(trace.strings[trace.hosts.at(0).name], "host0");
  EXPECT_TRUE(trace.modules.empty());
  EXPECT_FALSE(trace.devices[0].compute_units.has_value());
  ASSERT_NE(finding(trace, "read-from-json"), nullptr);
  EXPECT_EQ(trace.findings.size(), 1U);
}

TEST(TraceJson, NumbersOfHostEvents) {
  const Trace trace = read_events(
      R"({"ph":"X","pid":701,"tid":7,"ts":1,"dur":2,"name":"train 3","args":{"step_num":"3",)"
      R"("group_id":12,"run_id":"x"}},)");
  ASSERT_EQ(trace.stats.size(), 2U);
  EXPECT_EQ(trace.strings[trace.stats[0].key], "group_id");
  EXPECT_EQ(trace.stats[0].value, 12);
  EXPECT_EQ(trace.stats[1].value, 3);
  EXPECT_EQ(trace.strings[trace.events.name[0]], "train") << "the number is not part of the name";
  EXPECT_EQ(trace.device_events, 0U);
  EXPECT_NE(finding(trace, "no-device-events"), nullptr);
}

TEST(TraceJson, TimesAreExact) {
  const auto begin = [](const std::string& ts) {
    return read_kernel("\"name\":\"k\",\"ts\":" + ts).events.begin[0].count();
  };
  EXPECT_EQ(begin("119326.33"), 119'326'330'000);
  EXPECT_EQ(begin("122771.42600000001"), 122'771'426'000);
  EXPECT_EQ(begin("7798098.7889999999"), 7'798'098'789'000);
  EXPECT_EQ(begin("9.0071992547409927e+9"), 9'007'199'254'740'993);
  EXPECT_EQ(begin("1e3"), 1'000'000'000);
  EXPECT_EQ(begin("2.5000000000000001e-05"), 25);
  EXPECT_EQ(begin("-3.5"), -3'500'000);
  EXPECT_EQ(begin("0"), 0);
  EXPECT_EQ(begin("\"12.5\""), 12'500'000);
}

TEST(TraceJson, ZeroIsWrittenAsAPicosecond) {
  const auto duration = [](const std::string& members) {
    return read_kernel("\"ts\":1," + members).events.duration[0].count();
  };
  EXPECT_EQ(duration("\"dur\":9.9999999999999995e-07"), 0);
  EXPECT_EQ(duration("\"dur\":1e-06"), 0) << "as Python writes it into perfetto_trace.json.gz";
  EXPECT_EQ(duration("\"dur\":1.9999999999999999e-06"), 2);
  EXPECT_EQ(duration("\"dur\":0"), 0);
  EXPECT_EQ(duration("\"name\":\"instant\""), 0);
  EXPECT_EQ(duration("\"dur\":-2"), -2'000'000) << "damage is not repaired";
}

TEST(TraceJson, TimesThatAreNone) {
  const Trace trace = read_events(R"({"ph":"X","pid":1,"tid":16,"ts":nan,"dur":1,"name":"a"},)"
                                  R"({"ph":"X","pid":1,"tid":16,"dur":1,"name":"b"},)"
                                  R"({"ph":"X","pid":1,"tid":16,"ts":5,"dur":inf,"name":"c"},)"
                                  R"({"ph":"X","pid":1,"tid":16,"ts":1e300,"dur":1,"name":"d"},)");
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.strings[trace.events.name[0]], "d");
  ASSERT_NE(finding(trace, "damaged-event"), nullptr);
  EXPECT_EQ(finding(trace, "damaged-event")->count, 3U);
  EXPECT_NE(finding(trace, "time-out-of-range"), nullptr);
}

TEST(TraceJson, TimesSince1970) {
  const Trace trace =
      read_events(R"({"ph":"X","pid":1,"tid":16,"ts":1735689600000001.5,"dur":1,"name":"a"},)"
                  R"({"ph":"X","pid":1,"tid":16,"ts":1735689600000003.25,"dur":1,"name":"b"},)");
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ((trace.events.begin[1] - trace.events.begin[0]).count(), 1'750'000);
  EXPECT_EQ(trace.hosts[0].origin_ns, 1'735'689'600'000'000'000);
  EXPECT_NE(finding(trace, "epoch-times"), nullptr);
}

TEST(TraceJson, KeysInAnyOrderAndUnknownOnes) {
  const Trace trace = read_events(
      R"( { "args" : { "deep":{"a":[1,{"b":"}]\""}]},"hlo_op":"f.1","n":null } , "name":"f",)"
      R"("sf":[1,2],"dur":2,"tid":16,"ts":1,"pid":1,"ph":"X","id":{"x":1}} ,)");
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.strings[annotation(trace, 0).hlo_op], "f.1");
}

TEST(TraceJson, Names) {
  const Trace nameless = read_kernel(R"("ts":1,"tid":"16","pid":1.0)");
  EXPECT_EQ(nameless.strings[nameless.events.name[0]], "?");
  EXPECT_NE(finding(nameless, "event-without-name"), nullptr);
  const Trace trace = read_kernel(
      R"("ts":1,"name":"gemm\u003cfloat\u003e \"q\" \\ \/ \u00e9 \ud83d\ude00 \ud83d!","args":)"
      R"({"hlo_op":"a::b\u002e1"})");
  EXPECT_EQ(trace.strings[trace.events.name[0]],
            "gemm<float> \"q\" \\ / \xc3\xa9 \xf0\x9f\x98\x80 \xef\xbf\xbd!");
  EXPECT_EQ(trace.strings[annotation(trace, 0).hlo_op], "b.1");
}

TEST(TraceJson, TheNameOfTheXplaneFileIsTaken) {
  const Trace trace =
      read_kernel(R"j("ts":1,"name":"short","args":{"long_name":"void very<long>(int)"})j");
  EXPECT_EQ(trace.strings[trace.events.name[0]], "void very<long>(int)");
}

TEST(TraceJson, WhatIsNoWorkIsLeftOut) {
  const Trace trace = read_events(
      R"({"ph":"M","pid":1,"tid":-559038732,"name":"thread_name","args":{"name":"XLA Ops"}},)"
      R"({"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"_counters_"}},)"
      R"({"ph":"M","pid":5,"name":"process_name","args":{"name":"/device:CUSTOM:X"}},)"
      R"({"ph":"X","pid":1,"tid":16,"ts":1,"dur":1,"name":"k"},)"
      R"({"ph":"X","pid":1,"tid":16,"ts":1,"name":"a","args":{"memalloc_details":"num_bytes:8"}},)"
      R"({"ph":"X","pid":1,"tid":-559038732,"ts":1,"dur":1,"name":"f.1"},)"
      R"({"ph":"X","pid":1,"tid":3,"ts":1,"dur":1,"name":"power"},)"
      R"({"ph":"X","pid":5,"tid":1,"ts":1,"dur":1,"name":"x"},)"
      R"({"ph":"X","pid":9,"tid":1,"ts":1,"dur":1,"name":"y"},)"
      R"({"ph":"C","pid":1,"tid":16,"ts":1,"name":"counter"},{"ph":"s","pid":1,"tid":16,"ts":1},)");
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.strings[trace.events.name[0]], "k");
  EXPECT_NE(finding(trace, "derived-line-left-out"), nullptr);
  EXPECT_NE(finding(trace, "line-left-out"), nullptr);
  EXPECT_NE(finding(trace, "plane-left-out"), nullptr);
  EXPECT_NE(finding(trace, "memory-event-left-out"), nullptr);
}

TEST(TraceJson, InstructionsStandInForStreams) {
  const Trace trace = read_json(
      R"([{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},
          {"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"XLA Ops"}},
          {"ph":"X","pid":1,"tid":3,"ts":1,"dur":1,"name":"f.1"}])");
  ASSERT_EQ(trace.device_events, 1U);
  EXPECT_EQ(trace.strings[annotation(trace, 0).hlo_op], "f.1");
  EXPECT_NE(finding(trace, "derived-line-read"), nullptr);
}

TEST(TraceJson, NamesMayComeLast) {
  const std::string events =
      R"({"ph":"X","pid":1,"tid":16,"ts":1,"dur":1,"name":"k"},
         {"ph":"X","pid":701,"tid":7,"ts":1,"dur":1,"name":"h"},
         {"ph":"X","pid":701,"tid":8,"ts":1,"dur":1,"name":"of a thread without a name"},)";
  const Trace first = read_json("[" + std::string(kNames) + events + "{}]");
  const Trace last = read_json("[" + events + std::string(kNames) + "{}]");
  EXPECT_EQ(render(first), render(last));
  EXPECT_EQ(last.events.size(), 3U);
}

TEST(TraceJson, SeveralHostsInOneFile) {
  const Trace trace = read_json(
      R"j([{"ph":"M","pid":1,"name":"process_name","args":{"name":"a.example /device:GPU:0"}},
          {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"Stream #1"}},
          {"ph":"M","pid":1001,"name":"process_name","args":{"name":"b /device:GPU:0 (pid 1)"
}
},
          {"ph":"M","pid":1001,"tid":1,"name":"thread_name","args":{"name":"Stream #1"}},
          {"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"k"},
          {"ph":"X","pid":1001,"tid":1,"ts":1,"dur":1,"name":"k"}])j");
  ASSERT_EQ(trace.hosts.size(), 2U);
  EXPECT_EQ(trace.strings[trace.hosts[0].name], "a.example");
  EXPECT_EQ(trace.strings[trace.hosts[1].name], "b");
  ASSERT_EQ(trace.devices.size(), 2U);
  EXPECT_EQ(trace.strings[trace.devices[1].plane], "/device:GPU:0");
  EXPECT_EQ(trace.lanes.size(), 2U);
}

TEST(TraceJson, ThreadsWhoseIdsMeet) {
  const Trace trace =
      read_events(R"({"ph":"M","pid":701,"tid":7,"name":"thread_name","args":{"name":"other"}},)"
                  R"({"ph":"X","pid":701,"tid":7,"ts":1,"dur":1,"name":"h"},)");
  ASSERT_NE(finding(trace, "shared-thread-id"), nullptr);
  EXPECT_EQ(finding(trace, "shared-thread-id")->count, 1U);
  EXPECT_EQ(trace.strings[trace.lanes[0].name], "python");
}

TEST(TraceJson, CompressedInAnyNumberOfMembers) {
  const std::string text =
      "[" + std::string(kNames) + R"({"ph":"X","pid":1,"tid":16,"ts":1,"dur":1,"name":"k"},{}])";
  const std::string one = gzipped(text);
  const std::string two = gzipped(text.substr(0, 300)) + gzipped(text.substr(300));
  const std::string plain = render(read_file_named("host0.json", text));
  EXPECT_EQ(render(read_file_named("host0.trace.json.gz", one)), plain);
  EXPECT_EQ(render(read_file_named("host0.json.gz", two)), plain);
  const Trace followed = read_file_named("host0.trace.json.gz", one + "rubbish");
  EXPECT_EQ(followed.device_events, 1U);
  EXPECT_NE(finding(followed, "bytes-after-the-end"), nullptr);
  EXPECT_FALSE(followed.hosts[0].partial);
}

TEST(TraceJson, TheLimitOfTheProfilerIsSaid) {
  std::string events;
  for (int i = 0; i < 1000; ++i) {
    events += R"({"ph":"X",)" +
              std::string(i % 2 == 0 ? R"("pid":1,"tid":16)" : R"("pid":701,"tid":7)") +
              R"(,"ts":)" + std::to_string(i) + R"(,"name":"k"},)";
  }
  const Trace trace = read_events(events);
  const Finding* const limit = finding(trace, "json-event-limit");
  ASSERT_NE(limit, nullptr);
  EXPECT_EQ(limit->severity, Severity::data_loss);
  EXPECT_TRUE(contains(limit->message, "earliest 1000 events"));
  EXPECT_TRUE(contains(limit->message, "use the *.xplane.pb of the same run"));
}

TEST(TraceJson, EventsOfAnyLength) {
  std::string events;
  for (int i = 1; i <= 30; ++i) {
    events += R"({"ph":"X","pid":1,"tid":16,"ts":)" + std::to_string(i) + R"(,"name":")" +
              std::string(static_cast<std::size_t>(i) * 20'000, static_cast<char>('a' + i % 26)) +
              "\"},\n";
  }
  const std::string text = "[" + std::string(kNames) + events + "{}]";
  const Trace trace = read_file_named("host0.trace.json.gz", gzipped(text));
  ASSERT_EQ(trace.events.size(), 30U);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(trace.strings[trace.events.name[i]].size(), (i + 1) * 20'000);
  }
  EXPECT_EQ(render(trace), render(read_json(text)));
}

TEST(TraceJson, SeveralFilesAreSeveralHosts) {
  const ScratchDir directory;
  const auto put = [&](const std::string& file, const std::string& process) {
    write_file(directory.path() / file,
               R"([{"ph":"M","pid":1,"name":"process_name","args":{"name":")" + process +
                   R"("}},{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":)"
                   R"("Stream #1"}},{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"k"}])");
  };
  put("b.trace.json", "/device:GPU:0");
  put("a.trace.json", "/device:GPU:0");
  put("c.trace.json", "b /device:GPU:0");
  put("d.trace.json", "chrome");
  const Trace trace = read_capture(directory.path(), {"", {}, true});
  std::vector<std::string> hosts;
  for (const Host& host : trace.hosts) hosts.emplace_back(trace.strings[host.name]);
  EXPECT_EQ(hosts, (std::vector<std::string>{"a", "b", "c/b"}));
  EXPECT_EQ(trace.device_events, 3U);
  EXPECT_NE(finding(trace, "host-left-out"), nullptr);
}

TEST(TraceJson, ProgressEndsWithAll) {
  const ScratchDir directory;
  write_file(directory.path() / "host0.trace.json.gz",
             gzipped("[" + std::string(kNames) + std::string(20'000'000, ' ') + "{}]"));
  std::uint64_t last = 0;
  std::uint64_t total = 1;
  ReadOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, all);
    last = done;
    total = all;
  };
  read_trace_json(directory.path() / "host0.trace.json.gz", options);
  EXPECT_EQ(last, total);
}

TEST(TraceJson, CutAnywhere) {
  const std::string text =
      R"({"displayTimeUnit":"ns","traceEvents":[)" + std::string(kNames) +
      R"({"ph":"X","pid":1,"tid":16,"ts":1,"dur":1,"name":"k"},)"
      R"({"ph":"X","pid":1,"tid":16,"ts":2,"dur":1,"name":"l","args":{"hlo_op":"x"}},{}]})";
  const std::size_t complete = text.find(R"({"ph":"X","pid":1,"tid":16,"ts":2)");
  for (std::size_t size = complete; size < text.size() - 2; ++size) {
    const Trace trace = read_json(text.substr(0, size));
    EXPECT_EQ(trace.device_events, size < text.find("},{}") + 1 ? 1U : 2U) << size;
    ASSERT_NE(finding(trace, "truncated"), nullptr) << size;
    EXPECT_TRUE(trace.hosts[0].partial);
  }
  for (std::size_t size = 0; size < complete; ++size) {
    try {
      EXPECT_LE(read_json(text.substr(0, size)).device_events, 1U);
    } catch (const InputError&) {
      // No GPU was named yet.
    }
  }
}

TEST(TraceJson, ACutArchive) {
  std::string events;
  for (int i = 0; i < 5000; ++i) {
    events += R"({"ph":"X","pid":1,"tid":16,"ts":)" + std::to_string(i * i) +
              R"(,"dur":1,"name":"k)" + std::to_string(i * 7919 % 5003) + "\"},";
  }
  const std::string bytes = gzipped("[" + std::string(kNames) + events + "{}]");
  const Trace whole = read_file_named("host0.trace.json.gz", bytes);
  EXPECT_EQ(whole.device_events, 5000U);
  const Trace half = read_file_named("host0.trace.json.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_GT(half.device_events, 1000U);
  EXPECT_LT(half.device_events, 4000U);
  ASSERT_NE(finding(half, "truncated"), nullptr);
  EXPECT_TRUE(contains(finding(half, "truncated")->message,
                       "at byte " + std::to_string(bytes.size() / 2) + ";"));

  std::string changed = bytes;
  changed[bytes.size() - 6] = static_cast<char>(changed[bytes.size() - 6] ^ 1);  // The checksum.
  const Trace damaged = read_file_named("host0.trace.json.gz", changed);
  EXPECT_EQ(damaged.device_events, 5000U);
  ASSERT_NE(finding(damaged, "damaged"), nullptr);
  EXPECT_TRUE(contains(finding(damaged, "damaged")->message, "checksum"));
}

TEST(TraceJson, ReadingGoesOnAfterRubbish) {
  const Trace trace =
      read_events(R"({"ph":"X","pid":1,"tid":16,"ts":1,"dur":1,"name":"a"},)"
                  R"({"ph":"X","pid":1,"tid" "oops" 16,"ts":2,"dur":1,"name":"b},{\"ph\""},)"
                  R"({"ph":"X","pid":1,"tid":16,"ts":3,"dur":1,"name":"c"},)");
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.strings[trace.events.name[1]], "c");
  ASSERT_NE(finding(trace, "damaged"), nullptr);
  EXPECT_TRUE(trace.hosts[0].partial);
}

TEST(TraceJson, OthersAreRefused) {
  EXPECT_TRUE(contains(refusal("a.json", R"({"schemaVersion":1,"traceEvents":[]})"), "PyTorch"));
  EXPECT_TRUE(contains(refusal("a.json", R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k",)"
                                         R"("pid":0,"tid":7,"ts":1,"dur":1}]})"),
                       "PyTorch"));
  EXPECT_TRUE(contains(refusal("a.json", R"([{"ph":"X","cat":"blink","pid":0,"tid":7,"ts":1}])"),
                       "no process is called /device:GPU:<n>;"));
  const auto process = [](const std::string& name) {
    return R"([{"ph":"M","pid":1,"name":"process_name","args":{"name":")" + name + "\"}}]";
  };
  EXPECT_TRUE(contains(refusal("a.json", process("/device:TPU:0")),
                       "is a TPU capture: no GPU process, only /device:TPU:0"));
  EXPECT_TRUE(contains(refusal("a.json", process("/host:CPU")), "is a CPU capture"));
  EXPECT_TRUE(contains(refusal("a.json", process("chrome")),
                       "no process is called /device:GPU:<n>, only chrome"));
  EXPECT_TRUE(contains(refusal("a.json", R"({"a":[1,2]})"), "no array traceEvents"));
  EXPECT_TRUE(contains(refusal("a.json", "hello"), "does not hold JSON"));
  EXPECT_TRUE(contains(refusal("a.json", ""), "is empty"));
  EXPECT_TRUE(contains(refusal("a.json.gz", "\x1f\x8b\x08"), "before any event"));
  EXPECT_TRUE(contains(refusal("a.json.gz", "\x1f\x8bgarbage...."), "cannot be inflated"));
}

}  // namespace
}  // namespace jaxtrace

// Files that are no captures, damaged captures, and what is said of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"
#include "support/capture.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

using namespace std::string_view_literals;

/// Events on three lanes of two planes, with lengths and values over 127.
std::string small_capture() {
  std::string text;
  for (const char* plane : {"/device:GPU:0", "/host:CPU"}) {
    text += std::string("planes { name: '") + plane + "' ";
    for (int line = 1; line <= 2; ++line) {
      text += "lines { id: " + std::to_string(line) + " timestamp_ns: 1000 name: 'Stream #" +
              std::to_string(line) + "' ";
      for (int event = 0; event < 5; ++event) {
        text += "events { metadata_id: 1 offset_ps: " + std::to_string(event * 100000) +
                " duration_ps: 60000 stats { metadata_id: 1 uint64_value: " +
                std::to_string(event + 200) + " } } ";
      }
      text += "} ";
    }
    text +=
        "event_metadata { key: 1 value { id: 1 name: 'kernel' } } "
        "stat_metadata { key: 1 value { id: 1 name: 'correlation_id' } } } ";
  }
  return bytes_of(text);
}

std::string refusal(std::string_view bytes) {
  try {
    read_bytes(bytes);
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::input_unfit);
    return error.what();
  }
  return "not refused";
}

#define EXPECT_SAYS(bytes, words) \
  EXPECT_NE(refusal(bytes).find(words), std::string::npos) << refusal(bytes)

/// What reading as text and writing again does to a file.
std::string through_text_mode(std::string_view bytes) {
  std::string result;
  for (const char byte : bytes) {
    if (static_cast<unsigned char>(byte) < 0x80) {
      result += byte;
    } else {
      result += "\xef\xbf\xbd";
    }
  }
  return result;
}

std::string with_dos_line_ends(std::string_view bytes) {
  std::string result;
  for (const char byte : bytes) {
    if (byte == '\n') result += '\r';
    result += byte;
  }
  return result;
}

TEST(Unfit, OtherFilesAreNamed) {
  EXPECT_SAYS("", "is empty");
  EXPECT_SAYS("\x1f\x8b\x08\x00rest"sv, "gunzip it first");
  EXPECT_SAYS("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f more"sv, "Riegeli");
  EXPECT_SAYS("{\"traceEvents\": []}", "is JSON");
  EXPECT_SAYS("\n [1, 2]", "is JSON");
  EXPECT_SAYS("SQLite format 3\0...."sv, "SQLite");
  EXPECT_SAYS("version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer");
  EXPECT_SAYS("Kernel_Name,Start,End\n", "is not a capture");
  EXPECT_SAYS("\x7f\x45LF\x02\x01\x01"sv, "is not a capture");
}

// The first plane's tag is a line feed, and a length of 123 is a brace.
TEST(Unfit, ASmallFirstPlaneIsNotJson) {
  const std::string name(121, 'x');
  const std::string bytes =
      bytes_of("planes { name: '" + name + "' } planes { name: '/device:GPU:0' }");
  ASSERT_EQ(bytes.substr(0, 2), "\n{");
  EXPECT_EQ(read_bytes(bytes).devices.size(), 1U);
}

TEST(Unfit, CopiesInTextModeAreTold) {
  EXPECT_SAYS(through_text_mode(small_capture()), "copy in text mode");
  EXPECT_SAYS(with_dos_line_ends(small_capture()), "conversion of line ends");
}

TEST(Unfit, OtherMachinesAreTold) {
  EXPECT_SAYS(bytes_of("planes { name: '/device:TPU:0' } planes { name: '/host:CPU' }"),
              "is a TPU capture: no GPU plane, only /device:TPU:0, /host:CPU;");
  EXPECT_SAYS(bytes_of("planes { name: '/host:CPU' }"), "is a CPU capture");
  EXPECT_SAYS(bytes_of("hostnames: 'a'"), "it holds no plane");
}

TEST(Unfit, TruncationAtEveryByteLosesOnlyWhatIsCut) {
  const std::string bytes = small_capture();
  std::size_t before = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::size_t events = 0;
    try {
      const Trace trace = read_bytes(std::string_view(bytes).substr(0, size));
      events = trace.events.size();
      // A file may end where a plane ends: then nothing tells that there was more.
      if (!trace.findings.empty() && trace.hosts[0].partial) {
        const auto& all = trace.findings;
        const auto cut = std::find_if(all.begin(), all.end(),
                                      [](const Finding& f) { return f.code == "truncated"; });
        ASSERT_NE(cut, all.end());
        EXPECT_NE(cut->message.find("cut at byte " + std::to_string(size)), std::string::npos);
      }
    } catch (const InputError&) {
    }
    EXPECT_GE(events, before) << "cut at " << size;
    before = events;
  }
  EXPECT_EQ(before, 20U);
  EXPECT_EQ(read_bytes(bytes).events.size(), 20U);
  EXPECT_FALSE(read_bytes(bytes).hosts[0].partial);
}

TEST(Unfit, AnyByteMayBeWrong) {
  const std::string good = small_capture();
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char wrong : {'\x7f', '\xff'}) {
      std::string bad = good;
      bad[at] = wrong;
      try {
        const Trace trace = read_bytes(bad);
        EXPECT_LE(trace.events.size(), 40U);
      } catch (const InputError& error) {
        EXPECT_NE(error.code(), ExitCode::internal);
      }
    }
  }
}

TEST(Unfit, DamageInOnePlaneLeavesTheOthers) {
  std::string bytes = bytes_of(
      "planes { name: '/device:GPU:0' lines { name: 'Stream #1' "
      "events { duration_ps: 1 } } }");
  bytes += std::string("\x0a\x04\x12\x7f\x61\x61", 6);  // A name longer than its plane.
  bytes += bytes_of("planes { name: '/host:CPU' lines { name: 't' events { duration_ps: 1 } } }");
  const Trace trace = read_bytes(bytes);
  EXPECT_EQ(trace.events.size(), 2U);
  EXPECT_TRUE(trace.hosts[0].partial);
  EXPECT_EQ(trace.findings[0].code, "damaged");
}

}  // namespace
}  // namespace jaxtrace

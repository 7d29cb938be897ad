// Numbers without noise, texts of any bytes.
#include "export/trace_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "export/gzip_out.h"
#include "readers/inflate.h"

namespace jaxtrace {
namespace {

std::string micros(std::int64_t ps) {
  std::string out;
  append_micros(out, Picoseconds{ps});
  return out;
}

std::string text(std::string_view bytes) {
  std::string out;
  append_json_text(out, bytes);
  return out;
}

TEST(TraceText, MicrosecondsAreExact) {
  EXPECT_EQ(micros(0), "0");
  EXPECT_EQ(micros(1), "0.000001");
  EXPECT_EQ(micros(960'034'000), "960.034");
  EXPECT_EQ(micros(1'000'000), "1");
  EXPECT_EQ(micros(-1'500'000), "-1.5");
  EXPECT_EQ(micros(std::numeric_limits<std::int64_t>::max()), "9223372036854.775807");
  EXPECT_EQ(micros(std::numeric_limits<std::int64_t>::min()), "-9223372036854.775808");
}

TEST(TraceText, AnyBytesMakeValidJson) {
  EXPECT_EQ(text("a\"b\\c\nd\x7f"), R"("a\"b\\c\u000ad\u007f")");
  EXPECT_EQ(text("µs"), "\"µs\"");
  EXPECT_EQ(text("\xff\xc3"), "\"\uFFFD\uFFFD\"");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_TRUE(nlohmann::json::accept(text(all)));
}

TEST(TraceText, GzipGivesBackTheTextAndAlwaysTheSameBytes) {
  std::string whole;
  for (int i = 0; i < 40'000; ++i) whole += R"({"ph":"X","ts":)" + std::to_string(i) + "},\n";
  std::ostringstream once, twice;
  for (std::ostringstream* out : {&once, &twice}) {
    GzipOut gzip(*out);
    const std::size_t piece = out == &once ? 1000 : 777'777;
    for (std::size_t at = 0; at < whole.size(); at += piece) {
      gzip.write(std::string_view(whole).substr(at, piece));
    }
    gzip.finish();
  }
  EXPECT_EQ(once.str(), twice.str());
  EXPECT_EQ(once.str().substr(4, 4), std::string(4, '\0')) << "a time in the header";
  EXPECT_EQ(inflate(once.str()), whole);
}

}  // namespace
}  // namespace jaxtrace

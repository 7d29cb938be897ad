// The three writers, on names that captures really carry and on names that would break a format.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "jaxtrace/report.h"
#include "report/csv_writer.h"

namespace jaxtrace {
namespace {

using namespace std::string_literals;

Table one_table() {
  return {.id = "ops",
          .caption = "Operations by time.",
          .columns = {{"instruction", Unit::none, "Instruction"},
                      {"total_ps", Unit::time, "Time"},
                      {"share", Unit::ratio, "Share"},
                      {"kernels", Unit::count, "Kernels"}},
          .rows = {{"loop_fusion.1"s, std::int64_t{1'234'567'890}, 0.375, std::int64_t{147'840}},
                   {"copy"s, std::int64_t{20}, 0.0001, std::monostate{}}}};
}

template <typename Writer>
std::string written(Writer writer) {
  std::ostringstream out;
  writer(out);
  return out.str();
}

std::string csv_of(const std::string& name) {
  return written([&](std::ostream& out) {
    write_csv(
        {.id = "t", .caption = "", .columns = {{"name"}, {"n"}}, .rows = {{name, std::int64_t{1}}}},
        out);
  });
}

TEST(Csv, IsRawIntegersAndSixDigitRatios) {
  EXPECT_EQ(written([](std::ostream& out) { write_csv(one_table(), out); }),
            "instruction,total_ps,share,kernels\n"
            "loop_fusion.1,1234567890,0.375000,147840\n"
            "copy,20,0.000100,\n");
}

TEST(Csv, QuotesWhatNeedsItAndNothingElse) {
  EXPECT_EQ(csv_of("gemm<float, 3>"), "name,n\n\"gemm<float, 3>\",1\n");
  EXPECT_EQ(csv_of("say \"hi\""), "name,n\n\"say \"\"hi\"\"\",1\n");
  EXPECT_EQ(csv_of("a\r\nb"), "name,n\n\"a\r\nb\",1\n");
  EXPECT_EQ(csv_of("=1+1"), "name,n\n=1+1,1\n") << "a name comes out as it went in";
  EXPECT_EQ(csv_of("\xFF|\t"), "name,n\n\xFF|\t,1\n");
}

TEST(Csv, WritesTheTablesOfAReportOneAfterAnother) {
  const Report report{.title = "T", .blocks = {one_table(), Prose{"Words."}, one_table()}};
  const std::string text = written([&](std::ostream& out) { write_csv(report, out); });
  EXPECT_TRUE(text.starts_with("# ops\ninstruction,"));
  EXPECT_NE(text.find("\n\n# ops\ninstruction,"), std::string::npos);
  EXPECT_EQ(text.find("Words"), std::string::npos);
}

TEST(Blocks, ABundleIsAnObjectForMachinesAndNothingForPeople) {
  const Report report{
      .title = "",
      .blocks = {Bundle{.key = "verdict",
                        .facts = {{"bound", "GPU-bound"s}, {"step_ps", std::monostate{}}},
                        .tables = {one_table()}}}};
  const auto json =
      nlohmann::json::parse(written([&](std::ostream& out) { write_json(report, out); }));
  EXPECT_EQ(json["verdict"]["bound"], "GPU-bound");
  EXPECT_TRUE(json["verdict"]["step_ps"].is_null());
  EXPECT_EQ(json["verdict"]["ops"][0]["kernels"], 147'840);
  EXPECT_TRUE(written([&](std::ostream& out) {
                write_csv(report, out);
              }).starts_with("# ops\ninstruction,"));
  EXPECT_EQ(written([&](std::ostream& out) { write_markdown(report, out); }), "");
}

TEST(Blocks, WhatIsShownIsForPeopleAlone) {
  const Report report{.title = "", .blocks = {Shown{one_table()}, Preformatted{"a  b\n"}}};
  const auto json =
      nlohmann::json::parse(written([&](std::ostream& out) { write_json(report, out); }));
  EXPECT_FALSE(json.contains("ops"));
  EXPECT_EQ(written([&](std::ostream& out) { write_csv(report, out); }), "");
  const std::string page = written([&](std::ostream& out) { write_markdown(report, out); });
  EXPECT_NE(page.find("loop_fusion.1"), std::string::npos);
  EXPECT_NE(page.find("```text\na  b\n```\n"), std::string::npos);
}

TEST(Blocks, ADrawingStaysInItsBlockWhateverNamesItHolds) {
  const Report report{.title = "", .blocks = {Preformatted{"x\n```\n\x1b[31m \xFF\ny"}}};
  EXPECT_EQ(written([&](std::ostream& out) { write_markdown(report, out); }),
            "```text\nx\n ```\n\\x1b[31m \xEF\xBF\xBD\ny\n```\n\n");
}

TEST(CsvWriter, KeepsCellsLongerThanItsBuffer) {
  const std::string long_name = "\"" + std::string(3 << 20, 'x') + "\"";
  std::ostringstream out;
  {
    CsvWriter csv(out);
    csv.cell("a");
    csv.cell(long_name);
    csv.cell(std::int64_t{-9223372036854775807} - 1);
    csv.thousandths(950);
    csv.thousandths(1000);
    csv.cell();
    csv.raw("x,\"y,z\"");
    csv.end_row();
  }
  EXPECT_EQ(out.str(), "a,\"\"" + long_name + "\"\",-9223372036854775808,0.950,1.000,,x,\"y,z\"\n");
}

TEST(CsvWriter, WritesTheSameWithASmallBuffer) {
  const auto rows = [](std::size_t bytes) {
    std::ostringstream out;
    {
      CsvWriter csv(out, bytes);
      for (std::int64_t i = 0; i < 100; ++i) {
        csv.cell("a name of some length, quoted");
        csv.cell(std::int64_t{-9'000'000'000'000'000'000} + i);
        csv.micros(-9'000'000'000'000'000'000 + i);
        csv.end_row();
      }
    }
    return out.str();
  };
  EXPECT_EQ(rows(1), rows(1 << 20));
}

TEST(Markdown, ScalesNumbersAndAlignsColumns) {
  const Report report{.title = "Where the time went", .blocks = {Heading{"Ops"}, one_table()}};
  EXPECT_EQ(written([&](std::ostream& out) { write_markdown(report, out); }),
            "# Where the time went\n\n"
            "## Ops\n\n"
            "Operations by time.\n\n"
            "| Instruction   |     Time |  Share | Kernels |\n"
            "| ------------- | -------: | -----: | ------: |\n"
            "| loop_fusion.1 | 1.235 ms | 37.5 % | 147,840 |\n"
            "| copy          |    20 ps | <0.1 % |       – |\n\n");
}

TEST(Markdown, NamesAreNeverMarkup) {
  EXPECT_EQ(escape_markdown("a|b\nc"), "a\\|b\\nc");
  EXPECT_EQ(escape_markdown("f<int>(T*)"), "f\\<int>(T*)");
  EXPECT_EQ(escape_markdown("__half2"), "__half2");
  EXPECT_EQ(escape_markdown("_build.<locals>.block_1"), "_build.\\<locals>.block_1");
  EXPECT_EQ(escape_markdown("__init__"), "\\_\\_init\\_\\_");
  EXPECT_EQ(escape_markdown("a *b* c"), "a \\*b\\* c");
  EXPECT_EQ(escape_markdown("float*, int*, x < 3, a[1], R&D;"),
            "float*, int*, x < 3, a[1], R\\&D;");
  EXPECT_EQ(escape_markdown("[a](b)"), "\\[a](b)");
  EXPECT_EQ(escape_markdown("loop_fusion_1"), "loop_fusion_1");
  EXPECT_EQ(escape_markdown("a\x1b[31m\xFF"), "a\\x1b[31m\xEF\xBF\xBD");
  EXPECT_EQ(escape_markdown("\xC2\x9b"), "\\x9b") << "a terminal obeys C1 controls as well";
}

TEST(Markdown, ShortensLongNamesInTheMiddle) {
  const std::string shown = escape_markdown(std::string(5000, 'a') + "é" + std::string(5000, 'b'));
  EXPECT_EQ(shown, std::string(49, 'a') + "…" + std::string(50, 'b'));
}

TEST(ForPeople, KeepsFourDigitsAndNeverRoundsAPartToTheWhole) {
  const auto time = [](std::int64_t ps) { return for_people(ps, Unit::time); };
  EXPECT_EQ(time(0), "0 ps");
  EXPECT_EQ(time(999), "999 ps");
  EXPECT_EQ(time(-1500), "-1.500 ns");
  EXPECT_EQ(time(999'960), "1.000 µs");
  EXPECT_EQ(time(99'994'000'000), "99.99 ms");
  EXPECT_EQ(time(9'223'372'036'854'775'807), "9,223,372 s");
  EXPECT_EQ(for_people(0.99999, Unit::ratio), ">99.9 %");
  EXPECT_EQ(for_people(1.0, Unit::ratio), "100.0 %");
  EXPECT_EQ(for_people(0.0, Unit::ratio), "0.0 %");
  EXPECT_EQ(for_people(std::int64_t{1536}, Unit::bytes), "1.500 KiB");
  EXPECT_EQ(for_people(5.3e12, Unit::bytes_per_second), "5.300 TB/s");
  EXPECT_EQ(for_people(std::int64_t{-1234567}, Unit::count), "-1,234,567");
  EXPECT_EQ(for_people(std::int64_t{1234567}, Unit::none), "1234567");
  EXPECT_EQ(for_people(std::numeric_limits<double>::quiet_NaN(), Unit::ratio), "–");
}

TEST(Json, HoldsRawValuesByKey) {
  const Report report{.title = "T",
                      .blocks = {Prose{"bad \xFF byte"}, Fact{"kernels", std::int64_t{3}},
                                 Fact{"hit_ratio", std::monostate{}}, one_table()}};
  const auto json =
      nlohmann::json::parse(written([&](std::ostream& out) { write_json(report, out); }));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["text"][0], "bad \xEF\xBF\xBD byte");
  EXPECT_EQ(json["kernels"], 3);
  EXPECT_TRUE(json["hit_ratio"].is_null());
  EXPECT_EQ(json["ops"][0]["total_ps"], 1'234'567'890);
  EXPECT_EQ(json["ops"][0]["share"], 0.375);
  EXPECT_TRUE(json["ops"][1]["kernels"].is_null());
}

}  // namespace
}  // namespace jaxtrace

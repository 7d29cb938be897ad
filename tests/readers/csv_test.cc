// CSV as profilers, spreadsheets and full disks leave it.
#include "readers/csv.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "report/csv_writer.h"

namespace jaxtrace {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(CsvReader& csv) {
  Rows rows;
  while (csv.next()) {
    rows.emplace_back();
    for (std::size_t i = 0; i < csv.header().size(); ++i) rows.back().emplace_back(csv[i]);
  }
  return rows;
}

Rows rows_of(std::string_view bytes) {
  CsvReader csv(bytes);
  return rows_of(csv);
}

TEST(CsvReader, FindsColumnsByName) {
  CsvReader csv("a, b ,\"c\"\n1,2,3\n");
  EXPECT_EQ(csv.header(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(csv.column("b"), 1U);
  EXPECT_EQ(csv.column({"z", "c"}), 2U);
  EXPECT_EQ(csv.column("z"), CsvReader::kNoColumn);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv[csv.column("c")], "3");
  EXPECT_EQ(csv[csv.column("z")], "");
  EXPECT_FALSE(csv.next());
}

TEST(CsvReader, TakesEveryFormOfLineEndAndQuote) {
  const Rows want = {{"1", "x"}, {"2", "y"}};
  EXPECT_EQ(rows_of("a,b\n1,x\n2,y\n"), want);
  EXPECT_EQ(rows_of("a,b\r\n1,x\r\n2,y\r\n"), want);
  EXPECT_EQ(rows_of("\xef\xbb\xbf\"a\",\"b\"\n\"1\",\"x\"\n\"2\",\"y\""), want);
  EXPECT_EQ(rows_of("\"a\",\"b\"\r\n\"1\",\"x\"\r\n\r\n\n\"2\",y"), want);
  EXPECT_EQ(rows_of("a,b\n1,x,\n2,y,\n"), want) << "a comma at the end of every row";
}

TEST(CsvReader, KeepsWhatIsInsideQuotes) {
  EXPECT_EQ(rows_of("a,b\n\"f<int, 3>(\"\"x\"\")\",\"\"\"\"\n"),
            (Rows{{"f<int, 3>(\"x\")", "\""}}));
  EXPECT_EQ(rows_of("a,b\n\"one\r\ntwo\",\"\"\n"), (Rows{{"one\r\ntwo", ""}}));
  EXPECT_EQ(rows_of("a,b\n\"f(\"x\")\",1\n"), (Rows{{"f(\"x\")", "1"}})) << "quotes not doubled";
  EXPECT_EQ(rows_of("a,b\nsay \"hi\",1\n"), (Rows{{"say \"hi\"", "1"}}));
  const std::string_view with_zero("a,b\n\0\xff,1\n", 9);
  EXPECT_EQ(rows_of(with_zero), (Rows{{std::string("\0\xff", 2), "1"}}));
}

TEST(CsvReader, ReadsTheNamesOfBigTemplates) {
  const std::string name(30'000, '<');
  EXPECT_EQ(rows_of("a,b\n\"" + name + "\"\"\",2\n"), (Rows{{name + '"', "2"}}));
}

TEST(CsvReader, KeepsManyCopiedCellsOfOneRowApart) {
  std::string header = "c0", row = "\"\"\"0\"";
  std::vector<std::string> want = {"\"0"};
  for (int i = 1; i < 200; ++i) {
    header += ",c" + std::to_string(i);
    row += ",\"\"\"" + std::to_string(i) + '"';
    want.push_back('"' + std::to_string(i));
  }
  EXPECT_EQ(rows_of(header + '\n' + row + '\n'), Rows{want});
  EXPECT_EQ(CsvReader(row).header(), want);
}

TEST(CsvReader, CountsLinesThroughQuotedNewlines) {
  CsvReader csv("a,b\n\"x\ny\",1\n\n2,3\n");
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 2U);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 5U);
}

TEST(CsvReader, SkipsRowsThatCannotBeRight) {
  CsvReader csv("a,b\n1\n1,2,3\n4,5\n");
  EXPECT_EQ(rows_of(csv), (Rows{{"4", "5"}}));
  EXPECT_EQ(csv.wrong_width().rows, 2U);
  EXPECT_EQ(csv.wrong_width().first_line, 2U);
}

TEST(CsvReader, GoesOnAfterAQuoteThatDoesNotClose) {
  CsvReader cut("a,b\n1,2\n\"void f(int, ");
  EXPECT_EQ(rows_of(cut), (Rows{{"1", "2"}}));
  EXPECT_EQ(cut.open_quotes().rows, 1U);
  EXPECT_EQ(cut.open_quotes().first_line, 3U);

  CsvReader inside("a,b\n\"open,1\n2,3\n");
  EXPECT_EQ(rows_of(inside), (Rows{{"2", "3"}}));
  EXPECT_EQ(inside.line(), 3U);
}

TEST(CsvReader, SkipsTheHeadersOfFilesThatWereJoined) {
  CsvReader csv("a,b\n1,2\n\"a\",\"b\"\n3,4\n");
  EXPECT_EQ(rows_of(csv), (Rows{{"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(csv.repeated_headers().rows, 1U);
}

TEST(CsvReader, HasNothingToSayOfAnEmptyFile) {
  for (const std::string_view bytes : {"", "\n\n", "\xef\xbb\xbf", "\"open"}) {
    CsvReader csv(bytes);
    EXPECT_TRUE(csv.header().empty());
    EXPECT_FALSE(csv.next());
  }
  CsvReader header_only("a,b");
  EXPECT_EQ(header_only.header().size(), 2U);
  EXPECT_FALSE(header_only.next());
}

TEST(CsvReader, ReadsBackWhatTheWriterWrites) {
  const std::vector<std::string> names = {"plain", "a,b",  "\"",  "line\nfeed",
                                          "\r\n",  "=1+1", "\xff"};
  std::ostringstream out;
  {
    CsvWriter writer(out);
    writer.cell(std::string_view("name"));
    writer.cell(std::string_view("n"));
    writer.end_row();
    for (const std::string& name : names) {
      writer.cell(std::string_view(name));
      writer.cell(1);
      writer.end_row();
    }
  }
  const std::string bytes = out.str();
  const Rows rows = rows_of(bytes);
  ASSERT_EQ(rows.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(rows[i][0], names[i]);
}

TEST(CsvReader, SaysWhatItLeftOut) {
  CsvReader csv("a,b\n1\n\"x\n");
  while (csv.next()) {
  }
  std::vector<Finding> findings;
  add_csv_findings(csv, "some.csv", findings);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].code, "csv-row-width");
  EXPECT_EQ(findings[0].where, "some.csv");
  EXPECT_EQ(findings[1].message,
            "1 row left out for a quote that does not close, the first at line 3");
}

TEST(CsvNumbers, AreWholeOnlyIfTheyAre) {
  EXPECT_EQ(csv_integer("16384"), 16384);
  EXPECT_EQ(csv_integer(" 16384.000000 "), 16384);
  EXPECT_EQ(csv_integer("9223372036854775807.0"), 9223372036854775807);
  EXPECT_EQ(csv_integer("0.00000000e+00"), 0);
  EXPECT_EQ(csv_integer("1.5e3"), 1500);
  EXPECT_EQ(csv_integer("4.34259040e-02"), std::nullopt);
  EXPECT_EQ(csv_integer("1e300"), std::nullopt);
  EXPECT_EQ(csv_integer(""), std::nullopt);
  EXPECT_EQ(csv_integer("12abc"), std::nullopt);
}

TEST(CsvNumbers, AreFinite) {
  EXPECT_EQ(csv_number("4.5"), 4.5);
  for (const std::string_view field : {"", "abc", "nan", "inf", "-inf", "1e999", "1,5"}) {
    EXPECT_EQ(csv_number(field), std::nullopt) << field;
  }
}

TEST(CsvNumbers, OfAgentsComeWithAndWithoutTheWord) {
  EXPECT_EQ(csv_id("4"), 4);
  EXPECT_EQ(csv_id("Agent 4"), 4);
  EXPECT_EQ(csv_id("Agent"), std::nullopt);
  EXPECT_EQ(csv_id(""), std::nullopt);
}

}  // namespace
}  // namespace jaxtrace

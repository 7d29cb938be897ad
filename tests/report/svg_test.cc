// Text and numbers in drawings.
#include "report/svg.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "report/svg_scale.h"

namespace jaxtrace {
namespace {

TEST(Svg, EscapesWhatXmlWouldTakeForItsOwn) {
  EXPECT_EQ(xml_text("a<b>&\"c\"'"), "a&lt;b&gt;&amp;&quot;c&quot;'");
  EXPECT_EQ(xml_text("line\nbreak\x01"), "line\\nbreak\\x01");
  EXPECT_EQ(xml_text("\xFF"), "\xEF\xBF\xBD");
  // U+FFFE and U+FFFF are UTF-8 and yet no characters of XML; U+FFFD is.
  EXPECT_EQ(xml_text("\xEF\xBF\xBE|\xEF\xBF\xBF|\xEF\xBF\xBD"),
            "\xEF\xBF\xBD|\xEF\xBF\xBD|\xEF\xBF\xBD");
  EXPECT_EQ(xml_text("µs → 実行"), "µs → 実行");
}

TEST(Svg, WritesNumbersShortly) {
  EXPECT_EQ(svg_number(12), "12");
  EXPECT_EQ(svg_number(0.5), "0.5");
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(1.0 / 3), "0.33");
  EXPECT_EQ(svg_number(1200), "1200");
  EXPECT_EQ(svg_number(std::numeric_limits<double>::quiet_NaN()), "0");
}

TEST(Svg, FitsTextIntoItsPlace) {
  EXPECT_EQ(fitted("fusion", text_width("fusion", 10), 10), "fusion");
  const std::string shorter = fitted("loop_add_multiply_fusion.123", 80, 10);
  EXPECT_LE(text_width(shorter, 10), 80);
  EXPECT_TRUE(shorter.starts_with("loop_"));
  EXPECT_TRUE(shorter.ends_with(".123"));
  EXPECT_EQ(fitted("loop_add", 20, 10), "");  // Room for three
  EXPECT_EQ(fitted("loop_add", -5, 10), "");
  // Characters of East Asian scripts take two columns.
  EXPECT_DOUBLE_EQ(text_width("実行", 10), 2 * text_width("ab", 10));
  for (double width = 0; width < 100; width += 7) {
    EXPECT_LE(text_width(fitted("実行実行実行実行実行", width, 10), 10), width);
  }
}

TEST(Svg, IsAFileOfItsOwn) {
  constexpr std::array<SvgPaint, 1> kPaints = {{{"page", "fill", "#fff", "#000"}}};
  SvgPage page(20, 10, "a < b", kPaints);
  page.text("page", 1, 2, 8, "x & y", "end", "more");
  EXPECT_EQ(std::move(page).finish(),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\" "
            "viewBox=\"0 0 20 10\" font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,"
            "'Liberation Mono',monospace\" role=\"img\" aria-label=\"a &lt; b\">\n"
            "<title>a &lt; b</title>\n"
            "<style>\n.page{fill:#fff}\n"
            "@media (prefers-color-scheme: dark) {\n.page{fill:#000}\n}\n</style>\n"
            "<rect class=\"page\" x=\"0\" y=\"0\" width=\"20\" height=\"10\"/>\n"
            "<text class=\"page\" x=\"1\" y=\"2\" font-size=\"8\" text-anchor=\"end\">"
            "<title>more</title>x &amp; y</text>\n"
            "</svg>\n");
}

TEST(SvgScale, StepsAreRound) {
  EXPECT_DOUBLE_EQ(round_step(1), 1);
  EXPECT_DOUBLE_EQ(round_step(1.1), 2);
  EXPECT_DOUBLE_EQ(round_step(3), 5);
  EXPECT_DOUBLE_EQ(round_step(70), 100);
  EXPECT_NEAR(round_step(0.03), 0.05, 1e-12);
  EXPECT_GT(round_step(0), 0);
  EXPECT_GT(round_step(1e300), 0);
  EXPECT_GT(round_step(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(SvgScale, LinesBreakAtSpacesAndKeepUnits) {
  EXPECT_EQ(wrapped("one two three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("it takes 12.5 µs", 14), (std::vector<std::string>{"it takes", "12.5 µs"}));
  EXPECT_EQ(wrapped("longestword", 6), (std::vector<std::string>{"lo…ord"}));
  EXPECT_TRUE(wrapped("", 6).empty());
}

}  // namespace
}  // namespace jaxtrace

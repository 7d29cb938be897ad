#include "analysis/kernel_pattern.h"

#include <gtest/gtest.h>

namespace jaxtrace {
namespace {

TEST(KernelPattern, FindsTheNameThatPeopleCallAKernel) {
  EXPECT_EQ(base_name("gemm"), "gemm");
  EXPECT_EQ(base_name("vecCopy(double*, int)"), "vecCopy");
  EXPECT_EQ(base_name("void at::native::vectorized_elementwise_kernel<8, std::array<char*, 1ul> "
                      ">(int, std::array<char*, 1ul>)"),
            "vectorized_elementwise_kernel");
  EXPECT_EQ(base_name("void f<(ggml_type)13, 1>(int, void (*)(int))"), "f");
  EXPECT_EQ(base_name("void ck::kentry<1, F<2> >(F<2>::Args) [clone .kd]"), "kentry");
  EXPECT_EQ(base_name("Cijk_Ailk_Bljk_MT256x128"), "Cijk_Ailk_Bljk_MT256x128");
  EXPECT_EQ(base_name("<unnamed>"), "<unnamed>");
  EXPECT_EQ(base_name(""), "");
  EXPECT_EQ(base_name("()"), "()");
}

TEST(KernelPattern, EscapesWhatMeansSomethingInAnExpression) {
  EXPECT_EQ(include_regex("a.b$*"), R"(a\.b\$\*)");
  EXPECT_EQ(include_regex("()\n"), R"(\(\).)") << "YAML has no room for a line end";
}

}  // namespace
}  // namespace jaxtrace

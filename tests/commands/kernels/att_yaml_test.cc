#include "commands/kernels/att_yaml.h"

#include <gtest/gtest.h>

namespace jaxtrace {
namespace {

TEST(AttYaml, DoublesTheQuoteThatClosesAScalar) {
  EXPECT_NE(att_yaml("it's~").find("'it''s~'"), std::string::npos);
}

}  // namespace
}  // namespace jaxtrace

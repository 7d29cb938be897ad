// Kernels that always follow each other.
#include "skip/chains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "skip/analysed.h"

namespace jaxtrace {
namespace {

/// One kernel a letter on stream 1, 10 us apart.
std::string sequence(const std::string& names, const std::string& more = "") {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double t = static_cast<double>(i) * 10;
    out += "C s1 [" + std::to_string(t) + "," + std::to_string(t + 5) + ") name k_" + names[i] +
           " launch [" + std::to_string(t - 8) + "," + std::to_string(t - 6) + ")\n";
  }
  return out + more;
}

std::string text(const Trace& trace, const Chain& chain) {
  std::string out;
  for (const StringId kernel : chain.kernels) out += trace.strings[kernel].substr(2);
  return out;
}

const Chain* find(const Trace& trace, const Chains& chains, const std::string& names) {
  const auto found = std::ranges::find_if(
      chains.chains, [&](const Chain& chain) { return text(trace, chain) == names; });
  return found == chains.chains.end() ? nullptr : &*found;
}

TEST(ProximityScores, AreHowOftenTheChainFollowsItsFirst) {
  const Analysed a(sequence("ABCABDABC"));
  const Chains all = find_chains(a.scope(), 0, 0.5);
  for (const auto& [names, count, of] :
       {std::tuple("AB", 3u, 3u), {"BC", 2u, 3u}, {"ABC", 2u, 3u}}) {
    const Chain* const chain = find(a.trace, all, names);
    ASSERT_NE(chain, nullptr) << names;
    EXPECT_EQ(chain->count, count) << names;
    EXPECT_EQ(chain->first_count, of) << names;
  }
}

TEST(ProximityScores, OfOneAreWhatIsWorthFusing) {
  const Analysed a(sequence("ABCABDABC"));
  const Chains chains = find_chains(a.scope(), 0);
  const Chain* const chain = find(a.trace, chains, "AB");
  ASSERT_NE(chain, nullptr);
  EXPECT_EQ(chain->chosen, 3u);
  EXPECT_TRUE(chain->fusable);
  EXPECT_EQ(find(a.trace, chains, "BC"), nullptr);
  EXPECT_EQ(chains.launches, 9u);
  EXPECT_EQ(chains.launches_fused, 6u);
}

TEST(ProximityScores, NeverCrossAStream) {
  const Analysed a(R"(C s1 [0,5) name k_A
                      C s2 [6,10) name k_B
                      C s1 [20,25) name k_A
                      C s2 [26,30) name k_B)");
  EXPECT_EQ(find(a.trace, find_chains(a.scope(), 0, 0.1), "AB"), nullptr);
}

TEST(ProximityScores, OfChainsWithALibrarysKernelAreNoAdvice) {
  const Analysed a(R"(C s1 [0,5) name k_A
                      C s1 [6,10) name nvjet_hsh_128x64
                      C s1 [20,25) name k_A
                      C s1 [26,30) name nvjet_hsh_128x64)");
  const Chains chains = find_chains(a.scope(), 0);
  for (const Chain& chain : chains.chains) EXPECT_FALSE(chain.fusable);
  EXPECT_EQ(chains.launches, chains.launches_fused);
}

}  // namespace
}  // namespace jaxtrace

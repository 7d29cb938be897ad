// Alignments that can be checked by eye: kernels are letters, a slot runs the kernel of its letter.
#include "attribution/aligner.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "attribution/small_schedule.h"

namespace jaxtrace {
namespace {

using test::Tree;

constexpr Cost kMiss = 40;
constexpr Cost kSkip = 50;

/// A schedule whose slots run kernels named by letters, and sequences of kernels to explain.
struct Letters {
  Tree tree;
  std::string kernel_of{};  ///< By slot.

  void slots(std::uint32_t parent, std::string_view letters) {
    for (const char c : letters) {
      tree.slot(parent);
      kernel_of.push_back(c);
    }
  }

  Alignment explain(std::string_view kernels, const Bounds& bounds = {},
                    bool cyclic = false) const {
    std::vector<std::vector<Candidate>> candidates(kernels.size());
    std::vector<Piece> pieces;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (std::uint32_t s = 0; s < kernel_of.size(); ++s) {
        // Capitals are a library's: several kernels of one letter may be one slot's.
        const bool library = kernels[k] >= 'A' && kernels[k] <= 'Z';
        if (kernel_of[s] == kernels[k]) candidates[k].push_back({s, 0, library ? 1 : kNever});
      }
      pieces.push_back({.candidates = candidates[k], .skip = kSkip});
    }
    std::vector<std::uint32_t> same(kernel_of.size());
    for (std::uint32_t s = 0; s < same.size(); ++s) same[s] = s;
    const Flow flow(tree.schedule, std::vector<Cost>(kernel_of.size(), kMiss), cyclic);
    return align(flow, pieces, bounds, same);
  }
};

/// Slots of the answer; -1 is none.
std::vector<int> slots(const Alignment& alignment) {
  std::vector<int> out;
  for (const Explained& x : alignment.pieces) {
    out.push_back(x.slot == kNoSlot ? -1 : static_cast<int>(x.slot));
  }
  return out;
}

using Slots = std::vector<int>;

TEST(Aligner, ExplainsACompleteSequenceForNothing) {
  Letters letters;
  letters.slots(0, "abab");
  const Alignment answer = letters.explain("abab");
  EXPECT_EQ(slots(answer), (Slots{0, 1, 2, 3}));
  EXPECT_EQ(answer.cost, 0);
  for (const Explained& x : answer.pieces) {
    EXPECT_EQ(x.tied, 1u);
    EXPECT_GE(x.margin, 8);
  }
}

TEST(Aligner, FindsTheGapThatADroppedKernelLeaves) {
  Letters letters;
  letters.slots(0, "abcabd");
  EXPECT_EQ(slots(letters.explain("abcbd")), (Slots{0, 1, 2, 4, 5}));
  EXPECT_EQ(slots(letters.explain("abcabd")), (Slots{0, 1, 2, 3, 4, 5}));
}

TEST(Aligner, LeavesForeignKernelsUnexplained) {
  Letters letters;
  letters.slots(0, "abc");
  EXPECT_EQ(slots(letters.explain("azbc")), (Slots{0, -1, 1, 2}));
}

TEST(Aligner, SaysWhenTwoExplanationsAreEquallyGood) {
  Letters letters;
  letters.slots(0, "aa");
  const Alignment answer = letters.explain("a");
  EXPECT_EQ(answer.pieces[0].tied, 2u);
  EXPECT_EQ(answer.pieces[0].margin, 0);
}

TEST(Aligner, GivesALibraryCallAllItsKernels) {
  Letters letters;
  letters.slots(0, "aGb");
  EXPECT_EQ(slots(letters.explain("aGGGb")), (Slots{0, 1, 1, 1, 2}));
  letters.slots(0, "Gc");
  EXPECT_EQ(slots(letters.explain("aGGbGc")), (Slots{0, 1, 1, 2, 3, 4}));
}

TEST(Aligner, GoesRoundLoops) {
  Letters letters;
  letters.slots(0, "a");
  letters.slots(letters.tree.loop(0, 3), "bc");
  letters.slots(0, "a");
  const Alignment answer = letters.explain("abcbcbca");
  EXPECT_EQ(slots(answer), (Slots{0, 1, 2, 1, 2, 1, 2, 3}));
  EXPECT_EQ(answer.cost, 0);
  EXPECT_EQ(answer.pieces[5].round, 2u);
}

TEST(Aligner, CountsTheRoundsOfAnUnknownLoop) {
  Letters letters;
  letters.slots(letters.tree.loop(0, {}), "b");
  letters.slots(0, "a");
  EXPECT_EQ(slots(letters.explain("bbbbba")), (Slots{0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(slots(letters.explain("a")), (Slots{1}));
}

TEST(Aligner, TellsExecutionsApartWhereNothingElseDoes) {
  Letters letters;
  letters.slots(0, "abc");
  const Alignment answer = letters.explain("bcabcab", {}, true);
  EXPECT_EQ(slots(answer), (Slots{1, 2, 0, 1, 2, 0, 1}));
  EXPECT_EQ(answer.pieces[1].round + 1, answer.pieces[2].round);
  EXPECT_EQ(answer.pieces[4].round + 1, answer.pieces[6].round);
}

TEST(Aligner, BelievesWhereAGraphStarts) {
  Letters letters;
  letters.slots(0, "abab");
  EXPECT_EQ(slots(letters.explain("ab", {.start = 2})), (Slots{2, 3}));
  EXPECT_EQ(slots(letters.explain("ab", {.start = 0})), (Slots{0, 1}));
}

TEST(Aligner, ExplainsLongSequencesPieceByPiece) {
  Letters letters;
  letters.slots(letters.tree.loop(0, 1'000'000), "ab");
  std::string kernels;
  for (int i = 0; i < 20'000; ++i) kernels += "ab";
  const Alignment answer = letters.explain(kernels);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    ASSERT_EQ(answer.pieces[k].slot, k % 2) << k;
  }
  EXPECT_EQ(answer.pieces.back().round - answer.pieces.front().round, 19'999u);
}

TEST(Aligner, ExplainsNothingByNothing) {
  Letters letters;
  EXPECT_TRUE(letters.explain("").pieces.empty());
  EXPECT_EQ(slots(letters.explain("a")), (Slots{-1})) << "a program without work";
}

}  // namespace
}  // namespace jaxtrace

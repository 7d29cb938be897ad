// The faults of the script that this replaces (P1 to P21), each with a file that showed it and what
// is right.
#include <gtest/gtest.h>

#include "commands/pmc_l2/figures.h"
#include "counters/scenario.h"
#include "jaxtrace/error.h"

namespace jaxtrace {
namespace {

double low(const std::optional<std::pair<double, double>>& range) {
  return range ? range->first : -1;
}

TEST(PmcScenarios, P01_AgentsAreNotAddedUp) {
  const CountedFiles read({{"a_counter_collection.csv",
                            counter_csv(example_reads() + twice("TCC_BUBBLE_sum", "69793750") +
                                        with(example_reads() + twice("TCC_BUBBLE_sum", "69793750"),
                                             &CounterRow::agent, std::string("Agent 5")))}},
                          with_ideal(8.59, "gfx942"));
  ASSERT_EQ(read.rows().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.row(i).dispatches, 2U);
    EXPECT_NEAR(low(over_fetch(read.row(i), read.options())), 1.04, 0.001) << read.agent(i);
  }
}

TEST(PmcScenarios, P01_NamesOfCountersTellOfTheirOwnAgentOnly) {
  const CountedFiles read(
      {{"mi200_counter_collection.csv",
        counter_csv({{1, "TCC_EA_RDREQ_sum", "100"}, {1, "TCC_EA_RDREQ_32B_sum", "0"}})},
       {"mi300_counter_collection.csv",
        counter_csv(with({{1, "TCC_EA0_RDREQ_sum", "100"}, {1, "TCC_EA0_RDREQ_32B_sum", "0"}},
                         &CounterRow::agent, std::string("Agent 5")))}},
      {});
  ASSERT_EQ(read.rows().size(), 2U);
  const std::size_t old = read.agent(0) == "Agent 4" ? 0 : 1;
  EXPECT_EQ(read.row(old).formula, FetchFormula::sizes_32_64);
  EXPECT_EQ(read.row(old).read->bytes.high, 6400) << "no request of 128 bytes is possible";
  EXPECT_EQ(read.row(1 - old).formula, FetchFormula::unknown_ea0);
  EXPECT_EQ(read.row(1 - old).read->bytes.high, 12800);
}

TEST(PmcScenarios, P02_TwoProcessesWithTheSameNumbersAreFourDispatches) {
  const CountedFiles read(
      {{"1_counter_collection.csv", counter_csv(example_hits())},
       {"2_counter_collection.csv",
        counter_csv(with(example_hits(), &CounterRow::process, std::int64_t{101}))}},
      {});
  EXPECT_EQ(read.row().dispatches, 4U);
  EXPECT_EQ(read.row().hits->part, 4 * 1'248'000);
  EXPECT_FALSE(read.row().hits->basis.joined);
}

TEST(PmcScenarios, P02_PassesOfOneKernelAreTheSameDispatches) {
  const CountedFiles read(
      {{"pass_1/out_counter_collection.csv", counter_csv(twice("TCC_HIT_sum", "1248000"))},
       {"pass_2/out_counter_collection.csv",
        counter_csv(
            with(twice("TCC_MISS_sum", "72163000"), &CounterRow::process, std::int64_t{101}))}},
      {});
  EXPECT_EQ(read.row().dispatches, 2U);
  ASSERT_TRUE(read.row().hits);
  EXPECT_NEAR(read.row().hits->value(), 0.017, 0.0001);
  EXPECT_TRUE(read.row().hits->basis.joined) << "it is marked";
}

TEST(PmcScenarios, P02_PassesThatRanOtherDispatchesAreNotJoined) {
  auto misses = with(twice("TCC_MISS_sum", "72163000"), &CounterRow::process, std::int64_t{101});
  misses[1].grid = 4096;
  const CountedFiles read(
      {{"pass_1/out_counter_collection.csv", counter_csv(twice("TCC_HIT_sum", "1248000"))},
       {"pass_2/out_counter_collection.csv", counter_csv(misses)}},
      {});
  EXPECT_FALSE(read.row().hits);
  EXPECT_NE(read.finding("passes-not-joined"), nullptr);
}

TEST(PmcScenarios, P03_OverFetchIsOverDispatchesThatHaveTheCounters) {
  auto more = with(example_hits(), &CounterRow::process, std::int64_t{100});
  for (CounterRow& row : more) {
    row.dispatch += 10;
    row.begin_ns += 50'000'000;
  }
  const CountedFiles read(
      {{"a_counter_collection.csv",
        counter_csv(example_reads() + twice("TCC_BUBBLE_sum", "69793750") + more)}},
      with_ideal(8.59, "gfx942"));
  EXPECT_EQ(read.row().dispatches, 4U);
  EXPECT_EQ(read.row().read->basis.dispatches, 2U);
  EXPECT_NEAR(low(over_fetch(read.row(), read.options())), 1.04, 0.001);
  EXPECT_NE(read.finding("counters-multiplexed"), nullptr);
}

TEST(PmcScenarios, P04_KernelsAreNotMixed) {
  const CountedFiles read(
      {{"a_counter_collection.csv",
        counter_csv(example_hits() +
                    with(with(example_hits(), &CounterRow::kernel, std::string("elementwise")),
                         &CounterRow::value, std::string("7")))}},
      {});
  ASSERT_EQ(read.rows().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(read.row(i).hits->value(), read.kernel(i) == "pa_decode" ? 0.017 : 0.5, 0.0001);
  }
}

TEST(PmcScenarios, P05_AFileGivenTwiceCountsOnce) {
  const CountedFiles read({{"a_counter_collection.csv", counter_csv(example_hits())},
                           {"copy/a_counter_collection.csv", counter_csv(example_hits())}},
                          {});
  EXPECT_EQ(read.row().dispatches, 2U);
  EXPECT_EQ(read.row().hits->part, 2'496'000);
  ASSERT_NE(read.finding("dispatch-twice"), nullptr);
  EXPECT_EQ(read.finding("dispatch-twice")->count, 2U);
}

TEST(PmcScenarios, P05_ValuesThatContradictAreAnError) {
  auto other = example_hits();
  other[0].value = "5";
  const CountedFiles read({{"a_counter_collection.csv", counter_csv(example_hits())},
                           {"b_counter_collection.csv", counter_csv(other)}},
                          {});
  EXPECT_EQ(read.row().hits->part, 2'496'000) << "the first counts";
  ASSERT_NE(read.finding("counter-contradiction"), nullptr);
  EXPECT_EQ(read.finding("counter-contradiction")->severity, Severity::error);
}

TEST(PmcScenarios, P06_RequestsOf128BytesAreCountedNotGuessed) {
  const CountedFiles known(
      {{"a_counter_collection.csv", counter_csv(example_reads() + twice("TCC_BUBBLE_sum", "0"))}},
      with_ideal(8.59, "gfx942"));
  EXPECT_EQ(known.row().read->bytes.low, 64 * 139'587'500LL);
  const CountedFiles missing({{"a_counter_collection.csv", counter_csv(example_reads())}},
                             with_ideal(8.59, "gfx942"));
  EXPECT_EQ(missing.row().read->bytes.low, 64 * 139'587'500LL);
  EXPECT_EQ(missing.row().read->bytes.high, 128 * 139'587'500LL);
  EXPECT_FALSE(fetch(missing.row(), missing.options())) << "no verdict from 0.52 to 1.04";
  EXPECT_EQ(missing.row().missing_read, (std::vector{L2Counter::bubble}));
}

TEST(PmcScenarios, P07_NamesOfGfx90aAreKnown) {
  const CountedFiles read(
      {{"a_counter_collection.csv",
        counter_csv({{1, "TCC_EA_RDREQ_sum", "1000000"}, {1, "TCC_EA_RDREQ_32B_sum", "100000"}})}},
      {});
  EXPECT_EQ(read.row().read->bytes.low, 60'800'000);
  EXPECT_TRUE(read.row().read->bytes.known());
}

TEST(PmcScenarios, P08_TheWideFormIsRead) {
  const CountedFiles read({{"pmc_perf.csv",
                            "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,TCC_HIT_sum,TCC_MISS_sum\n"
                            "0,\"k(int) [clone .kd]\",2,64,10,90\n"}},
                          {});
  EXPECT_EQ(read.kernel(0), "k(int)");
  EXPECT_DOUBLE_EQ(read.row().hits->value(), 0.1);
}

TEST(PmcScenarios, P09_S53_BadNumbersAreLeftOutAndCounted) {
  auto rows = example_hits();
  for (const char* value : {"abc", "nan", "inf", "-5", "", "1e30"}) {
    rows.push_back({9, "TCC_HIT_sum", value});
  }
  const CountedFiles read({{"a_counter_collection.csv", counter_csv(rows)}}, {});
  EXPECT_EQ(read.row().hits->part, 2'496'000);
  ASSERT_NE(read.finding("counter-value"), nullptr);
  EXPECT_EQ(read.finding("counter-value")->count, 6U);
}

TEST(PmcScenarios, P09_NothingButBadNumbersIsNoReport) {
  EXPECT_THROW(
      CountedFiles({{"a_counter_collection.csv",
                     counter_csv({{1, "TCC_HIT_sum", "abc"}, {1, "TCC_MISS_sum", "nan"}})}},
                   {}),
      InputError);
}

TEST(PmcScenarios, P10_AByteOrderMarkHidesNoColumn) {
  const CountedFiles read({{"a_counter_collection.csv",
                            "\xef\xbb\xbfKernel_Name,Dispatch_Id,Counter_Name,Counter_Value\r\n"
                            "k,1,TCC_HIT_sum,1\r\nk,1,TCC_MISS_sum,3\r\n"}},
                          {});
  EXPECT_DOUBLE_EQ(read.row().hits->value(), 0.25);
}

TEST(PmcScenarios, P11_NoAccessesAreNoRate) {
  const CountedFiles zero({{"a_counter_collection.csv",
                            counter_csv({{1, "TCC_HIT_sum", "0"}, {1, "TCC_MISS_sum", "0"}})}},
                          {});
  EXPECT_FALSE(zero.row().hits);
  const CountedFiles single({{"a_counter_collection.csv", counter_csv({{1, "TCC_HIT_sum", "5"}})}},
                            {});
  EXPECT_FALSE(single.row().hits);
  EXPECT_EQ(single.row().missing_hits, (std::vector{L2Counter::miss}));
}

TEST(PmcScenarios, P12_ACounterThatWasNotCollectedIsNotZero) {
  const CountedFiles read(
      {{"a_counter_collection.csv", counter_csv(twice("TCC_EA0_RDREQ_sum", "1000"))}},
      with_arch("gfx942"));
  EXPECT_FALSE(read.row().of_32);
  EXPECT_FALSE(read.row().read);
  EXPECT_FALSE(requests(read.row()));
}

TEST(PmcScenarios, P13_ARequestOf64BytesIsHalfALine) {
  const CountedFiles read(
      {{"a_counter_collection.csv", counter_csv({{1, "TCC_EA0_RDREQ_32B_sum", "0"},
                                                 {1, "TCC_EA0_RDREQ_64B_sum", "100000"},
                                                 {1, "TCC_EA0_RDREQ_128B_sum", "900000"}})}},
      with_arch("gfx950"));
  EXPECT_DOUBLE_EQ(read.row().of_64->value(), 0.1);
  EXPECT_DOUBLE_EQ(read.row().of_128->value(), 0.9);
  EXPECT_EQ(read.row().read->bytes.low, 121'600'000);
}

TEST(PmcScenarios, P14_WordsSpeakOfNoParticularKernel) {
  for (const Reuse verdict : {Reuse::streaming, Reuse::partial, Reuse::reused}) {
    for (const bool again : {false, true}) {
      const std::string_view words = advice(verdict, again);
      EXPECT_EQ(words.find("KV"), std::string_view::npos);
      EXPECT_EQ(words.find("decode"), std::string_view::npos);
    }
  }
}

TEST(PmcScenarios, P15_EveryRangeHasItsVerdict) {
  L2Row row;
  row.hits.emplace();
  row.of_32.emplace();
  row.hits->whole = row.of_32->whole = 1000;
  const auto reuse_at = [&](std::int64_t part) {
    row.hits->part = part;
    return *reuse(row);
  };
  EXPECT_EQ(reuse_at(49), Reuse::streaming);
  EXPECT_EQ(reuse_at(50), Reuse::partial);
  EXPECT_EQ(reuse_at(500), Reuse::reused);
  const auto requests_at = [&](std::int64_t part) {
    row.of_32->part = part;
    return *requests(row);
  };
  EXPECT_EQ(requests_at(49), Requests::full);
  EXPECT_EQ(requests_at(250), Requests::some_partial);
  EXPECT_EQ(requests_at(251), Requests::scattered);

  L2Options options;
  options.ideal_bytes = 1000;
  row.read.emplace();
  row.read->basis.dispatches = 1;
  const auto fetch_at = [&](std::int64_t bytes) {
    row.read->bytes = {bytes, bytes};
    return *fetch(row, options);
  };
  EXPECT_EQ(fetch_at(949), Fetch::too_little);
  EXPECT_EQ(fetch_at(950), Fetch::clean);
  EXPECT_EQ(fetch_at(1150), Fetch::clean);
  EXPECT_EQ(fetch_at(1500), Fetch::moderate);
  EXPECT_EQ(fetch_at(1501), Fetch::redundant);
  row.hits->part = 1;
  EXPECT_TRUE(fetched_again(row, options));
}

TEST(PmcScenarios, P15_WithAllInOrderBandwidthDecides) {
  L2Options options = with_ideal(8.59, "gfx942");
  options.peak = 5.3e12;
  const CountedFiles read(
      {{"a_counter_collection.csv",
        counter_csv(example_hits() + example_reads() + twice("TCC_BUBBLE_sum", "69793750"))}},
      options);
  EXPECT_EQ(path(read.row(), read.options()), Path::healthy);
  L2Row slow = read.row();
  slow.peak = 20e12;
  EXPECT_EQ(path(slow, options), Path::underused);
}

TEST(PmcScenarios, P18_SmallSumsAreExact) {
  const CountedFiles read(
      {{"a_counter_collection.csv",
        counter_csv({{1, "TCC_EA_RDREQ_sum", "1000000"}, {1, "TCC_EA_RDREQ_32B_sum", "0"}})}},
      {});
  EXPECT_EQ(read.row().read->bytes.low, 64'000'000) << "the script printed 0.1 GB";
}

TEST(PmcScenarios, P19_SizesOfTheProfilerAreUnitsOf1024Bytes) {
  const CountedFiles read({{"a_counter_collection.csv", counter_csv({{1, "FETCH_SIZE", "10.625000"},
                                                                     {1, "WRITE_SIZE", "4.5"}})}},
                          {});
  EXPECT_EQ(read.row().read->bytes.low, 10'880);
  EXPECT_EQ(read.row().read->source, ByteSource::metric);
  EXPECT_EQ(read.row().written->bytes.low, 4'608);
}

TEST(PmcScenarios, P19_OlderSdksHalveTheFetchSizeOfGfx950) {
  const CountedFiles read({{"a_counter_collection.csv", counter_csv({{1, "FETCH_SIZE", "10"}})}},
                          with_arch("gfx950"));
  const std::vector<std::string> items = figure_items(read.row(), read.options());
  EXPECT_NE(items[2].find("half of the truth on gfx950 with older SDKs"), std::string::npos);
}

TEST(PmcScenarios, P20_S58_InstancesOfTheCacheAreAdded) {
  const CountedFiles named({{"a_counter_collection.csv", counter_csv({{1, "TCC_HIT[0]", "1"},
                                                                      {1, "TCC_HIT[1]", "2"},
                                                                      {1, "TCC_MISS[0]", "3"},
                                                                      {1, "TCC_MISS[1]", "3"}})}},
                           {});
  EXPECT_EQ(named.row().hits->part, 3);
  EXPECT_EQ(named.row().hits->whole, 9) << "equal values of two instances are two values";

  const CountedFiles dimensions(
      {{"a_counter_collection.csv",
        "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value,XCC,Instance\n"
        "1,k,TCC_HIT,5,0,0\n1,k,TCC_HIT,5,0,1\n1,k,TCC_HIT,5,1,0\n"
        "1,k,TCC_MISS,5,0,0\n"}},
      {});
  EXPECT_EQ(dimensions.row().hits->part, 15);

  const CountedFiles bare(
      {{"a_counter_collection.csv",
        counter_csv({{1, "TCC_HIT", "5"}, {1, "TCC_HIT", "6"}, {1, "TCC_MISS", "9"}})}},
      {});
  EXPECT_EQ(bare.row().hits->part, 11);
  EXPECT_NE(bare.finding("instances-added"), nullptr);
}

TEST(PmcScenarios, P21_S54_NamesKeepCommasQuotesAndNewlines) {
  const CountedFiles read({{"a_counter_collection.csv",
                            "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\r\n"
                            "1,\"f<int, 3>(\"\"x\"\",\ny)\",TCC_HIT_sum,1\r\n"
                            "1,\"f<int, 3>(\"\"x\"\",\ny)\",TCC_MISS_sum,1\r\n"}},
                          {});
  EXPECT_EQ(read.kernel(0), "f<int, 3>(\"x\",\ny)");
}

}  // namespace
}  // namespace jaxtrace

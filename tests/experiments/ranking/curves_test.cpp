#include "experiments/ranking/curves.hpp"

#include <map>
#include <stdexcept>

#include "estimators/peers/bucket_attention.hpp"
#include "sim/statistics/intervals.hpp"
#include "tests/experiments/ranking/small_plans.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("SOCKET leads hard LSH at eight planes and 60 tables in every metric of Figure 2", "[unit]") {
  CurvePlan plan = small_curves();
  plan.trials = 32;
  plan.cuts = {64, 256};
  RankingCurves curves = ranking_curves(plan, Seed{1});

  for (const Index cut : plan.cuts) {
    for (const RankingMetric metric :
         {RankingMetric::precision, RankingMetric::jaccard, RankingMetric::ndcg_binary, RankingMetric::ndcg_graded}) {
      const RankingPoint& hard = curves.at(Truth::dot_product, "hard-lsh", cut, metric);
      INFO(name_of(metric) << " at k = " << cut);
      CHECK(student(hard.lead, 1e-6).lo > 0);
      CHECK(hard.worst.mean() <= hard.average.mean());
      CHECK(hard.average.mean() <= hard.best.mean());
    }
  }
}

TEST_CASE("The cosine oracle is perfect on the cosine and imperfect on the dot product", "[unit]") {
  const CurvePlan plan = small_curves();
  RankingCurves curves = ranking_curves(plan, Seed{2});

  for (const RankingMetric metric : {RankingMetric::precision, RankingMetric::jaccard, RankingMetric::ndcg_graded}) {
    const RankingPoint& cosine = curves.at(Truth::cosine, "cosine-oracle", 8, metric);
    const RankingPoint& product = curves.at(Truth::dot_product, "cosine-oracle", 8, metric);
    CHECK(std::abs(cosine.average.mean() - 1) <= 1e-14);
    CHECK(product.average.mean() < 1);
  }
}

TEST_CASE("A histogram holds the selected keys, and all keys", "[unit]") {
  const CurvePlan plan = small_curves();
  RankingCurves curves = ranking_curves(plan, Seed{3});

  std::map<std::string, double> keys;
  for (const HistogramBin& bin : curves.histogram) keys[bin.ranker] += bin.keys.mean();

  for (const std::string& ranker : curve_rankers()) CHECK(std::abs(keys[ranker] - 64) <= 1e-9);
  CHECK(std::abs(keys["all keys"] - 512) <= 1e-9);
}

TEST_CASE("Keys stand in the histogram by q.k/|q|, whatever the length of the query", "[unit]") {
  // Standard normal for a Gaussian key. The 64th of 512 lies about where 1/8 is above: at 1.15, to .07 in one trial and
  // .02 in the mean of twelve. Between 0 and .25 lie 9.87% of the keys, 50.5, to 2 in the mean.
  for (const double norm : {0.25, 40.0}) {
    CurvePlan plan = small_curves();
    plan.family.query_norm = norm;

    const RankingCurves curves = ranking_curves(plan, Seed{3});

    CHECK(curves.cutoff.count() == 12);
    CHECK(std::abs(curves.cutoff.mean() - 1.15) <= 0.1);
    Index found = 0;
    for (const HistogramBin& bin : curves.histogram) {
      if (bin.ranker != "all keys" || bin.low != 0) continue;
      ++found;
      CHECK(bin.keys.count() == 12);
      CHECK(std::abs(bin.keys.mean() - 50.5) <= 10);
    }
    CHECK(found == 1);
  }
}

TEST_CASE("A ranker's lead is that of the first one over it, trial by trial", "[unit]") {
  const CurvePlan plan = small_curves();
  RankingCurves curves = ranking_curves(plan, Seed{3});

  const RankingPoint& socket = curves.at(Truth::cosine, "socket", 64, RankingMetric::jaccard);
  const RankingPoint& random = curves.at(Truth::cosine, "random", 64, RankingMetric::jaccard);
  CHECK(curve_rankers().front() == "socket");
  CHECK(socket.lead.mean() == 0);
  CHECK(random.lead.count() == plan.trials);
  CHECK(std::abs(random.lead.mean() - (socket.average.mean() - random.average.mean())) <= 1e-14);
  // 64 of 512 keys at random: an eighth is right, so the Jaccard is about 8/120.
  CHECK(std::abs(random.average.mean() - 8.0 / 120) <= 0.04);
  CHECK_THROWS_AS(curves.at(Truth::cosine, "quest", 64, RankingMetric::jaccard), std::out_of_range);
}

TEST_CASE("A curve's plan out of range is refused", "[unit]") {
  CurvePlan curves = small_curves();
  curves.cuts = {513};
  CHECK_THROWS_AS(ranking_curves(curves, Seed{1}), InputError);
  curves = small_curves();
  curves.hash.planes = kMostBucketPlanes + 1;
  CHECK_THROWS_AS(ranking_curves(curves, Seed{1}), InputError);
  curves.hash = {.tables = 1, .planes = kMostBucketPlanes};
  curves.trials = 1;
  CHECK_NOTHROW(ranking_curves(curves, Seed{1}));
}

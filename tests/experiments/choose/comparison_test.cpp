#include "experiments/choose/comparison.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace skt;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;

namespace {

MeasuredRule rule_of(const std::string& name, const std::vector<double>& errors) {
  MeasuredRule rule{name, {1}, {}};
  for (const double error : errors) rule.kept.push_back({.keys = 1, .mass = 0.5, .recall = 0.5, .error = error});
  return rule;
}

}  // namespace

TEST_CASE("A paired difference has Student's interval at its share of the error", "[unit]") {
  const Comparison both = compared({rule_of("quest", {.1, .2, .3}), rule_of("loki", {.4, .4, .7})}, {8}, 0.05);
  REQUIRE(both.interval_error == 0.05 / 3);  // one pair, one budget, three metrics
  const Difference& error = both.at[0].differences.front();
  CHECK(error.metric == 0);
  CHECK_THAT(error.mean, WithinAbs(-0.3, 1e-15));
  // Two degrees of freedom: t = (2p - 1)/sqrt(2p(1 - p)); the differences -.3, -.2, -.4 have deviation .1.
  const double p = 1 - 0.05 / 6, t = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
  CHECK_THAT(error.interval.lo, WithinAbs(-0.3 - t * 0.1 / std::sqrt(3), 1e-12));
  CHECK_THAT(error.interval.hi, WithinAbs(-0.3 + t * 0.1 / std::sqrt(3), 1e-12));
  CHECK(both.at[0].rules.back().beyond_best.lo == -error.interval.hi);
  // An upper end of .14: not told apart, though each query says the same.
  CHECK_THAT(readable(both), ContainsSubstring("quest loses least: mean relative error 0.2; not told apart from it by "
                                               "these queries: loki."));
}

TEST_CASE("Ten queries that agree tell rules apart, and an oracle is never the best", "[unit]") {
  std::vector<double> small, large;
  for (int i = 0; i < 10; ++i) {
    small.push_back(0.1 + 0.001 * i);
    large.push_back(0.2 + 0.002 * i);
  }
  const std::vector<double> none(10, 0);
  const Comparison all =
      compared({rule_of("loki", large), rule_of("quest", small), rule_of("oracle-top-k", none)}, {8}, 0.05);
  CHECK(all.at[0].rules.front().rule == "oracle-top-k");
  CHECK_THAT(readable(all),
             ContainsSubstring("quest loses least: mean relative error 0.105; every other ranker loses more"));
}

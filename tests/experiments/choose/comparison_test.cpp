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
  const Difference& error = both.differences.front();
  CHECK(error.metric == Metric::error);
  CHECK_THAT(error.mean, WithinAbs(-0.3, 1e-15));
  // Two degrees of freedom: t = (2p - 1)/sqrt(2p(1 - p)); the differences -.3, -.2, -.4 have deviation .1.
  const double p = 1 - 0.05 / 6, t = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
  CHECK_THAT(error.interval.lo, WithinAbs(-0.3 - t * 0.1 / std::sqrt(3), 1e-12));
  CHECK_THAT(error.interval.hi, WithinAbs(-0.3 + t * 0.1 / std::sqrt(3), 1e-12));
  CHECK(error.interval.hi > 0);  // .14: not told apart, though each query says the same

  const Best best = best_at(both, 0);
  CHECK(best.rule == "quest");
  CHECK(best.not_told_apart == std::vector<std::string>{"loki"});
}

TEST_CASE("Ten queries that agree tell rules apart, and an oracle is never the best", "[unit]") {
  std::vector<double> small, large, none;
  for (int i = 0; i < 10; ++i) {
    small.push_back(0.1 + 0.001 * i);
    large.push_back(0.2 + 0.002 * i);
    none.push_back(0);
  }
  const Comparison all =
      compared({rule_of("loki", large), rule_of("quest", small), rule_of("oracle-top-k", none)}, {8}, 0.05);
  CHECK(all.rules.front().rule == "oracle-top-k");
  const Best best = best_at(all, 0);
  CHECK(best.rule == "quest");
  CHECK(best.not_told_apart.empty());
  CHECK_THAT(readable(all),
             ContainsSubstring("quest loses least: mean relative error 0.105; every other ranker loses more"));
}

TEST_CASE("The spread leaves undefined errors out and quantiles lie between order statistics", "[unit]") {
  const Comparison one = compared({rule_of("quest", {.4, std::nan(""), .1, .2, .3})}, {8}, 0.05);
  MeasuredRule hidden = rule_of("quest", {.1, .2});
  hidden.kept.emplace_back();  // a mask hides all keys from this query
  CHECK_THAT(readable(compared({hidden}, {8}, 0.05)),
             ContainsSubstring("1 of 3 queries have no key that quest selects"));
  const Spread& error = one.rules.front().error;
  CHECK(error.queries == 4);
  CHECK_THAT(error.mean, WithinAbs(.25, 1e-15));
  CHECK_THAT(error.median, WithinAbs(.25, 1e-15));
  CHECK_THAT(error.low, WithinAbs(.13, 1e-15));
  CHECK_THAT(error.high, WithinAbs(.37, 1e-15));
  CHECK_THAT(error.deviation, WithinAbs(std::sqrt(.05 / 3), 1e-15));
}

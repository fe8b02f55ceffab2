#include "proofs_check/certificate/a_priori.hpp"

#include <fmt/format.h>

#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Problem {
  Instance instance = make_instance({.keys = 60, .dim = 16, .value_dim = 4}, Seed{4}, 0);
  CertifyPlan plan;
  TableSums sums;
  AprioriBounds bounds;
  SamplingLaw law;

  explicit Problem(Index fresh_tables = 0) {
    plan.setting = {.planes = 3, .tables = 20, .samples = 30, .temperature = 0.3, .budget = 6};
    plan.fresh_tables = fresh_tables;
    const Hyperplanes hyperplanes = draw_hyperplanes(Seed{5}, 0, 20, 3, 16);
    const KeyCodes codes = hash_keys(hyperplanes, instance.keys);
    const SocketParameters parameters{0.3, plan.setting.scaling};
    sums = table_sums(hyperplanes, codes, instance.query, instance.values, parameters);
    law = sampling_law(soft_scores(hyperplanes, codes, instance.query, parameters), instance.values);
    bounds = a_priori_bounds(instance, plan, sums, Seed{6});
  }
};

}  // namespace

TEST_CASE("The probabilities of tables and samples multiply to that of the total", "[unit]") {
  for (const double delta : {0.05, 0.5, 1e-6})
    CHECK((1 - kTablesShareOfTotal * delta) * (1 - delta_of_samples(delta)) == Approx(1 - delta).epsilon(1e-14));
}

TEST_CASE("Without fresh tables the certified radius is the lesser of the two that need none", "[unit]") {
  const AprioriBounds bounds = Problem().bounds;

  CHECK(std::isinf(bounds.by_fresh(20, 0.05)));
  CHECK(bounds.certified(20, 0.05) == std::fmin(bounds.by_kurtosis(20, 0.05), bounds.by_chebyshev(20, 0.05)));
  CHECK(bounds.estimated(20, 0.05) < bounds.certified(20, 0.05));
  CHECK(bounds.kurtosis_estimate >= 1);
  CHECK(bounds.kurtosis_bound > bounds.kurtosis_estimate);
}

TEST_CASE("With fresh tables it is theirs where it is less, and no worse than none but for their beta", "[unit]") {
  const AprioriBounds bounds = Problem(20'000).bounds;

  CHECK(bounds.certified(20, 0.05) == bounds.by_fresh(20, 0.05));
  CHECK(std::isfinite(bounds.by_fresh(20, 0.05)));
  CHECK(bounds.by_fresh(20, 0.05) < std::fmin(bounds.by_kurtosis(20, 0.05), bounds.by_chebyshev(20, 0.05)));

  // Where they say nothing, at a delta below their own, the others hold at all of delta; above it at what is left.
  const double beta = bounds.fresh->beta;
  CHECK(std::isinf(bounds.by_fresh(20, beta)));
  CHECK(bounds.certified(20, beta) == std::fmin(bounds.by_kurtosis(20, beta), bounds.by_chebyshev(20, beta)));
  AprioriBounds misled = bounds;
  misled.fresh->beyond = 1;  // every table may be longer than the cut
  CHECK(misled.certified(20, 0.05) ==
        std::fmin(bounds.by_kurtosis(20, 0.05 - beta), bounds.by_chebyshev(20, 0.05 - beta)));
}

TEST_CASE("At a small delta the number of samples is that of the exponential bound", "[unit]") {
  Problem p;
  p.plan.delta = 1e-9;

  const SmallestCounts needs = smallest_counts(0.2, p.plan, nullptr, p.law, 0, 1'000'000);

  REQUIRE(needs.samples);
  CHECK(exponential_sampling_bound(p.law, *needs.samples, 5e-10, 5e-10) <= 0.2);
  CHECK(exponential_sampling_bound(p.law, *needs.samples - 1, 5e-10, 5e-10) > 0.2);
  CHECK(sampling_error_bound(p.law, *needs.samples, 1e-9) > 0.2);
}

TEST_CASE("The smallest counts reach the wanted error, and one less does not", "[unit]") {
  const Problem p;
  const double delta = p.plan.delta, target = 0.2, bias = 0.02;

  const SmallestCounts needs = smallest_counts(target, p.plan, &p.bounds, p.law, bias, 60);

  REQUIRE(needs.tables_certified);
  CHECK(p.bounds.certified(real(*needs.tables_certified), delta) <= target);
  CHECK(p.bounds.certified(real(*needs.tables_certified - 1), delta) > target);
  REQUIRE(needs.tables_estimated);
  CHECK(p.bounds.estimated(real(*needs.tables_estimated), delta) <= target);
  CHECK(p.bounds.estimated(real(*needs.tables_estimated - 1), delta) > target);
  REQUIRE(needs.samples);
  CHECK(sampling_error_bound(p.law, *needs.samples, delta) <= target);
  CHECK(sampling_error_bound(p.law, *needs.samples - 1, delta) > target);
  REQUIRE(needs.together_tables_estimated);
  REQUIRE(needs.together_samples_estimated);
  CHECK(p.bounds.certified(real(*needs.together_tables_estimated), delta / 2) + bias <= target / std::sqrt(2.0));
  CHECK(*needs.together_tables_estimated > *needs.tables_certified);
  CHECK(*needs.together_samples_estimated > *needs.samples);
}

TEST_CASE("A bias above the wanted error, or no pairs of keys, is told instead of a count", "[unit]") {
  const Problem p;

  const SmallestCounts biased = smallest_counts(0.2, p.plan, &p.bounds, p.law, 0.3, 60);
  const SmallestCounts no_pairs = smallest_counts(0.2, p.plan, nullptr, p.law, 0.02, 60);

  CHECK_FALSE(biased.together_tables_estimated);
  // .2/sqrt(2) = .1414; .3 sqrt(2) = .4243.
  CHECK_THAT(biased.reason, ContainsSubstring("the bias alone is 0.3, above the 0.1414"));
  CHECK_THAT(biased.reason, ContainsSubstring("a target above 0.4243, or a lower temperature"));
  CHECK(smallest_counts(0.425, p.plan, &p.bounds, p.law, 0.3, 60).reason.find("the bias") == std::string::npos);
  CHECK_FALSE(no_pairs.tables_certified);
  CHECK(no_pairs.samples);
  CHECK_THAT(no_pairs.reason, ContainsSubstring("pairs exact"));
}

TEST_CASE("More samples than keys, and a search that ends without a count, are told", "[unit]") {
  const Problem p;
  const Index samples = *smallest_counts(0.2, p.plan, nullptr, p.law, 0, 60).samples;
  const auto reason = [&](double target, Index keys) {
    return smallest_counts(target, p.plan, nullptr, p.law, 0, keys).reason;
  };

  CHECK_THAT(reason(0.2, samples - 1),
             ContainsSubstring(fmt::format("M = {} is more than the {} keys", samples, samples - 1)));
  CHECK_THAT(reason(0.2, samples), !ContainsSubstring("more than"));
  // Of 2^24 samples Theorem 7(a) is still above the wanted error.
  const double reached = sampling_error_bound(p.law, 16'777'216, p.plan.delta);
  CHECK_THAT(reason(1e-6, 60),
             ContainsSubstring(fmt::format("sampling alone, M: 16777216 is the most that is looked at, "
                                           "and {:.4g} is reached there",
                                           reached)));
}

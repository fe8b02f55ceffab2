// Is a deviation of the stated size seen in 99 repetitions of a hundred, and half of it in clearly fewer?
// Counted over repetitions for means; summed over the binomial law for proportions.
#include "proofs_check/power.hpp"

#include <boost/math/distributions/normal.hpp>

#include "proofs_check/judge.hpp"
#include "sim/statistics/binomial_tails.hpp"
#include "tests/hypothesis_tests.hpp"
#include "tests/numbers.hpp"
#include "tests/sim/statistics/repetitions.hpp"

using namespace skt;

namespace {

constexpr double kShare = 1e-3;
constexpr std::uint32_t kRuns = 4000;
constexpr std::size_t kSamples = 50;

Moments moments_of(const std::vector<double>& sample, double truth) {
  Moments moments;
  for (const double x : sample) moments.add(truth + x);
  return moments;
}

Evidence of_normal_mean(std::uint32_t run, double truth, const Claim& claim) {
  const double mean = moments_of(test_normals(70, run, kSamples), truth).mean();
  return normal_estimate({"normal", "mean"}, mean, 1 / std::sqrt(real(kSamples)), kSamples, claim, {kShare, 10});
}

std::uint64_t refuted(const std::function<Evidence(std::uint32_t)>& measure) {
  return count_hits(kRuns, [&](std::uint32_t run) { return judge(measure(run)) == Verdict::refuted; });
}

// P(refuted) of a proportion p, summed over the numbers of hits.
double chance_of_refutation(double p, std::uint64_t trials, const Claim& claim) {
  double chance = 0;
  for (std::uint64_t k = 0; k <= trials; ++k) {
    if (judge(frequency({}, k, trials, claim, {kShare, 1})) != Verdict::refuted) continue;
    chance += binomial_at_most(k, trials, p) - (k > 0 ? binomial_at_most(k - 1, trials, p) : 0);
  }
  return chance;
}

}  // namespace

TEST_CASE("A number known exactly shows every deviation beyond the error of the claim", "[unit]") {
  CHECK(visible_deviation(exact({}, 3, equals(5, 0.25))) == 0.25);
  CHECK(visible_deviation(exact({}, 3, at_most(5))) == 0);
  CHECK(visible_deviation(supremum({}, 0.5, 1e-9, 10, 10)) == 1e-9);
}

TEST_CASE("A mean that lies off its claim by the visible deviation is refuted in 99 of 100 repetitions", "[oracle]") {
  for (const Claim& claim : {equals(2, 0.01), at_most(2, 0.01), at_least(2, 0.01)}) {
    const double sign = claim.relation == Relation::at_least ? -1 : 1;
    const double d = visible_deviation(of_normal_mean(0, 2, claim));

    const std::uint64_t seen = refuted([&](std::uint32_t run) { return of_normal_mean(run, 2 + sign * d, claim); });
    const std::uint64_t half = refuted([&](std::uint32_t run) { return of_normal_mean(run, 2 + sign * d / 2, claim); });

    // Half the deviation: the mean exceeds claimed_error + h with the probability of a normal above what is missing.
    const double deviation = 1 / std::sqrt(real(kSamples));
    const double h = boost::math::quantile(boost::math::complement(boost::math::normal(), kShare / 2)) * deviation;
    const double chance = cdf(boost::math::normal(), (d / 2 - claim.error - h) / deviation);
    CHECK(binomial_p_value(seen, kRuns, 0.99) > kFailure);
    CHECK(binomial_p_value(half, kRuns, chance) > kFailure);
    CHECK(chance < 0.5);
  }
}

TEST_CASE("A mean of bounded samples is refuted at least as often as stated", "[oracle]") {
  const auto measure = [](std::uint32_t run, double truth) {
    return mean_of_bounded({}, moments_of(test_uniforms(71, run, 200), truth - 0.5), 1, equals(2), {kShare, 10});
  };
  const double d = visible_deviation(measure(0, 2));

  const std::uint64_t seen = refuted([&](std::uint32_t run) { return measure(run, 2 + d); });

  CHECK(binomial_at_most(seen, kRuns, 0.99) > kFailure);
}

TEST_CASE("A proportion off its claim by the visible deviation is refuted with probability 0.99", "[oracle]") {
  for (const std::uint64_t trials : {200u, 2000u}) {
    for (const Claim& claim : {equals(0.25, 0.01), at_most(0.02), at_least(0.9), at_most(0)}) {
      INFO(trials << " trials, claim " << claim.value);
      const double d = visible_deviation(frequency({}, trials / 3, trials, claim, {kShare, 1}));
      const auto chance_at = [&](double deviation) {
        double least = 1;
        if (claim.relation != Relation::at_least) least = chance_of_refutation(claim.value + deviation, trials, claim);
        if (claim.relation != Relation::at_most)
          least = std::min(least, chance_of_refutation(claim.value - deviation, trials, claim));
        return least;
      };

      // A sum of up to `trials` differences, each exact to some hundred roundings of a number below 1.
      const double rounding = 200 * real(trials) * std::numeric_limits<double>::epsilon();
      CHECK(std::abs(chance_at(d) - 0.99) <= rounding);
      // Where one hit refutes, (1 - p/2)^n >= (1 - p)^(n/2) = 0.1 of the repetitions at half of p = d have none;
      // where more are needed, half is seen less often still.
      CHECK(chance_at(d / 2) <= 0.9 + rounding);
    }
  }
}

TEST_CASE("What no measurement can break has no visible deviation", "[unit]") {
  CHECK(std::isnan(visible_deviation(frequency({}, 3, 10, at_most(1), {kShare, 1}))));
  CHECK(std::isnan(visible_deviation(exact({}, NAN, equals(1)))));
  CHECK(std::isnan(visible_deviation(Evidence{})));
}

TEST_CASE("The distance is positive beyond the claim and negative within it", "[unit]") {
  CHECK(distance_from_claim(exact({}, 3, at_most(2))) == 1);
  CHECK(distance_from_claim(exact({}, 3, at_least(2))) == -1);
  CHECK(distance_from_claim(exact({}, 1, equals(2))) == 1);
}

TEST_CASE("The deviation of a number known without chance is one on the instances tried", "[unit]") {
  CHECK(visibility_of(exact({}, 3, equals(5))) == Visibility::on_instances_tried);
  CHECK(visibility_of(supremum({}, 0.5, 1e-9, 10, 10)) == Visibility::on_instances_tried);
  CHECK(visibility_of(frequency({}, 1, 10, equals(0.5), {kShare, 1})) == Visibility::of_the_truth);
}

TEST_CASE("A bound may be multiplied by every factor up to the observation less its error, and be refuted", "[unit]") {
  // At most 4 +- 0.25, observed 3: (3 - 0.25)/4. At least 2 +- 0.25, observed 3: (3 + 0.25)/2.
  const RefutedFactors upper = refuted_factors(exact({}, 3, at_most(4, 0.25)));
  const RefutedFactors lower = refuted_factors(exact({}, 3, at_least(2, 0.25)));
  const RefutedFactors both = refuted_factors(exact({}, 3, equals(4, 0.25)));

  CHECK(upper.below == 0.6875);
  CHECK_FALSE(upper.above.has_value());
  CHECK_FALSE(lower.below.has_value());
  CHECK(lower.above == 1.625);
  CHECK(both.below == 0.6875);
  CHECK(both.above == 0.8125);
}

TEST_CASE("Claims multiplied by a refuted factor are refuted, and by the factor itself are not", "[unit]") {
  // Powers of two: the products are exact.
  for (const Evidence& e : {exact({}, 0.5, at_most(2, 0.25)), exact({}, 4, at_least(2, 0.5)),
                            frequency({}, 3, 10, at_most(1), {kShare, 1})}) {
    const RefutedFactors factors = refuted_factors(e);
    const double factor = e.relation == Relation::at_most ? *factors.below : *factors.above;
    const double beyond = e.relation == Relation::at_most ? 0.999 : 1.001;
    Evidence on_the_edge = e, refuted_claim = e;
    on_the_edge.claimed *= factor;
    refuted_claim.claimed *= beyond * factor;

    CHECK(judge(on_the_edge) == Verdict::not_refuted);
    CHECK(judge(refuted_claim) == Verdict::refuted);
  }
}

TEST_CASE("No factor refutes a claim of 0, one below its error, or evidence that says nothing", "[unit]") {
  for (const Evidence& e : {exact({}, 3, at_most(0)), exact({}, 3, at_most(-4)), exact({}, 0.25, at_most(4, 0.5)),
                            exact({}, NAN, at_most(4)), supremum({}, 0.9, 0, 1000, 1)}) {
    CHECK_FALSE(refuted_factors(e).below.has_value());
    CHECK_FALSE(refuted_factors(e).above.has_value());
  }
}

TEST_CASE("Of several pieces one is enough: the largest factor below, the smallest above", "[unit]") {
  const RefutedFactors factors = refuted_factors(std::vector{exact({}, 1, at_most(4)), exact({}, 3, at_most(4)),
                                                             exact({}, 6, at_least(4)), exact({}, 5, at_least(4))});

  CHECK(factors.below == 0.75);
  CHECK(factors.above == 1.25);
  CHECK_FALSE(refuted_factors(std::vector<Evidence>{}).below.has_value());
}

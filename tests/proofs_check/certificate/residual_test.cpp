#include "proofs_check/certificate/residual.hpp"

#include "estimators/attention.hpp"
#include "estimators/residual/logit_ceilings.hpp"
#include "estimators/selection.hpp"
#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

RestDraws draws_of(std::vector<double> shares, double total) {
  RestDraws draws;
  draws.weights = total * Eigen::Map<const Vector>(shares.data(), std::ssize(shares));
  draws.keys.assign(shares.size(), 0);
  draws.shares = std::move(shares);
  draws.log_total = std::log(total);
  return draws;
}

// Gaussian keys, a list by the logits themselves.
struct SampledList {
  Instance one = make_instance({.keys = 600, .dim = 32, .value_dim = 4}, Seed{3}, 0);
  Vector logits = scaled_logits(one.query, one.keys);
  Vector ceilings = LogitCeilings(one.keys, 256, ProjectionRows::orthogonal_blocks, Seed{8}, 0)
                        .of(one.query, 1 / std::sqrt(32.0), kCeilingShare * 0.05);
  Vector dense = *dense_attention(one.query, one.keys, one.values, {});

  std::optional<ResidualReport> report(Index budget, const ResidualPlan& plan) const {
    return residual_report(logits, one.values, ceilings, budget,
                           [&](Index b) { return select_keys(logits, {}, {.budget = b}); }, plan, {Seed{5}, 2, 0});
  }
  double residual(const std::vector<Index>& list) const {
    const Vector weights = *softmax(logits);
    double kept = 0;
    for (const Index j : list) kept += weights[j];
    return 1 - kept;
  }
};

}  // namespace

TEST_CASE("The limit of the rest's weight is the betting limit of the shares times the sum of the ceilings", "[unit]") {
  CHECK(rest_weight_limit(draws_of({0.0}, 8), 0.5) == Approx(8 / 1.95));
  CHECK(rest_weight_limit(draws_of({1.0}, 8), 0.5) == Approx(8));
  CHECK(rest_weight_limit(draws_of({1 + 1e-12}, 8), 0.5) == Approx(8));  // rounding
  CHECK(std::isinf(rest_weight_limit(draws_of({0.0, 1.01}, 8), 0.5)));   // above its ceiling: nothing is known
  CHECK(std::isinf(rest_weight_limit(draws_of({0.0, std::nan("")}, 8), 0.5)));
}

TEST_CASE("The nominal limit is Student's", "[unit]") {
  // Weights 1 and 3: mean 2, deviation of the mean 1; the 95% point of one degree of freedom is 6.3138.
  CHECK(nominal_rest_weight_limit(draws_of({0.25, 0.75}, 4), 0.05) == Approx(2 + 6.3138).epsilon(1e-4));
}

TEST_CASE("The ball of the output by hand", "[unit]") {
  // log(2/error) = 1, longest 2, total 1, limit 1/4: range 2.5, variance 1.
  CHECK(moved_radius(draws_of({0.0, 0.0}, 1), 0.25, 2, 2 / std::exp(1)) == Approx(1.5));
  CHECK(std::isinf(moved_radius(draws_of({0.0, 0.0}, 1), std::numeric_limits<double>::infinity(), 2, 0.1)));
}

TEST_CASE("A residual is between 0 and 1", "[unit]") {
  CHECK(residual_of(3, 1) == Approx(0.25));
  CHECK(residual_of(3, 0) == 0);
  CHECK(residual_of(3, std::numeric_limits<double>::infinity()) == 1);
  CHECK(std::isnan(residual_of(3, std::nan(""))));
}

TEST_CASE("A list grows by halves and ends with all keys", "[unit]") {
  CHECK(budgets_tried(4, 20, true) == std::vector<Index>{4, 6, 9, 14, 20});
  CHECK(budgets_tried(0, 3, true) == std::vector<Index>{1, 2, 3});
  CHECK(budgets_tried(30, 20, true) == std::vector<Index>{20});
  CHECK(budgets_tried(4, 20, false) == std::vector<Index>{4});
}

TEST_CASE("A rest that is read whole is known exactly", "[unit]") {
  const SampledList problem;

  const auto report = problem.report(400, {.samples = 200});

  const double residual = problem.residual(report->list), error = (report->corrected - problem.dense).norm();
  CHECK(report->read == 200);
  CHECK(error < 1e-13);
  for (const double known : {report->estimate, report->limit, report->nominal_limit}) CHECK(known == Approx(residual));
  const ListedSums listed = listed_sums(problem.logits, problem.one.values, report->list);
  CHECK(report->error_limit == Approx((listed.output - problem.dense).norm()));
  CHECK(report->error_estimate == Approx(report->error_limit));
}

TEST_CASE("Limits lie above what they limit, the estimate beside it, and all say more with more samples", "[unit]") {
  const SampledList problem;
  double limit_before = 1, error_before = std::numeric_limits<double>::infinity();
  for (const Index samples : {16, 64, 256}) {
    const auto report = problem.report(100, {.samples = samples});
    const double residual = problem.residual(report->list);
    const ListedSums listed = listed_sums(problem.logits, problem.one.values, report->list);

    CHECK(report->read == samples);
    CHECK(report->stages == 1);
    CHECK(report->limit > residual);
    CHECK(report->limit < limit_before);
    CHECK(report->error_limit > (listed.output - problem.dense).norm());
    CHECK(report->error_limit < error_before);
    CHECK(std::abs(report->estimate - residual) < 0.1);
    limit_before = report->limit, error_before = report->error_limit;
  }
}

TEST_CASE("One limit takes all of delta beside the ceilings' share, the output's two halves of it", "[unit]") {
  const SampledList problem;
  const auto report = problem.report(100, {.samples = 64, .delta = 0.04});
  const ListedSums listed = listed_sums(problem.logits, problem.one.values, report->list);
  const std::vector<Index> rest = rest_of(problem.logits, report->list);
  const RestDraws draws =
      draw_rest(problem.logits, rest, problem.ceilings, listed.largest, 64, RestSampling::weighted, {Seed{5}, 2, 0});
  const double error = (1 - kCeilingShare) * 0.04, half = rest_weight_limit(draws, error / 2);
  double longest = 0;
  for (const Index j : rest) longest = std::max(longest, problem.one.values.row(j).norm());
  longest += listed.output.norm();
  const double moved = rest_estimate(draws, problem.one.values, listed.output).moved.norm();

  CHECK(report->limit == Approx(residual_of(listed.weight, rest_weight_limit(draws, error))).epsilon(1e-12));
  CHECK(report->error_limit == Approx(std::min((moved + moved_radius(draws, half, longest, error / 2)) / listed.weight,
                                               longest * half / (listed.weight + half)))
                                   .epsilon(1e-12));
}

TEST_CASE("A target is reached by the first list that is certified, or by all keys", "[unit]") {
  const SampledList problem;

  const auto half = problem.report(20, {.samples = 64, .target = 0.5});
  const auto nothing = problem.report(20, {.samples = 64, .target = 0.0});

  CHECK(half->limit <= 0.5);
  CHECK(problem.residual(half->list) <= 0.5);
  CHECK(half->stages > 1);
  CHECK(half->read == 64 * half->stages);
  const std::vector<Index> budgets = budgets_tried(20, 600, true);
  CHECK(std::ssize(half->list) == budgets[half->stages - 1]);
  CHECK(nothing->list.size() == 600);
  CHECK(nothing->limit == 0);
  CHECK((nothing->corrected - problem.dense).norm() < 1e-13);
  CHECK(nothing->stages == std::ssize(budgets));
}

TEST_CASE("Without a key there is no report, and one sample is refused", "[unit]") {
  const SampledList problem;

  CHECK_FALSE(problem.report(0, {.samples = 8}).has_value());
  CHECK_THROWS_AS(problem.report(10, {.samples = 1}), InputError);
}

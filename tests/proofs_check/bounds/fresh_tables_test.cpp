#include "proofs_check/bounds/fresh_tables.hpp"

#include "estimators/population/weights.hpp"
#include "estimators/tables/table_sums.hpp"
#include "proofs_check/bounds/a_priori_bounds.hpp"
#include "sim/families.hpp"
#include "sim/statistics/intervals.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

struct Problem {
  Instance instance = make_instance({.keys = 300, .dim = 8, .value_dim = 3}, Seed{2}, 0);
  PopulationParameters parameters = population_parameters(instance, 4, 0.5, Scaling::inverse_sqrt_dim);
  TableMoments moments = table_moments(parameters, instance);

  FreshTables draw(Index count, Seed seed = Seed{1}) const {
    return draw_fresh_tables(instance, moments, parameters, seed, count);
  }
};

// 100 squared lengths: 5 that choose the cut, the largest of them 2, and 95 of which 3 lie beyond it.
FreshTables by_hand() {
  FreshTables fresh{Vector::Constant(100, 1)};
  fresh.squared_norms(2) = 2;     // the cut is 2.8
  fresh.squared_norms(50) = 2.7;  // not beyond it
  fresh.squared_norms(10) = 3;
  fresh.squared_norms(11) = 100;
  fresh.squared_norms(99) = 2.9;
  return fresh;
}

}  // namespace

TEST_CASE("what fresh tables certify, by hand", "[unit]") {
  constexpr double kBeta = 0.03;
  const CertifiedLaw law = certified_law(by_hand(), kBeta);

  const double miss = std::sqrt(std::log(100.0) / (2 * 95));
  const double mean = (91 + 2.7) / 95, fourth = (91 + 2.7 * 2.7) / 95;
  CHECK(law.cut == Approx(2.8));
  CHECK(law.beyond == clopper_pearson(3, 95, 0.02).hi);
  CHECK(law.variance == Approx(fourth + 2.8 * 2.8 * miss - std::pow(mean - 2.8 * miss, 2)));
  CHECK(law.beta == kBeta);
  const double all = 95 + 2 + 2.7 + 3 + 100 + 2.9, squares = 95 + 4 + 7.29 + 9 + 10'000 + 8.41;
  CHECK(law.kurtosis_estimate == Approx(squares / 100 / std::pow(all / 100, 2)));
}

TEST_CASE("the certified radius by hand", "[unit]") {
  // T1 = 3, T2 = 5, lambda = 2, c = 1/20, L = 4; p0 = .01, v = 1/4, beta = .01: level .1 - .01 - .04 = .05.
  TargetMoments at;
  at.trace = 3;
  at.trace_of_square = 5;
  at.largest_eigenvalue = 2;
  at.normaliser_deviation = 0.05;
  const CertifiedLaw law{.beta = 0.01, .beyond = 0.01, .variance = 0.25};
  // ||mu'||^2 <= .02, the variance along it <= .04.
  const SquaredMean mean{.mean = 0.02 + 0.75,
                         .variance = (0.25 + 2 * 3 * 5) / 64 + 4 * 0.04 / 4 + 4 * 0.5 * 0.2 / 16,
                         .with_normaliser = -0.05 * 0.5 / 16 - 2 * 0.05 * 0.2 / 4,
                         .normaliser_deviation = 0.05};

  REQUIRE(std::isfinite(radius_of_ratio(mean, 4, 0.05)));
  CHECK(certified_a_priori_bound(law, at, 4, 0.1) == Approx(radius_of_ratio(mean, 4, 0.05)));
  CHECK(certified_a_priori_bound(law, at, 9, 0.1) == kInfinity);  // 9 tables spend .09
  CHECK_THROWS_AS(certified_a_priori_bound(law, at, 4, 0.01), InputError);
}

TEST_CASE("the tables needed are enough, and one in fifty fewer are not", "[unit]") {
  for (const double delta : {0.05, 0.01}) {
    const Index needed = fresh_tables_needed(60, delta);
    const auto left = [&](Index count) { return delta - 3e-4 - 60 * certified_law({Vector::Ones(count)}).beyond; };

    CHECK(left(needed) > 0);
    CHECK(left(needed - needed / 50) < 0);
  }
  CHECK(fresh_tables_needed(1, 0.99) == kLeastFreshTables);
  // log(1e-4)/log(1 - .0497/60) = 11114.5, over .95 11699.5; and the one that is the cut.
  CHECK(fresh_tables_needed(60, 0.05) == 11701);
}

TEST_CASE("fresh tables have the mean square of the oracle and are none of the user's", "[oracle]") {
  const Problem problem;
  const FreshTables fresh = problem.draw(4000);

  Moments squares;
  for (const double square : fresh.squared_norms) squares.add(square);
  const TargetMoments at = target_moments(problem.moments, problem.moments.output);
  const Interval interval = student(squares, 1e-6);
  CHECK(interval.contains(at.trace));
  CHECK_FALSE(interval.contains(1.2 * at.trace));

  const Hyperplanes own = draw_hyperplanes(Seed{1}, 0, 1, 4, 8);
  const TableSums sums = table_sums(own, hash_keys(own, problem.instance.keys), problem.instance.query,
                                    problem.instance.values, {0.5, Scaling::inverse_sqrt_dim});
  const double of_own = (sums.numerators.row(0).transpose() - sums.normalisers(0) * problem.moments.output).norm();
  CHECK(std::abs(of_own / problem.moments.mass - std::sqrt(fresh.squared_norms(0))) > 1e-6);
}

TEST_CASE("fresh tables are the same bits for any thread count, and a smaller count is the beginning", "[unit]") {
  const Problem problem;
  const auto on_threads = [&](int count) {
    const Threads threads(count);
    return problem.draw(1100).squared_norms;
  };

  const Vector one = on_threads(1);

  CHECK(on_threads(3) == one);
  CHECK(problem.draw(100).squared_norms == one.head(100));
  CHECK(problem.draw(100, Seed{2}).squared_norms != one.head(100));
}

TEST_CASE("progress is told at the end and never runs back", "[unit]") {
  const Problem problem;
  Index last = 0;
  bool rises = true;
  draw_fresh_tables(problem.instance, problem.moments, problem.parameters, Seed{1}, 1100, [&](Index done, Index count) {
    rises = rises && done > last && count == 1100;
    last = done;
  });

  CHECK(rises);
  CHECK(last == 1100);
}

TEST_CASE("too few fresh tables are refused", "[unit]") {
  const Problem problem;

  CHECK_THROWS_AS(problem.draw(39), InputError);
  CHECK_THROWS_AS(certified_law({Vector::Ones(39)}), InputError);
  CHECK_THROWS_AS(certified_law({Vector::Ones(40)}, 0), InputError);
  CHECK_THROWS_AS(fresh_tables_needed(60, 0.01, 0.01), InputError);
}

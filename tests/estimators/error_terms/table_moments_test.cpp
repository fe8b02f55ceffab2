#include "estimators/error_terms/table_moments.hpp"

#include <Eigen/SVD>
#include <atomic>
#include <cmath>
#include <limits>

#include "estimators/error_terms/ratio_limits.hpp"
#include "estimators/population/weights.hpp"
#include "estimators/tables/table_sums.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/statistics/intervals.hpp"
#include "sim/statistics/moments.hpp"
#include "tests/catch.hpp"
#include "tests/estimators/population/plain_moments.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();

// zeta's covariance as the double sum over all pairs, for any target: sum_ij Cov_ij (v_i - y)(v_j - y)^T / Z^2.
Matrix covariance_by_pairs(const PlainMoments& plain, const Instance& instance, const Vector& target) {
  const Matrix shifted = instance.values.rowwise() - target.transpose();
  const Matrix covariance = plain.moments - plain.weights * plain.weights.transpose();
  return shifted.transpose() * covariance * shifted / std::pow(plain.weights.sum(), 2);
}

}  // namespace

TEST_CASE("the covariance for any target is the double sum over all pairs", "[oracle]") {
  for (const Instance& instance : awkward_instances()) {
    const PopulationParameters p = population_parameters(instance, 3, 0.5, Scaling::none);
    const PlainMoments plain = plain_moments(p, instance);
    const TableMoments moments = table_moments(p, instance);
    Vector elsewhere = moments.output;
    elsewhere(0) += 0.7;

    for (const Vector& target : {moments.output, elsewhere}) {
      const TargetMoments at = target_moments(moments, target);

      const Matrix expected = covariance_by_pairs(plain, instance, target);
      const double z = plain.weights.sum();
      const double size =
          plain.moments.sum() * std::pow((instance.values.rowwise() - target.transpose()).norm() / z, 2);
      const double allowed = at.error + 256 * kUnit * size;
      INFO(instance.name);
      CHECK((at.covariance - expected).norm() <= allowed);
      CHECK(at.trace >= expected.trace() - allowed);
      CHECK(at.trace <= expected.trace() + 2 * allowed);
      CHECK(std::sqrt(at.trace_of_square) == Approx(expected.norm()).margin(2 * allowed));
      const Eigen::JacobiSVD<Eigen::MatrixXd> svd(expected);  // symmetric and not negative: eigenvalues
      CHECK(at.largest_eigenvalue == Approx(svd.singularValues()(0)).margin(2 * allowed));
      const double variance = (plain.moments.sum() - z * z) / (z * z);
      CHECK(std::pow(at.normaliser_deviation, 2) == Approx(variance).margin(1e-9));
      const Matrix covariance = plain.moments - plain.weights * plain.weights.transpose();
      const Vector crossed = (instance.values.rowwise() - target.transpose()).transpose() * covariance.rowwise().sum();
      CHECK((at.with_normaliser - crossed / (z * z)).norm() <= allowed + 1e-9);
      CHECK(at.error <= 1e-8 * (1 + size));
    }
  }
}

TEST_CASE("simulated tables have the moments", "[oracle]") {
  const Instance instance = make_instance({.keys = 40, .dim = 8, .value_dim = 2}, Seed{8}, 0);
  constexpr SocketParameters kParameters{0.3, Scaling::none};
  const PopulationParameters p = population_parameters(instance, 2, kParameters.temperature, kParameters.scaling);
  constexpr Index kTables = 20'000;
  const Hyperplanes hyperplanes = draw_hyperplanes(Seed{9}, 0, kTables, 2, 8);
  const KeyCodes codes = hash_keys(hyperplanes, instance.keys);

  const TableSums sums = table_sums(hyperplanes, codes, instance.query, instance.values, kParameters);
  const TableMoments moments = table_moments(p, instance);

  Moments squares, products, mass;  // of one coordinate, of it with the normaliser, and of the normaliser
  for (Index l = 0; l < kTables; ++l) {
    const double first = sums.numerators(l, 0) - moments.output(0) * sums.normalisers(l);
    const double excess = sums.normalisers(l) - moments.mass;
    squares.add(first * first);
    products.add(first * excess);
    mass.add(sums.normalisers(l));
  }
  constexpr double kError = 1e-6;  // of each interval
  const auto holds = [](const Interval& interval, double value) {
    return interval.lo <= value && value <= interval.hi;
  };
  CHECK(holds(student(squares, kError), moments.covariance(0, 0)));
  CHECK(holds(student(products, kError), moments.covariance(0, 2)));
  CHECK(holds(student(mass, kError), moments.mass));
  CHECK_FALSE(holds(student(squares, kError), 1.1 * moments.covariance(0, 0)));
}

TEST_CASE("on I-ANTI the moments are those of one bit", "[oracle]") {
  // s of the B first keys is a number s, of the others 1 - s: N = B (2s - 1), D = B.
  FamilyParameters parameters{.family = InstanceFamily::antipodal, .dim = 4, .copies = 2};
  const Instance instance = make_instance(parameters, Seed{1}, 0);
  const PopulationParameters p = population_parameters(instance, 1, 0.3, Scaling::inverse_sqrt_dim);

  const TargetMoments at = target_moments(table_moments(p, instance), Vector::Zero(instance.value_dim()));

  const double variance = 4 * population_weight_variance(p, Cosine::of(1)).value;  // of 2s - 1 times B/Z = 1
  const double g = population_weight(p, Cosine::of(1)).value;
  CHECK(at.trace == Approx(variance).epsilon(1e-9));
  CHECK(at.trace_of_square == Approx(variance * variance).epsilon(1e-9));
  CHECK(at.largest_eigenvalue == Approx(variance).epsilon(1e-9));
  CHECK(at.normaliser_deviation <= 1e-6);  // sqrt of an error of 1e-12 and less
  CHECK(at.offset.norm() == Approx(2 * g - 1).epsilon(1e-9));
  CHECK(at.effective_rank() == Approx(1).epsilon(1e-9));
}

TEST_CASE("moments are the same bits for any number of threads, over several blocks", "[unit]") {
  const Instance instance = make_instance({.keys = 300, .dim = 8, .value_dim = 3}, Seed{2}, 0);
  const PopulationParameters p = population_parameters(instance, 4, 0.5, Scaling::inverse_sqrt_dim);

  const auto on_threads = [&](int count) {
    const Threads threads(count);
    return table_moments(p, instance);
  };

  const TableMoments one = on_threads(1), three = on_threads(3);

  CHECK(one.covariance == three.covariance);
  CHECK(one.values_error == three.values_error);
  CHECK(one.covariance == one.covariance.transpose());
}

TEST_CASE("every block of pairs is told once", "[unit]") {
  const Instance instance = make_instance({.keys = 300, .dim = 4, .value_dim = 1}, Seed{2}, 0);
  std::atomic<Index> told = 0;

  table_moments(population_parameters(instance, 1, 0.5, Scaling::none), instance,
                [&](Index blocks) { told += blocks; });

  CHECK(told == 6);  // of 128, 128 and 44 keys: three with themselves, three with another
  CHECK(pair_blocks(300) == 6);
  CHECK(pair_blocks(1) == 1);
}

TEST_CASE("a target of another length is refused", "[unit]") {
  const Instance instance = make_instance({.keys = 3, .dim = 4, .value_dim = 2}, Seed{2}, 0);
  const TableMoments moments = table_moments(population_parameters(instance, 1, 0.5, Scaling::none), instance);

  CHECK_THROWS_AS(target_moments(moments, Vector::Zero(3)), InputError);
}

#include "estimators/error_terms/table_moments.hpp"

#include <Eigen/SVD>

#include <atomic>
#include <chrono>

#include "estimators/population/pair_covariances.hpp"
#include "estimators/population/weights.hpp"
#include "sim/families.hpp"
#include "tests/estimators/population/plain_moments.hpp"
#include "tests/numbers.hpp"
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

TEST_CASE("the stated errors are those of every pair, and of rounding", "[unit]") {
  // 200 keys: blocks of 128 and 72, so that pairs lie within and across blocks.
  const Instance instance = make_instance({.keys = 200, .dim = 8, .value_dim = 3}, Seed{3}, 0);
  const PopulationParameters p = population_parameters(instance, 4, 0.5, Scaling::inverse_sqrt_dim);
  const PairCovariances covariances(p, instance);
  const auto block = covariances.block(0, 200, 0, 200);

  const TableMoments moments = table_moments(p, instance);

  // A weight is g^4, a moment h^4: relative errors of 4 times that of g, and of twice as much.
  const double of_weight = 4 * (covariances.agreement_error() + kUnit);
  const Vector lengths = (instance.values.rowwise() - moments.output.transpose()).rowwise().norm();
  double values = 0, cross = 0, normaliser = 0;
  for (Index i = 0; i < 200; ++i) {
    for (Index j = 0; j < 200; ++j) {
      const double error =
          block.sensitivity(i, j) * covariances.covariance_error() + std::abs(block.covariance(i, j)) * 2 * of_weight;
      values += error * lengths[i] * lengths[j];
      cross += error * lengths[i];
      normaliser += error;
    }
  }
  const auto at_least = [](double stated, double summed) { return stated >= summed * (1 - 1e-9) && summed > 0; };
  CHECK(at_least(moments.values_error, values));
  CHECK(at_least(moments.cross_error, cross));
  CHECK(at_least(moments.normaliser_error, normaliser));
  CHECK(moments.relative_mass_error >= of_weight + 200 * kUnit);
  CHECK(moments.output_error >= (of_weight + 400 * kUnit) * lengths.maxCoeff());
  // No more than rounding on top: some 300 units of each covariance, 420 of the longest value.
  CHECK(moments.normaliser_error <= normaliser + 1000 * kUnit * block.covariance.cwiseAbs().sum());
  CHECK(moments.output_error <=
        of_weight * lengths.maxCoeff() + 420 * kUnit * instance.values.rowwise().norm().maxCoeff());
}

TEST_CASE("a target's moments carry the errors of y_tau and of Z_tau, worked out by hand", "[unit]") {
  TableMoments moments;
  moments.mass = 4;
  moments.output = Vector{{1.0, 0.0}};
  moments.covariance = Matrix{{5, 0, 3}, {0, 7, 0}, {3, 0, 8}};
  moments.relative_mass_error = 0.5 - 0x1p-2;
  moments.output_error = 0.5;
  moments.values_error = 0.25;
  moments.cross_error = 1;
  moments.normaliser_error = 2;

  const TargetMoments at = target_moments(moments, Vector{{-1.0, 0.0}});

  // N - y D = (N - y_tau D) + 2 e_1 D: variances 5 + 2 * 2 * 3 + 4 * 8 and 7, covariance with D 3 + 2 * 8; over 3^2.
  CHECK(at.mass == 3);
  CHECK(at.offset == Vector{{2.0, 0.0}});
  CHECK((at.covariance - Matrix{{49, 0}, {0, 7}} / 9).cwiseAbs().maxCoeff() <= 8 * kUnit * 49);
  CHECK((at.with_normaliser - Vector{{19, 0}} / 9).norm() <= 8 * kUnit * 19);
  // (.25 + 2 * 2.5 * 1 + 2.5^2 * 2 + .5^2 * 10)/9 + 2 * .5 * 19/9
  CHECK(at.error == Approx((20.25 + 19) / 9).epsilon(1e-14));
  CHECK(at.trace == Approx(56.0 / 9 + at.error).epsilon(1e-14));
  CHECK(at.largest_eigenvalue == Approx(49.0 / 9 + at.error).epsilon(1e-14));
  CHECK(at.trace_of_square == Approx(std::pow(std::sqrt(2450.0) / 9 + at.error, 2)).epsilon(1e-14));
  CHECK(at.normaliser_deviation == Approx(std::sqrt(10.0) / 3).epsilon(1e-14));
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

TEST_CASE("the time of a block, times their number, is the time of them all", "[unit]") {
  const Instance instance = make_instance({.keys = 2000, .dim = 16, .value_dim = 4}, Seed{2}, 0);
  const PopulationParameters p = population_parameters(instance, 4, 0.5, Scaling::none);
  double nearest = 1e9;  // ratio of the two, the larger above; the load of the machine may change within one try
  for (int tries = 0; tries < 3; ++tries) {
    const PairTimes times = time_pairs(p, instance);
    const auto start = std::chrono::steady_clock::now();
    table_moments(p, instance);
    const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double told = times.before + times.block * real(pair_blocks(2000));
    nearest = std::min(nearest, std::max(whole / told, told / whole));
  }
  CHECK(nearest < 2);
}

TEST_CASE("a target of another length is refused", "[unit]") {
  const Instance instance = make_instance({.keys = 3, .dim = 4, .value_dim = 2}, Seed{2}, 0);
  const TableMoments moments = table_moments(population_parameters(instance, 1, 0.5, Scaling::none), instance);

  CHECK_THROWS_AS(target_moments(moments, Vector::Zero(3)), InputError);
}

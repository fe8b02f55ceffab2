#include "estimators/error_terms/ratio_limits.hpp"

#include "estimators/population/weights.hpp"
#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("the limits and their errors are those worked out by hand from the moments", "[unit]") {
  TableMoments moments;
  moments.mass = 2;
  moments.output = Vector::Zero(2);
  moments.covariance = Matrix{{5, 1, 3}, {1, 7, -4}, {3, -4, 8}};  // of two values and, last, the normaliser
  moments.relative_mass_error = 0.125;
  moments.output_error = 0.5;
  moments.values_error = 0.25;
  moments.cross_error = 1;
  moments.normaliser_error = 0.75;

  const RatioLimits limits = ratio_limits(moments);

  CHECK(limits.normaliser_variance.value == 8);
  CHECK(limits.normaliser_variance.error == 0.75);
  CHECK(limits.bias == Vector{{-0.75, 1}});   // -(3, -4)/2^2, of length 1.25
  CHECK(limits.bias_error == 1.5625);         // (1 + 8 * .5)/4 + 2 * .125 * 1.25
  CHECK(limits.mean_square.value == 3);       // (5 + 7)/4
  CHECK(limits.mean_square.error == 2.0625);  // .25/4 + 2 * 1.25 * .5 + 2 * .125 * 3
}

TEST_CASE("sixty copies of every key, in several blocks, have the limits of one", "[unit]") {
  constexpr Index kDistinct = 5, kCopies = 60, kKeys = kDistinct * kCopies;
  const Instance few = make_instance({.keys = kDistinct, .dim = 8}, Seed{6}, 0);
  Instance many = few;
  many.keys.resize(kKeys, few.dim());
  many.values.resize(kKeys, few.value_dim());
  for (Index j = 0; j < kKeys; ++j) {  // the copies of a key in a row, so that no two blocks are alike
    many.keys.row(j) = few.keys.row(j / kCopies);
    many.values.row(j) = few.values.row(j / kCopies);
  }
  const PopulationParameters p = population_parameters(few, 3, 0.5, Scaling::inverse_sqrt_dim);

  const RatioLimits one = ratio_limits(p, few), all = ratio_limits(p, many);

  // |Cov_ij| <= min(w_i, w_j), so that its absolute values sum to at most keys times Z_tau, each after 2 keys
  // additions.
  const double total = population_weights(p, many).weights.sum();
  const double rounding = 2 * kKeys * std::numeric_limits<double>::epsilon() * kKeys / total;
  const double spread = 2 * few.values.rowwise().norm().maxCoeff();
  constexpr double kPairs = real(kCopies * kCopies);
  CHECK(std::abs(all.mean_square.value - one.mean_square.value) <=
        all.mean_square.error + one.mean_square.error + rounding * spread * spread);
  CHECK((all.bias - one.bias).norm() <= all.bias_error + one.bias_error + rounding * spread);
  CHECK(std::abs(all.normaliser_variance.value - kPairs * one.normaliser_variance.value) <=
        all.normaliser_variance.error + kPairs * one.normaliser_variance.error + rounding * total * total);
  CHECK(all.mean_square.error <= 1e-9 * one.mean_square.value);
  CHECK(all.bias_error <= 1e-9 * one.bias.norm());
}

TEST_CASE("an instance without keys, or with a value too few, has no limits", "[unit]") {
  Instance instance;
  instance.query = Vector::Ones(2);
  instance.keys = Matrix::Ones(2, 2);
  instance.values = Matrix::Ones(1, 2);
  const PopulationParameters p{1, 0.5, 2, 1, Scaling::none};
  Instance empty = instance;
  empty.keys.resize(0, 2);
  empty.values.resize(0, 2);

  CHECK_THROWS_AS(ratio_limits(p, instance), InputError);
  CHECK_THROWS_AS(ratio_limits(p, empty), InputError);
}

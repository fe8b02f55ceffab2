#include "estimators/population/pair_covariances.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "estimators/population/pair_moment.hpp"
#include "estimators/quadrature.hpp"
#include "sim/number.hpp"
#include "sim/randomness.hpp"

namespace skt {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();

struct Node {
  double x, weight;
};

// Gauss's rule on [-1, 1].
template <unsigned points>
std::vector<Node> gauss_rule() {
  using Rule = boost::math::quadrature::gauss<double, points>;
  std::vector<Node> nodes;
  for (std::size_t k = 0; k < Rule::abscissa().size(); ++k) {  // the non-negative half
    const double x = Rule::abscissa()[k], weight = Rule::weights()[k];
    nodes.push_back({x, weight});
    if (x > 0) nodes.push_back({-x, weight});
  }
  return nodes;
}

// 2 int_0^inf phi(z) f(z) dz on the panels of mean_over_projection. Features nearer to 0 than rounding carry no mass
// and are not resolved.
std::vector<Node> projection_nodes(double scale) {
  const auto rule = gauss_rule<15>();
  std::vector<Node> nodes;
  for_each_panel(0, 10, std::clamp(scale, kUnit, 1.0), [&](double x, double end) {
    const double half = (end - x) / 2;
    for (const Node& node : rule) {
      const double z = (x + end) / 2 + half * node.x;
      const double density = std::numbers::inv_sqrtpi * std::numbers::sqrt2 * std::exp(-z * z / 2);
      nodes.push_back({z, half * node.weight * density});
    }
  });
  return nodes;
}

// How many Gauss points does [begin, end] need when the singularities lie on the imaginary axis? n points err by
// rho^-2n with rho = (sqrt end + sqrt begin)/(sqrt end - sqrt begin): below e^-32 where begin/end >= tanh(8/n)^2, which
// 9 points reach at begin = end/2.
class GaussRules {
 public:
  GaussRules()
      : rules_{gauss_rule<2>(), gauss_rule<3>(), gauss_rule<4>(), gauss_rule<5>(),
               gauss_rule<6>(), gauss_rule<7>(), gauss_rule<8>(), gauss_rule<9>()} {
    for (std::size_t k = 0; k < rules_.size(); ++k) {
      const double t = std::tanh(8.0 / real(k + 2));
      least_ratio_[k] = t * t;
    }
  }
  const std::vector<Node>& for_ratio(double ratio) const {
    std::size_t k = 0;
    while (k + 1 < rules_.size() && ratio < least_ratio_[k]) ++k;
    return rules_[k];
  }

 private:
  std::array<std::vector<Node>, 8> rules_;
  std::array<double, 8> least_ratio_{};
};

// (1 + e)^n - 1 without cancellation, by squaring.
double power_minus_one(double e, Index n) {
  double result = 0;
  for (double factor = e; n > 0; n /= 2, factor *= 2 + factor) {
    if (n % 2 == 1) result += factor + result * factor;
  }
  return result;
}

}  // namespace

PairCovariances::PairCovariances(const PopulationParameters& parameters, const Instance& instance)
    : signal_(plane_signal(parameters)),
      planes_(parameters.planes),
      squared_signal_(
          [this](double sigma) {
            return squared_signal({signal_.norm * sigma, signal_.strength}).value / (sigma * sigma);
          },
          std::fmin(1, signal_.scale()) / 16, 1) {
  fill_keys(parameters, instance);
  fill_features();
  // The sampled deviation with a factor for the pairs not sampled, the interpolant's error and rounding.
  const double full_signal = squared_signal(signal_).value;
  covariance_error_ =
      4 * deviation_from_quadrature(parameters) + full_signal * (squared_signal_.relative_error() + 8 * kUnit);
}

void PairCovariances::fill_keys(const PopulationParameters& parameters, const Instance& instance) {
  const AgreementInterpolant agreement(parameters);
  agreement_error_ = agreement.relative_error();
  const Index keys = instance.num_keys(), dim = instance.dim();
  const Vector direction = unit_or_zero(instance.query, "query");
  units_ = Matrix::Zero(keys, dim + 1);
  keys_.resize(keys);
  weights_.resize(keys);
  for (Index j = 0; j < keys; ++j) {
    const Vector unit = unit_or_zero(instance.keys.row(j), "a key");
    const bool zero = unit.isZero(0);
    units_.row(j).head(dim) = unit;
    units_(j, dim) = zero ? 1 : 0;
    const HalfAngle half = zero ? HalfAngle::of_cosine(0) : HalfAngle::between(unit, direction);
    const double g = agreement(half);
    keys_[j] = {half, g};
    weights_[j] = std::pow(g, real(planes_));
  }
}

void PairCovariances::fill_features() {
  double scale = signal_.scale();
  for (const Key& key : keys_) {
    const double cot = std::abs(key.half.cotangent_of_angle());
    if (cot > 1 && std::isfinite(cot)) scale = std::fmin(scale, 1 / cot);
  }
  const std::vector<Node> nodes = projection_nodes(scale);
  const Index keys = units_.rows();
  const Index count = std::ssize(nodes);
  features_.resize(keys, count);
  std::vector<double> signal(count);
  for (Index m = 0; m < count; ++m) signal[m] = signal_.tanh_beta(nodes[m].x);
#pragma omp parallel for schedule(static)
  for (Index j = 0; j < keys; ++j) {
    const double cot = keys_[j].half.cotangent_of_angle();
    double mean = 0;
    for (Index m = 0; m < count; ++m) {
      const double bit = signal[m] * std::erf(cot * nodes[m].x / std::numbers::sqrt2);
      mean += nodes[m].weight * bit;
      features_(j, m) = bit;
    }
    for (Index m = 0; m < count; ++m) {
      double& feature = features_(j, m);
      feature = std::sqrt(nodes[m].weight) * (feature - mean);
    }
  }
}

PairCovariances::Complements PairCovariances::complements(Index i, Index j, double r) const {
  if (i == j) return {0, 2};
  // A dot product is off by some 1e-16, hence the angle of the keys by that over sqrt(2 (1 - |r|)): at a fiftieth five
  // times as much. Nearer to the poles the difference of the rows is taken, which keeps all digits.
  constexpr double kNearParallel = 0.02;
  if (1 - r < kNearParallel) {
    const double minus = (units_.row(i) - units_.row(j)).squaredNorm() / 2;
    return {minus, 2 - minus};
  }
  if (1 + r < kNearParallel) {
    const double plus = (units_.row(i) + units_.row(j)).squaredNorm() / 2;
    return {2 - plus, plus};
  }
  return {1 - r, 1 + r};
}

// int_gamma^{pi/2} sigma E[T(sigma z)^2] dgamma, halving panels from pi/2 towards the nearer of 0 and pi.
double PairCovariances::turned(const Key& i, const Key& j, Complements r) const {
  static const GaussRules rules;
  const HalfAngle a = i.half, b = j.half;
  const double sines = 4 * a.sine * a.cosine * b.sine * b.cosine;
  if (sines == 0) return 0;
  const double half_difference = std::abs(a.sine * b.cosine - a.cosine * b.sine);  // sin |theta_i - theta_j|/2
  const double half_sum = std::abs(a.cosine * b.cosine - a.sine * b.sine);         // |cos (theta_i + theta_j)/2|
  // sines (1 -+ cos gamma), below 0 by rounding only.
  const double towards = std::fmax(0, r.minus - 2 * half_difference * half_difference);
  const double away = std::fmax(0, r.plus - 2 * half_sum * half_sum);
  const bool acute = towards < away;
  double near = acute ? half_difference : half_sum;
  const double far = acute ? half_sum : half_difference;
  const double root = std::sqrt(sines);
  // sigma bends at near/root. Below rounding it bends nowhere that carries mass.
  if (near <= 16 * kUnit * root) near = 0;
  const double bend = near == 0 ? 0.5 : std::fmin(1, near / root) * std::fmin(1, signal_.scale()) / 16;

  // In t = tan(gamma/2), without sines or cosines. All singularities are on the imaginary axis, at +-i and further out
  // but for those of the bend: without it [0, 1/2] is one panel, whose 9 points err by 8.3^-18.
  const double near_square = near * near, far_square = far * far;
  const double near_slope = near_square + sines, far_start = far_square + sines;
  const double begin = std::sqrt(std::fmin(towards, away) / std::fmax(towards, away));
  double sum = 0;
  for (double end = 1; end > begin;) {
    const double from = end > bend ? std::fmax(begin, end / 2) : begin;
    const double middle = (from + end) / 2, half = (end - from) / 2;
    double panel = 0;
    for (const Node& node : rules.for_ratio(from / end)) {
      const double t = middle + half * node.x, square = t * t;
      const double sigma =
          sines * t / std::sqrt((near_square + near_slope * square) * (far_start + far_square * square));
      panel += node.weight * sigma * sigma * sigma * squared_signal_(sigma) / (1 + square);
    }
    sum += 2 * half * panel;
    end = from;
  }
  return acute ? sum : -sum;
}

double PairCovariances::plane_covariance(Index i, Index j, double r, double given_projection) const {
  const Key &key_i = keys_[i], &key_j = keys_[j];
  return (given_projection + 2 / std::numbers::pi * turned(key_i, key_j, complements(i, j, r))) / 4;
}

PairCovariances::Block PairCovariances::block(Index first_row, Index rows, Index first_column, Index columns) const {
  const Matrix r = units_.middleRows(first_row, rows) * units_.middleRows(first_column, columns).transpose();
  const Matrix given = features_.middleRows(first_row, rows) * features_.middleRows(first_column, columns).transpose();
  const double planes = real(planes_);
  Block result{Matrix(rows, columns), Matrix(rows, columns)};
  for (Index a = 0; a < rows; ++a) {
    for (Index b = 0; b < columns; ++b) {
      const Index i = first_row + a, j = first_column + b;
      const double covariance = plane_covariance(i, j, r(a, b), given(a, b));
      const double product = keys_[i].agreement * keys_[j].agreement;
      const double h = product + covariance, independent = weights_[i] * weights_[j];
      const double relative = covariance / product;
      // h^P - (g_i g_j)^P; where h is more than twice the product, nothing cancels.
      result.covariance(a, b) =
          relative <= 1 ? independent * power_minus_one(relative, planes_) : std::pow(h, planes) - independent;
      result.sensitivity(a, b) = planes * (independent + std::fmax(0, result.covariance(a, b))) / std::fmax(h, product);
    }
  }
  return result;
}

double PairCovariances::deviation_from_quadrature(const PopulationParameters& parameters) const {
  constexpr std::uint32_t kSamples = 8;
  std::vector<std::pair<Index, Index>> sampled;
  double largest = 0;
  for (std::uint32_t s = 0; s < kSamples && keys() > 0; ++s) {
    const auto u = random_uniforms(Seed{0}, {Role::test_draw, 0, 0, s, 0});
    const auto key_at = [&](double share) { return static_cast<Index>(share * real(keys())); };
    const Index i = key_at(u[0]), j = key_at(u[1]);
    const auto is_copy = [&](const std::pair<Index, Index>& of) {
      return units_.row(i) == units_.row(of.first) && units_.row(j) == units_.row(of.second);
    };
    if (std::any_of(sampled.begin(), sampled.end(), is_copy)) continue;  // it deviates as much
    sampled.emplace_back(i, j);
    const Vector unit_i = units_.row(i), unit_j = units_.row(j);
    const double quick = plane_covariance(i, j, unit_i.dot(unit_j), features_.row(i).dot(features_.row(j)));
    const Estimate plain =
        plane_pair_covariance(parameters, keys_[i].half.cosine_of_angle(), keys_[j].half.cosine_of_angle(),
                              HalfAngle::between(unit_i, unit_j).cosine_of_angle());
    largest = std::fmax(largest, std::abs(quick - plain.value) + plain.error);
  }
  return largest;
}

}  // namespace skt

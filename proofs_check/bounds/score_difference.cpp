#include "proofs_check/bounds/score_difference.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/owens_t.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "estimators/population/plane_signal.hpp"
#include "estimators/quadrature.hpp"
#include "proofs_check/rounding.hpp"
#include "sim/matrix.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

// Nodes of 2 int_0^10 phi(z) f(z) dz: those of the Gauss rule first, with its weights and Kronrod's, then those that
// Kronrod's rule adds.
struct Nodes {
  std::vector<double> z, kronrod;
  std::vector<double> gauss;  // as many as the first ones
};

Nodes projection_nodes(double scale) {
  using Kronrod = boost::math::quadrature::gauss_kronrod<double, 31>;
  using Gauss = boost::math::quadrature::gauss<double, 15>;
  Nodes nodes;
  const auto add_panels = [&](std::size_t first) {
    for_each_panel(0, 10, scale, [&](double x, double end) {
      const double middle = (x + end) / 2, half = (end - x) / 2;
      for (std::size_t k = first; k < Kronrod::abscissa().size(); k += 2) {  // from the middle out
        for (const double side : {1.0, -1.0}) {
          if (k == 0 && side < 0) continue;
          const double z = middle + side * half * Kronrod::abscissa()[k];
          const double density = std::numbers::inv_sqrtpi * std::numbers::sqrt2 * std::exp(-z * z / 2);
          nodes.z.push_back(z);
          nodes.kronrod.push_back(half * Kronrod::weights()[k] * density);
          if (first == 0) nodes.gauss.push_back(half * Gauss::weights()[k / 2] * density);
        }
      }
    });
  };
  add_panels(0);  // every second node is Gauss's
  add_panels(1);
  return nodes;
}

// On which scale of z does anything change? Both agree with a probability that bends where the query comes as near to
// the great circle of the keys as its projection is: 1/sqrt of the quadratic form below.
double scale_of(const PlaneSignal& signal, const Competitor& pair) {
  double scale = signal.scale();
  const auto bend = [&](double cot) {
    if (std::abs(cot) > 1 && std::isfinite(cot)) scale = std::fmin(scale, 1 / std::abs(cot));
  };
  bend(pair.cotangent);
  bend(pair.key_cotangent);
  const double r = pair.turn_cosine, sine = std::sqrt((1 - r) * (1 + r));
  if (sine > 0) bend(std::hypot(pair.cotangent, (pair.key_cotangent - r * pair.cotangent) / sine));
  return std::clamp(scale, kUnit, 1.0);
}

using Moments = Eigen::ArrayXXd;  // [degree + 1, degree + 1]

// Powers 0 .. degree of each number, [numbers, degree + 1].
Eigen::MatrixXd powers(const Eigen::ArrayXd& base, int degree) {
  Eigen::MatrixXd table(base.size(), degree + 1);
  table.col(0).setOnes();
  for (int a = 1; a <= degree; ++a) table.col(a) = (table.col(a - 1).array() * base).matrix();
  return table;
}

// base^exponent by squaring: two units for each of the log2(exponent) products.
double whole_power(double base, Index exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) result *= base;
  }
  return result;
}

// E m_i^a m_j^b of one plane, m in units of its largest value 1 + t, and the error of each.
struct PlaneMoments {
  Moments value, error;
};

PlaneMoments plane_moments(const PlaneSignal& signal, const Competitor& pair, int degree) {
  const Nodes nodes = projection_nodes(scale_of(signal, pair));
  const Index count = std::ssize(nodes.z);
  Eigen::ArrayXd both(count), first(count), second(count), neither(count), hit(count), missed(count);
  const double largest = 1 + std::tanh(signal.strength);
  for (Index n = 0; n < count; ++n) {
    const double z = nodes.z[n], miss = signal.miss(z);
    hit(n) = std::min(1.0, 2 * (1 - miss) / largest);
    missed(n) = 2 * miss / largest;
    const double p_i = normal_cdf(pair.cotangent * z), p_j = normal_cdf(pair.key_cotangent * z);
    both(n) = std::clamp(both_agree(pair, z), std::max(0.0, p_i + p_j - 1), std::min(p_i, p_j));
    first(n) = p_i - both(n);
    second(n) = p_j - both(n);
    neither(n) = std::max(0.0, 1 - p_i - second(n));
  }
  const Eigen::MatrixXd up = powers(hit, degree), down = powers(missed, degree);
  // Over the first nodes of a rule: two products, the states of key j summed before those of key i.
  const auto integral = [&](const std::vector<double>& rule) -> Moments {
    const Index nodes_used = std::ssize(rule);
    const Eigen::Map<const Eigen::ArrayXd> weights(rule.data(), nodes_used);
    const auto i = [&](const Eigen::MatrixXd& table) { return table.topRows(nodes_used).transpose(); };
    const auto j = [&](const Eigen::ArrayXd& with_up, const Eigen::ArrayXd& with_down) -> Eigen::MatrixXd {
      return (weights * with_up.head(nodes_used)).matrix().asDiagonal() * up.topRows(nodes_used) +
             (weights * with_down.head(nodes_used)).matrix().asDiagonal() * down.topRows(nodes_used);
    };
    return (i(up) * j(both, first) + i(down) * j(second, neither)).array();
  };
  const Moments value = integral(nodes.kronrod);
  // A base is right to four units, its power to four for each factor and one for each product; sums of positive terms,
  // one unit to a panel and some for the weights; the probabilities are right to 16 units of 1.
  const double relative = (10 * degree + 64) * kUnit;
  return {value, (value - integral(nodes.gauss)).abs() + relative * value + 16 * kUnit};
}

}  // namespace

double both_agree(const Competitor& pair, double z) {
  using boost::math::owens_t;
  const double c_i = pair.cotangent, c_j = pair.key_cotangent, r = pair.turn_cosine;
  const double p_i = normal_cdf(c_i * z), p_j = normal_cdf(c_j * z);
  if (std::isinf(c_i) || std::isinf(c_j)) return p_i * p_j;
  const double sine = std::sqrt((1 - r) * (1 + r));
  if (sine == 0) return r > 0 ? std::min(p_i, p_j) : std::max(0.0, p_i + p_j - 1);
  if (c_i == 0) return p_j / 2 + owens_t(c_j * z, r / sine);
  if (c_j == 0) return p_i / 2 + owens_t(c_i * z, r / sine);
  // Owen 1956.
  const double i = owens_t(c_i * z, (c_j - r * c_i) / (c_i * sine));
  const double j = owens_t(c_j * z, (c_i - r * c_j) / (c_j * sine));
  return (p_i + p_j) / 2 - i - j - (std::signbit(c_i) == std::signbit(c_j) ? 0 : 0.5);
}

ScoreDifference::ScoreDifference(const PopulationParameters& parameters, const Competitor& pair) {
  const PlaneSignal signal = plane_signal(parameters);
  const PlaneMoments one = plane_moments(signal, pair, kDegree);
  const double planes = real(parameters.planes), t = std::tanh(signal.strength);
  range_ = 1 - whole_power((1 - t) / (1 + t), parameters.planes);

  std::array<double, kDegree + 1> inverse_factorial{1};
  for (int k = 1; k <= kDegree; ++k) inverse_factorial[k] = inverse_factorial[k - 1] / k;
  for (int a = 0; a <= kDegree; ++a) {
    for (int b = 0; a + b <= kDegree; ++b) {
      const double moment = one.value(a, b), upper = moment + one.error(a, b);
      const double power = whole_power(moment, parameters.planes), over = inverse_factorial[a] * inverse_factorial[b];
      // The power, the coefficient and its sum with up to 65 others, and Horner's two units for each degree.
      const double rounding = (2 * planes + 70 + 2 * kDegree) * kUnit * power;
      const double error = planes * one.error(a, b) * whole_power(upper, parameters.planes - 1) + rounding;
      coefficients_[a + b] += over * ((b % 2 == 0 ? power : -power) + error);
    }
  }
}

double ScoreDifference::exponential_moment(double u) const {
  double value = 0;
  for (int k = kDegree; k >= 0; --k) value = value * u + coefficients_[k];
  // |e^y - its first terms| <= e^|y| |y|^(n+1)/(n+1)!.
  const double y = u * range_, count = kDegree + 1;
  const double cut = y > 0 ? std::exp(y + count * std::log(y) - std::lgamma(count + 1)) : 0;
  return value + cut;
}

double ScoreDifference::least_moment() const {
  // A convex function of u; the smallest of its bound is sought by golden sections, and any point is a bound.
  constexpr double kLargest = 20;  // beyond, the cut series is worth nothing
  constexpr int kSteps = 40;
  double low = 0, high = kLargest;
  double left = high - (high - low) / std::numbers::phi, right = low + (high - low) / std::numbers::phi;
  double at_left = exponential_moment(left), at_right = exponential_moment(right);
  double least = std::min({1.0, at_left, at_right});
  for (int step = 0; step < kSteps; ++step) {
    if (at_left < at_right) {
      high = right, right = left, at_right = at_left;
      left = high - (high - low) / std::numbers::phi;
      least = std::min(least, at_left = exponential_moment(left));
    } else {
      low = left, left = right, at_left = at_right;
      right = low + (high - low) / std::numbers::phi;
      least = std::min(least, at_right = exponential_moment(right));
    }
  }
  return least;
}

}  // namespace skt

#include "estimators/prediction/soft_score_law.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/FFT>

#include "estimators/population/plane_signal.hpp"
#include "estimators/population/soft_score_moments.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr Index kAngles = 48;          // a law turns from 0 to 1 over a twentieth of a radian and more
constexpr Index kLogPoints = 1 << 14;  // of log s of one table
constexpr Index kPoints = 1 << 16;     // of the sum over tables
constexpr Index kProjections = 4000;   // equally probable values of |z|, the middle of each
constexpr double kLeastLog = -60;      // of one plane: e^-60 is lost beside any other score
constexpr double kReach = 20;          // standard deviations of the sum that the grid covers beyond its mean

// Adds mass at a place between two grid points to both, so that the mean is kept.
void add_mass(std::vector<double>& grid, double place, double mass) {
  const double last = real(std::ssize(grid) - 1);
  const double at = std::clamp(place, 0.0, last);
  const auto low = static_cast<std::size_t>(std::min(std::floor(at), last - 1));
  const double share = at - real(low);
  grid[low] += mass * (1 - share);
  grid[low + 1] += mass * share;
}

std::complex<double> power(std::complex<double> base, Index exponent) {
  std::complex<double> product = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1) product *= base;
  return product;
}

// The sum of `terms` independent variables with this law on a grid from 0; what passes the last point comes back at the
// first, so that there must be room.
std::vector<double> convolved(const std::vector<double>& law, Index terms) {
  Eigen::FFT<double> transform;
  transform.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<std::complex<double>> spectrum;
  transform.fwd(spectrum, law);
  for (std::complex<double>& value : spectrum) value = power(value, terms);
  std::vector<double> sum;
  transform.inv(sum, spectrum, std::ssize(law));
  for (double& mass : sum) mass = std::max(0.0, mass);
  return sum;
}

// |z| of equal probability, and beta there.
struct Projections {
  std::vector<double> z, beta;
  explicit Projections(const PlaneSignal& signal) {
    for (Index i = 0; i < kProjections; ++i) {
      z.push_back(std::numbers::sqrt2 * boost::math::erf_inv((real(i) + 0.5) / real(kProjections)));
      beta.push_back(signal.strength * std::tanh(signal.norm * z.back()));
    }
  }
};

// log sigma(2 b).
double log_score(double b) {
  return b > 0 ? -std::log1p(std::exp(-2 * b)) : 2 * b - std::log1p(std::exp(2 * b));
}

// The grid of log s, of one plane and of their sum alike.
struct LogGrid {
  double least, step;
  LogGrid(const PlaneSignal& signal, Index planes)
      : least(std::max(kLeastLog, log_score(-signal.strength))),
        step(std::max(log_score(signal.strength) - least, 1e-300) / real(kLogPoints / planes - 1)) {}
};

// The law of log s of one table, from that of one plane.
std::vector<double> log_law(const Projections& projections, const LogGrid& grid, Index planes, double angle) {
  const double cot = 1 / std::tan(angle);
  std::vector<double> plane(kLogPoints, 0);
  for (Index i = 0; i < kProjections; ++i) {
    const double same = normal_cdf(cot * projections.z[i]) / real(kProjections);
    const auto place = [&](double beta) { return (std::max(kLeastLog, log_score(beta)) - grid.least) / grid.step; };
    add_mass(plane, place(projections.beta[i]), same);
    add_mass(plane, place(-projections.beta[i]), 1 / real(kProjections) - same);
  }
  return convolved(plane, planes);
}

// P(sum > grid point), half of the point's own mass counted; step: of the grid of the sum.
std::vector<double> tail_of_sum(const std::vector<double>& log_law, const LogGrid& grid, Index planes, Index tables,
                                double step) {
  std::vector<double> table(kPoints, 0);
  for (Index i = 0; i < kLogPoints; ++i)
    add_mass(table, std::exp(real(planes) * grid.least + real(i) * grid.step) / step, log_law[i]);
  std::vector<double> tail = convolved(table, tables);
  double above = 0;
  for (Index i = kPoints - 1; i >= 0; --i) {
    const double mass = tail[i];
    tail[i] = std::min(1.0, above + mass / 2);
    above += mass;
  }
  return tail;
}

// What the sum over tables reaches, with room: never beyond the largest score in every table.
double reach_of_sum(const PopulationParameters& parameters, Index tables, double least_angle) {
  const ScoreMoments one =
      SoftScoreMoments(parameters).of_table({std::sin(least_angle / 2), std::cos(least_angle / 2)});
  const double largest = std::exp(real(parameters.planes) * log_score(plane_signal(parameters).strength));
  const double n = real(tables), spread = std::sqrt(n * one.variance);
  return std::min(n, n * one.mean / largest + kReach * spread / largest + 2) * largest;
}

}  // namespace

SoftScoreLaw::SoftScoreLaw(const PopulationParameters& parameters, Index tables, double least_angle,
                           double most_angle) {
  require(tables >= 1, "tables is {}: allowed are 1 and more", tables);
  require(least_angle >= 0 && least_angle <= most_angle && most_angle <= std::numbers::pi,
          "angles are {} to {}: allowed are 0 to pi, in order", least_angle, most_angle);
  require(parameters.planes <= kMaxPlanes, "planes is {}: allowed are 1 to {}", parameters.planes, kMaxPlanes);
  const PlaneSignal signal = plane_signal(parameters);
  const double step = reach_of_sum(parameters, tables, least_angle) / real(kPoints - 2);
  const LogGrid grid(signal, parameters.planes);
  const Projections projections(signal);
  const double middle = (least_angle + most_angle) / 2, half = std::max((most_angle - least_angle) / 2, 1e-9);
  for (Index k = 0; k < kAngles; ++k) {
    const double turn = std::numbers::pi * (real(k) + 0.5) / real(kAngles);
    angles_.push_back(middle + half * std::cos(turn));
    weights_.push_back((k % 2 == 0 ? 1 : -1) * std::sin(turn));
  }
  above_.resize(kAngles);
#pragma omp parallel for schedule(dynamic, 1)
  for (Index k = 0; k < kAngles; ++k) {
    const double angle = std::clamp(angles_[k], 1e-12, std::numbers::pi - 1e-12);
    above_[k] =
        tail_of_sum(log_law(projections, grid, parameters.planes, angle), grid, parameters.planes, tables, step);
  }
  step_ = step / real(tables);
  most_score_ = step_ * real(kPoints - 1);
}

std::vector<double> SoftScoreLaw::tails(double x) const {
  if (x < 0) return std::vector<double>(above_.size(), 1);
  const double place = std::clamp(x / step_, 0.0, real(kPoints - 1));
  const auto low = static_cast<std::size_t>(std::min(std::floor(place), real(kPoints - 2)));
  const double share = place - real(low);
  std::vector<double> values;
  values.reserve(above_.size());
  for (const std::vector<double>& above : above_) values.push_back((1 - share) * above[low] + share * above[low + 1]);
  return values;
}

double SoftScoreLaw::at_angle(const std::vector<double>& tails, double angle) const {
  double value = 0, weight = 0;
  for (std::size_t k = 0; k < tails.size(); ++k) {
    const double distance = angle - angles_[k];
    if (distance == 0) return tails[k];
    value += weights_[k] / distance * tails[k];
    weight += weights_[k] / distance;
  }
  return std::clamp(value / weight, 0.0, 1.0);
}

}  // namespace skt

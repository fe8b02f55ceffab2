#include "estimators/population/soft_score_moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "estimators/population/plane_signal.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

// E[T^power 1{key on the query's side}] for a key at this angle from the antipode.
Estimate on_same_side(const PlaneSignal& signal, int power, double angle) {
  const double cot = 1 / std::tan(angle);
  const double bend = angle == 0 ? 1 : std::tan(angle);
  return mean_over_projection([&](double z) { return std::pow(signal.tanh_beta(z), power) * normal_cdf(-cot * z); },
                              std::fmin(signal.scale(), bend));
}

Estimate signal_power(const PlaneSignal& signal, int power) {
  return mean_over_projection([&](double z) { return std::pow(signal.tanh_beta(z), power); }, signal.scale());
}

GradedInterpolant share_interpolant(const PopulationParameters& parameters, int power) {
  const PlaneSignal signal = plane_signal(parameters);
  const double whole = signal_power(signal, power).value;
  const auto share = [=](double angle) { return whole > 0 ? on_same_side(signal, power, angle).value / whole : 0; };
  // Below a 16th of the signal's scale the integrand's Taylor polynomial is good to exp(-16^2/2).
  return {share, std::fmin(1, signal.scale()) / 16, std::numbers::pi / 2};
}

// E (s - E s)^3 over tables from that over planes. With m_k = E s^k of a plane it is m_3^P - 3 m_2^P m_1^P + 2 m_1^3P;
// where the score hardly varies, by the excesses of m_2/m_1^2 and m_3/m_1^3 over 1, which keep the small difference.
double third_of_table(const ScoreMoments& plane, double planes) {
  const double m1 = plane.mean, square = m1 * m1, cube = square * m1;
  const double second = plane.variance / square, third = (3 * plane.variance * m1 + plane.third) / cube;
  const double log_second = planes * std::log1p(second), log_third = planes * std::log1p(third);
  if (log_third < 1) return std::pow(cube, planes) * (std::expm1(log_third) - 3 * std::expm1(log_second));
  const double whole = std::pow(m1, planes);
  return std::pow(cube + 3 * plane.variance * m1 + plane.third, planes) -
         3 * std::pow(square + plane.variance, planes) * whole + 2 * whole * whole * whole;
}

}  // namespace

double ScoreMoments::skewness() const {
  const double unit = variance * std::sqrt(variance);
  return unit >= std::numeric_limits<double>::min() ? third / unit : 0;
}

SoftScoreMoments::Signal SoftScoreMoments::signal_of(const PopulationParameters& parameters) {
  const PlaneSignal signal = plane_signal(parameters);
  const auto mean = [&](auto&& f) { return mean_over_projection(f, signal.scale()).value; };
  Signal s;
  s.miss = mean([&](double z) { return signal.miss(z); });
  s.mean = signal_power(signal, 1).value;
  s.cube = signal_power(signal, 3).value;
  s.variance = mean([&](double z) { return std::pow(signal.tanh_beta(z) - s.mean, 2); });
  s.third = mean([&](double z) { return std::pow(signal.tanh_beta(z) - s.mean, 3); });
  return s;
}

SoftScoreMoments::SoftScoreMoments(const PopulationParameters& parameters)
    : planes_(parameters.planes),
      signal_(signal_of(parameters)),
      share_(share_interpolant(parameters, 1)),
      cubed_share_(share_interpolant(parameters, 3)) {
  const PlaneSignal signal = plane_signal(parameters);
  double quadrature = 0;
  for (const int power : {1, 3}) {
    const Estimate whole = signal_power(signal, power);
    const Estimate half = on_same_side(signal, power, std::numbers::pi / 2);
    if (whole.value > 0) quadrature += whole.error / whole.value + half.error / half.value;
  }
  relative_error_ = std::max(share_.relative_error(), cubed_share_.relative_error()) + quadrature;
}

ScoreMoments SoftScoreMoments::of_plane(HalfAngle half) const {
  const bool beyond = half.cosine < half.sine;  // a right angle
  const double angle = 2 * std::asin(std::fmin(half.sine, half.cosine));
  const double p = share_(angle), r = cubed_share_(angle);
  const auto& [miss, c, v, cube, k] = signal_;
  const double agreement = miss + c * p;
  const double third = -k + 2 * cube * r - 6 * c * v * p + 2 * c * c * c * p * (3 - 12 * p + 8 * p * p);
  return {beyond ? agreement : 1 - agreement, v / 4 + c * c * p * (1 - p), (beyond ? third : -third) / 8};
}

ScoreMoments SoftScoreMoments::of_table(HalfAngle half) const {
  const ScoreMoments plane = of_plane(half);
  const double planes = real(planes_), square = plane.mean * plane.mean;
  if (square + plane.variance == 0) return {};
  const double excess = -std::expm1(-planes * std::log1p(plane.variance / square));  // 1 - m_1^2P / m_2^P
  return {std::pow(plane.mean, planes), std::pow(square + plane.variance, planes) * excess,
          third_of_table(plane, planes)};
}

}  // namespace skt

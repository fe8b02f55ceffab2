#include "estimators/error_terms/ratio_limits.hpp"

namespace skt {

RatioLimits ratio_limits(const TableMoments& moments) {
  const Index dim = moments.value_dim();
  const double square = moments.mass * moments.mass;
  const double variance = moments.covariance(dim, dim);
  RatioLimits limits;
  limits.normaliser_variance = {variance, moments.normaliser_error};
  limits.bias = -moments.covariance.col(dim).head(dim) / square;
  // y_tau is known to output_error; Z_tau^2 to twice the relative error of the mass.
  limits.bias_error = (moments.cross_error + std::abs(variance) * moments.output_error) / square +
                      2 * moments.relative_mass_error * limits.bias.norm();
  const double quadratic = moments.covariance.topLeftCorner(dim, dim).trace() / square;
  limits.mean_square = {quadratic, moments.values_error / square + 2 * limits.bias.norm() * moments.output_error +
                                       2 * moments.relative_mass_error * quadratic};
  return limits;
}

RatioLimits ratio_limits(const PopulationParameters& parameters, const Instance& instance) {
  return ratio_limits(table_moments(parameters, instance));
}

}  // namespace skt

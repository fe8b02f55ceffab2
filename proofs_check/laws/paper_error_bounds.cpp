#include "proofs_check/laws/paper_error_bounds.hpp"

#include <cmath>

namespace skt {

double hoeffding_radius(double range, double n, double delta) {
  return range * std::sqrt(std::log(2 / delta) / (2 * n));
}

double vector_hoeffding_radius(double radius, double n, double delta) {
  return radius * std::sqrt(2 * std::log(2 / delta) / n);
}

double normaliser_bound(const BoundConstants& c, double tables, double delta_tables) {
  return hoeffding_radius(c.occupancy, tables, delta_tables / 2);
}

double numerator_bound(const BoundConstants& c, double tables, double delta_tables) {
  return vector_hoeffding_radius(2 * c.spectral_norm * std::sqrt(c.occupancy), tables, delta_tables / 2);
}

double required_tables(const BoundConstants& c, double delta_tables) {
  const double ratio = c.occupancy / c.population_mass;
  return 2 * ratio * ratio * std::log(4 / delta_tables);
}

double finite_table_constant(const BoundConstants& c) {
  const double b = c.occupancy;
  const double z = c.population_mass;
  return 4 * std::sqrt(2 * b) / z + std::sqrt(2.0) * b * std::sqrt(b) / (z * z);
}

double sampling_bound(const BoundConstants& c, double samples, double delta_samples) {
  return c.spectral_norm * std::sqrt(8 * std::log(2 / delta_samples) / samples);
}

double finite_table_bound(const BoundConstants& c, double tables, double delta_tables) {
  return finite_table_constant(c) * c.spectral_norm * std::sqrt(std::log(4 / delta_tables) / tables);
}

double bias_bound(const BoundConstants& c) {
  const double b = c.occupancy;
  return 2 * b * (1 / c.population_mass + std::sqrt(b) / (c.angular_mass * c.population_mass)) * c.epsilon *
         c.spectral_norm;
}

double repaired_bias_bound(double occupied_miss, double population_mass, double largest_value) {
  return 2 * occupied_miss / population_mass * largest_value;
}

ErrorTerms end_to_end_bound(const BoundConstants& c, double tables, double samples, double delta_tables,
                            double delta_samples) {
  return {.sampling = sampling_bound(c, samples, delta_samples),
          .finite_table = finite_table_bound(c, tables, delta_tables),
          .bias = bias_bound(c)};
}

}  // namespace skt

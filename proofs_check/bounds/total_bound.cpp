#include "proofs_check/bounds/total_bound.hpp"

#include <cmath>

namespace skt {

double total_error_bound(double table_radius, const SamplingLaw& law, Index samples, double delta_samples) {
  const double bound = squared_sampling_error(law, samples, table_radius).bound(delta_samples);
  return std::isinf(table_radius) ? table_radius : bound;
}

double total_error_bound_at(const Vector& offset, const SamplingLaw& law, Index samples, double delta) {
  return squared_sampling_error_at(offset, law, samples).bound(delta);
}

}  // namespace skt

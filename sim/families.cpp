#include "sim/families.hpp"

#include "sim/learned_heads.hpp"
#include "sim/random_families.hpp"
#include "sim/require.hpp"
#include "sim/tight_families.hpp"

namespace skt {

Instance make_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  require_allowed(p);
  switch (p.family) {
    case InstanceFamily::gaussian:
      return gaussian_instance(p, seed, trial);
    case InstanceFamily::unit_sphere:
      return unit_sphere_instance(p, seed, trial);
    case InstanceFamily::needle:
      return needle_instance(p, seed, trial);
    case InstanceFamily::clustered:
      return clustered_instance(p, seed, trial);
    case InstanceFamily::anisotropic:
      return anisotropic_instance(p, seed, trial);
    case InstanceFamily::rotary_low_rank:
      return rotary_low_rank_instance(p, seed, trial);
    case InstanceFamily::attention_sink:
      return attention_sink_instance(p, seed, trial);
    case InstanceFamily::sink_mean:
      return sink_mean_instance(p, seed, trial);
    case InstanceFamily::copies:
      return copies_instance(p);
    case InstanceFamily::two_sided:
      return two_sided_instance(p);
    case InstanceFamily::antipodal:
      return antipodal_instance(p);
    case InstanceFamily::grid:
      return grid_instance(axis_planes(p.planes, p.dim), p, seed, trial);
    case InstanceFamily::orthogonal_values:
      return orthogonal_values_instance(p, seed, trial);
    case InstanceFamily::rademacher:
      return rademacher_instance(p);
    case InstanceFamily::clustered_values:
      return clustered_values_instance(p, seed, trial);
    case InstanceFamily::learned:
      return learned_instance(p, seed, trial);
  }
  refuse("instance family: not one of the enumeration");
}

Matrix calibration_queries(FamilyParameters parameters, Seed seed, std::uint32_t trial) {
  constexpr std::uint32_t kCalibrationQueries = 16;
  if (parameters.family == InstanceFamily::learned) return other_queries(parameters, seed, trial, kCalibrationQueries);
  parameters.keys = parameters.needles;
  Matrix queries(kCalibrationQueries, parameters.dim);
  for (std::uint32_t i = 0; i < kCalibrationQueries; ++i) {
    queries.row(i) = make_instance(parameters, derive_seed(seed, 2), trial * kCalibrationQueries + i).query;
  }
  return queries;
}

}  // namespace skt

#include "proofs_check/inequalities/bias_proof_steps.hpp"

#include <cmath>

namespace skt {

double weight_gap_1(const BiasCase& c) {
  return c.weight_gap().lpNorm<1>();
}
double weight_gap_2(const BiasCase& c) {
  return c.weight_gap().norm();
}
double weight_gap_max(const BiasCase& c) {
  return c.weight_gap().lpNorm<Eigen::Infinity>();
}
double mass_gap(const BiasCase& c) {
  return std::abs(c.p.angular_mass - c.p.soft_mass);
}
double angular_norm(const BiasCase& c) {
  return c.p.angular.norm();
}
double angular_mass(const BiasCase& c) {
  return c.p.angular_mass;
}
double share_gap(const BiasCase& c) {
  return c.share_gap().norm();
}
double share_gap_1(const BiasCase& c) {
  return c.share_gap().lpNorm<1>();
}
double output_gap(const BiasCase& c) {
  return c.output_gap();
}

double twice_b_eps(const BiasCase& c) {
  return 2 * c.occupancy * c.epsilon();
}
double once_b_eps(const BiasCase& c) {
  return c.occupancy * c.epsilon();
}
double root_2b_eps(const BiasCase& c) {
  return std::sqrt(2 * c.occupancy) * c.epsilon();
}
double only_eps(const BiasCase& c) {
  return c.epsilon();
}
double root_of_mass(const BiasCase& c) {
  return std::sqrt(c.p.angular_mass);
}
double only_b(const BiasCase& c) {
  return c.occupancy;
}
double share_gap_times_spectral(const BiasCase& c) {
  return c.constants().spectral_norm * share_gap(c);
}
double triangle_of_shares(const BiasCase& c) {
  return weight_gap_2(c) / c.p.soft_mass + mass_gap(c) * angular_norm(c) / (c.p.soft_mass * c.p.angular_mass);
}
double share_bound(const BiasCase& c) {
  BoundConstants constants = c.constants();
  constants.spectral_norm = 1;
  return bias_bound(constants);
}
double output_bound(const BiasCase& c) {
  return bias_bound(c.constants());
}
double sharper_share_bound(const BiasCase& c) {
  return repaired_bias_bound(c.occupancy * c.epsilon(), c.p.soft_mass, 1);
}
double sharper_output_bound(const BiasCase& c) {
  return repaired_bias_bound(c.occupancy * c.epsilon(), c.p.soft_mass, c.largest_value());
}
double twice_occupied_miss(const BiasCase& c) {
  return 2 * c.occupied_miss;
}
double own_buckets_bound(const BiasCase& c) {
  return repaired_bias_bound(c.occupied_miss, c.p.soft_mass, c.largest_value());
}

std::vector<BiasProofStep> bias_proof_steps() {
  return {{"S002-E33", output_gap, share_gap_times_spectral},
          {"S002-E35", share_gap, triangle_of_shares},
          {"S002-E40", weight_gap_1, twice_b_eps},
          {"S002-E40-own-buckets", weight_gap_1, twice_occupied_miss},
          {"S002-E41", weight_gap_2, weight_gap_1},
          {"S002-E41-sharper", weight_gap_2, root_2b_eps},
          {"S002-E41-largest-gap", weight_gap_max, only_eps},
          {"S002-E42", mass_gap, twice_b_eps},
          {"S002-E42-sharper", mass_gap, once_b_eps},
          {"S002-ZB", angular_mass, only_b},
          {"S002-E43", angular_norm, root_of_mass},
          {"S002-E44", share_gap, share_bound},
          {"S002-E44-sharper", share_gap_1, sharper_share_bound},
          {"S002-L11", output_gap, output_bound},
          {"S002-L11-sharper", output_gap, sharper_output_bound},
          {"S002-L11-own-buckets", output_gap, own_buckets_bound}};
}

}  // namespace skt

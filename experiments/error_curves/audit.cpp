#include "experiments/error_curves/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>

#include "estimators/collision_scores.hpp"
#include "estimators/occupancy.hpp"
#include "estimators/population/angular_kernel.hpp"
#include "estimators/value_sampling.hpp"
#include "estimators/weighted_output.hpp"
#include "experiments/error_curves/temperature_search.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/statistics/quantiles.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kSaturated = 0.99;  // |tanh| from which on a plane counts as saturated
constexpr int kAscents = 8;          // starts of the search for the fullest half-space
constexpr double kValueNormBits = 16;

// The score as bfloat16 holds it: eight significant bits, to nearest, ties to even.
std::uint32_t as_bfloat16(double score) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(score));
  return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

// 1/sum of squared shares of equal values: n for n values equally often.
template <class Key>
double effective_number(const Vector& scores, Key&& key) {
  std::map<std::uint32_t, double> count;
  for (const double score : scores) count[key(score)] += 1;
  double squares = 0;
  for (const auto& [value, n] : count) squares += n * n;
  const auto total = real(scores.size());
  return total * total / squares;
}

double sampling_mean_square(const Vector& weights, const Matrix& values) {
  return ValueSampler(weights, values).mean_squared_error(1);
}

// Smallest n with coefficient/sqrt(n) <= level.
double smallest_count(double coefficient, double level) {
  return std::max(1.0, std::ceil(std::pow(coefficient / level, 2)));
}

// Up to which temperature the bias bound keeps a level.
double bound_temperature(const Instance& instance, const Setting& setting, const Centre& centre, Index occupancy,
                         double level) {
  return largest_temperature(instance, setting, level, [&](const AtTemperature& at) {
    BoundConstants c = centre.constants(real(occupancy));
    c.population_mass = at.population_mass;
    c.epsilon = at.epsilon;
    return bias_bound(c);
  });
}

Thresholds bound_thresholds(const Instance& instance, const Setting& setting, const Centre& centre, Index occupancy,
                            double delta, double level) {
  const BoundConstants c = centre.constants(real(occupancy));
  return {smallest_count(finite_table_bound(c, 1, delta / 2), level),
          smallest_count(sampling_bound(c, 1, delta / 2), level),
          bound_temperature(instance, setting, centre, occupancy, level)};
}

// The thresholds of L and M at the temperature that a third of the level leaves to the bias, if that is lower.
Thresholds bound_thresholds_together(const Instance& instance, Setting setting, Centre centre, Index occupancy,
                                     double delta, double level) {
  const double third = level / 3;
  setting.temperature = std::min(setting.temperature, bound_temperature(instance, setting, centre, occupancy, third));
  const AtTemperature at = at_temperature(instance, setting, setting.temperature);
  centre.population_mass = at.population_mass;
  const BoundConstants c = centre.constants(real(occupancy));
  return {
      std::max(smallest_count(finite_table_bound(c, 1, delta / 2), third), std::ceil(required_tables(c, delta / 2))),
      smallest_count(sampling_bound(c, 1, delta / 2), third), setting.temperature};
}

double bias_at(const AtTemperature& at, const Centre& centre) {
  return (at.population_output - centre.angular_output).norm();
}

void add_error_thresholds(const Instance& instance, double target, SettingAudit& audit) {
  const double level = target * audit.trivial;
  const auto limit = [&](double least) {
    return largest_temperature(instance, audit.setting, least,
                               [&](const AtTemperature& at) { return bias_at(at, audit.centre); });
  };
  const auto counts = [](const Setting& setting, const Centre& centre, double wanted, double at_one_sample) {
    return Thresholds{smallest_count(std::sqrt(centre.tables.mean_square.value), wanted),
                      smallest_count(at_one_sample, wanted), setting.temperature};
  };
  const double one_sample = audit.sampling * std::sqrt(real(audit.setting.samples)) * audit.trivial;
  audit.alone = counts(audit.setting, audit.centre, level, one_sample);
  audit.alone.temperature = limit(level);

  // Mean squares add, up to the order 1/L: a third of the square each.
  const double share = level / std::numbers::sqrt3;
  Setting cooler = audit.setting;
  cooler.temperature = std::min(cooler.temperature, limit(share));
  if (cooler.temperature == audit.setting.temperature) {
    audit.together = counts(cooler, audit.centre, share, one_sample);
    return;
  }
  const PopulationParameters parameters =
      population_parameters(instance, cooler.planes, cooler.temperature, cooler.scaling);
  const Vector weights = population_weights(parameters, instance).weights;
  Centre centre;
  centre.tables = ratio_limits(parameters, instance);
  audit.together = counts(cooler, centre, share, std::sqrt(sampling_mean_square(weights, instance.values)));
}

Index quantile_occupancy(const std::vector<double>& fullest, Index tables, double delta) {
  return static_cast<Index>(std::ceil(sample_quantile(fullest, std::pow(1 - delta / 2, 1 / real(tables)))));
}

void require(bool allowed, const std::string& what) {
  if (!allowed) refuse("{}", what);
}

void check(const AuditPlan& plan) {
  require(!plan.planes.empty() && !plan.temperatures.empty(), "--planes and --temperatures: at least one of each");
  for (const Index p : plan.planes)
    require(p >= 1 && p <= kMaxPlanes, fmt::format("--planes is {}: allowed are 1 to {}", p, kMaxPlanes));
  for (const double t : plan.temperatures)
    require(t > 0 && std::isfinite(t), fmt::format("--temperatures: {}: allowed are finite numbers above 0", t));
  require(plan.family.keys >= 2, fmt::format("--keys is {}: allowed are 2 and more", plan.family.keys));
  require(plan.tables >= 1, fmt::format("--tables is {}: allowed are 1 and more", plan.tables));
  require(plan.samples >= 0,
          fmt::format("--samples is {}: allowed are 0 (a tenth of the keys) and more", plan.samples));
  require(plan.delta > 0 && plan.delta < 1, fmt::format("--delta is {}: allowed is above 0 and below 1", plan.delta));
  require(plan.target > 0 && std::isfinite(plan.target),
          fmt::format("--target is {}: allowed are finite numbers above 0", plan.target));
  require(plan.trials >= 2, fmt::format("--trials is {}: allowed are 2 and more", plan.trials));
}

SettingAudit audit_setting(const Instance& instance, const AuditPlan& plan, const Setting& setting,
                           Index sure_occupancy, Seed seed) {
  SettingAudit audit = population_audit(instance, setting);
  audit.centre.tables =
      ratio_limits(population_parameters(instance, setting.planes, setting.temperature, setting.scaling), instance);
  audit.finite_tables = std::sqrt(audit.centre.tables.mean_square.value / real(setting.tables)) / audit.trivial;
  add_error_thresholds(instance, plan.target, audit);
  ProgressMeter meter(fmt::format("audit P={} tau={}", setting.planes, setting.temperature), plan.trials);
  audit.measured = measure_terms(instance, setting, audit.centre, seed, {plan.trials, 8}, meter);
  audit.tables = table_statistics(instance, setting, seed, plan.trials);

  const auto first = audit.tables.occupancy.begin();
  const Index realised = static_cast<Index>(*std::max_element(first, first + setting.tables));
  const Index occupancies[] = {realised, quantile_occupancy(audit.tables.occupancy, setting.tables, plan.delta),
                               sure_occupancy};
  for (std::size_t r = 0; r < audit.bounds.size(); ++r) {
    audit.bounds[r] = audit_bound(instance, setting, audit.centre, occupancies[r], plan.delta);
    audit.bounds[r].reading = static_cast<OccupancyReading>(r);
  }
  return audit;
}

}  // namespace

std::string name_of(OccupancyReading reading) {
  switch (reading) {
    case OccupancyReading::realised:
      return "realised";
    case OccupancyReading::quantile:
      return "quantile";
    case OccupancyReading::almost_sure:
      return "almost-sure";
  }
  return "";
}

void TableStatistics::merge(const TableStatistics& later) {
  keys_never_hit.merge(later.keys_never_hit);
  distinct_scores.merge(later.distinct_scores);
  distinct_hard_counts.merge(later.distinct_hard_counts);
  occupancy.insert(occupancy.end(), later.occupancy.begin(), later.occupancy.end());
}

double SettingAudit::bits_per_token() const {
  return real(setting.tables * setting.planes) + kValueNormBits;
}

TableStatistics table_statistics(const Instance& instance, const Setting& setting, Seed seed, std::uint64_t trials) {
  const auto one_trial = [&](std::uint64_t trial, TableStatistics& into) {
    const Hyperplanes hyperplanes =
        draw_hyperplanes(seed, static_cast<std::uint32_t>(trial), setting.tables, setting.planes, instance.dim());
    const KeyCodes codes = hash_keys(hyperplanes, instance.keys);
    const Vector soft = soft_scores(hyperplanes, codes, instance.query, {setting.temperature, setting.scaling});
    const Vector hard = hard_scores(hyperplanes, codes, instance.query);
    into.keys_never_hit.add((hard.array() == 0).cast<double>().mean());
    into.distinct_scores.add(effective_number(soft, as_bfloat16));
    into.distinct_hard_counts.add(effective_number(hard, [](double n) { return static_cast<std::uint32_t>(n); }));
    for (const Index fullest : fullest_buckets(codes)) into.occupancy.push_back(real(fullest));
  };
  return run_trials(trials, TableStatistics{}, one_trial, 1);
}

BoundAudit audit_bound(const Instance& instance, const Setting& setting, const Centre& centre, Index occupancy,
                       double delta) {
  const BoundConstants constants = centre.constants(real(occupancy));
  const ErrorTerms terms =
      end_to_end_bound(constants, real(setting.tables), real(setting.samples), delta / 2, delta / 2);
  BoundAudit audit;
  audit.occupancy = occupancy;
  audit.required_tables = required_tables(constants, delta / 2);
  audit.over_trivial = {terms.sampling / centre.largest_value, terms.finite_table / centre.largest_value,
                        terms.bias / centre.largest_value};
  audit.alone = bound_thresholds(instance, setting, centre, occupancy, delta, centre.largest_value);
  audit.together = bound_thresholds_together(instance, setting, centre, occupancy, delta, centre.largest_value);
  return audit;
}

SettingAudit population_audit(const Instance& instance, const Setting& setting) {
  SettingAudit audit;
  audit.setting = setting;
  audit.centre = population_centre(instance, setting);
  audit.trivial = audit.centre.largest_value;
  // w.q is normal with deviation |q|.
  audit.saturated_planes = std::erfc(std::atanh(kSaturated) / instance.query.norm() / std::numbers::sqrt2);
  // One table brings a key and the query together with the probability of its angular weight.
  const double tables = real(setting.tables);
  audit.keys_never_hit = (1 - angular_weights(instance, setting.planes).array()).pow(tables).mean();

  const Vector plain = instance.values.colwise().mean().transpose();
  const Vector angular = audit.centre.angular_output - plain, population = audit.centre.population_output - plain;
  audit.recovered = population.dot(angular) / angular.squaredNorm();
  audit.angular_deviation = angular.norm() / audit.trivial;
  audit.population_deviation = population.norm() / audit.trivial;
  const PopulationParameters parameters =
      population_parameters(instance, setting.planes, setting.temperature, setting.scaling);
  const Vector weights = population_weights(parameters, instance).weights;
  audit.sampling = std::sqrt(sampling_mean_square(weights, instance.values) / real(setting.samples)) / audit.trivial;
  audit.bias = audit.centre.bias.value / audit.trivial;
  return audit;
}

Audit run_audit(const AuditPlan& plan, Seed seed) {
  check(plan);
  const Instance instance = make_instance(plan.family, seed, 0);
  Audit audit{plan, instance.query.norm(), {}};
  const Index sure = half_space_occupancy_at_least(instance.keys, derive_seed(seed, 1), kAscents);
  for (const Index planes : plan.planes) {
    for (const double temperature : plan.temperatures) {
      const Index samples = plan.samples > 0 ? plan.samples : std::max<Index>(1, plan.family.keys / 10);
      const Setting setting{planes, plan.tables, samples, temperature, plan.scaling};
      audit.settings.push_back(audit_setting(instance, plan, setting, sure, derive_seed(seed, 2)));
    }
  }
  return audit;
}

}  // namespace skt

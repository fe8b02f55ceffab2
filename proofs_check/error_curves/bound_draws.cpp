#include "proofs_check/error_curves/bound_draws.hpp"

#include <algorithm>
#include <cmath>

#include "estimators/key_codes.hpp"
#include "estimators/occupancy.hpp"
#include "estimators/population/angular_kernel.hpp"
#include "estimators/population/weights.hpp"
#include "estimators/tables/table_sums.hpp"
#include "estimators/value_sampling.hpp"
#include "proofs_check/bounds/a_priori_bounds.hpp"
#include "proofs_check/bounds/bias_bounds.hpp"
#include "proofs_check/bounds/drawn_table_bounds.hpp"
#include "proofs_check/bounds/fresh_tables.hpp"
#include "proofs_check/bounds/sampling_bounds.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/statistics/quantiles.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

// Of the total, the share of delta that the tables get: their error is small beside that of the sampling.
constexpr double kTablesShareOfTotal = 0.15;

// Draws of L tables that the kurtosis at y* is estimated from: 1,200 tables at L = 60.
constexpr std::uint64_t kDrawsOfKurtosis = 20;

// A length and a radius for it, draw by draw.
struct Lengths {
  std::vector<double> error, radius;

  void add(double length, double bound) {
    error.push_back(length);
    radius.push_back(bound);
  }
  void merge(const Lengths& later) {
    error.insert(error.end(), later.error.begin(), later.error.end());
    radius.insert(radius.end(), later.radius.begin(), later.radius.end());
  }
};

struct DrawsOfSetting {
  Lengths certified, exponential, sampling, total, total_at;
  Moments occupied_miss;
  std::vector<Index> fullest;  // bucket of each draw

  void merge(const DrawsOfSetting& later) {
    certified.merge(later.certified);
    exponential.merge(later.exponential);
    sampling.merge(later.sampling);
    total.merge(later.total);
    total_at.merge(later.total_at);
    occupied_miss.merge(later.occupied_miss);
    fullest.insert(fullest.end(), later.fullest.begin(), later.fullest.end());
  }
};

struct DrawsOfAll {
  std::vector<DrawsOfSetting> of;
  void merge(const DrawsOfAll& later) {
    for (std::size_t i = 0; i < of.size(); ++i) of[i].merge(later.of[i]);
  }
};

// What does not change with the draws.
struct Fixed {
  TargetMoments at;             // y_tau
  double estimated = 0;         // Corollary 3 with the kurtosis of the fresh tables
  double certified = 0;         // Corollary 4(ii)
  double tables_of_total = 0;   // ||y_{tau,L} - y*||: Corollary 3 at y*, its kurtosis estimated
  double delta_of_samples = 0;  // what the total leaves to the samples: (1 - .)(1 - .) = 1 - delta
};

// Of zeta at a target, estimated from tables of draws of its own.
double sampled_kurtosis(const Instance& instance, const Setting& setting, const Vector& target, const TargetMoments& at,
                        Seed seed) {
  const auto one_draw = [&](std::uint32_t trial, Moments& fourth) {
    const Hyperplanes hyperplanes = draw_hyperplanes(seed, trial, setting.tables, setting.planes, instance.dim());
    const TableSums sums = table_sums(hyperplanes, hash_keys(hyperplanes, instance.keys), instance.query,
                                      instance.values, {setting.temperature, setting.scaling});
    for (Index l = 0; l < sums.tables(); ++l) {
      const Vector zeta = (sums.numerators.row(l).transpose() - target * sums.normalisers(l)) / at.mass;
      fourth.add(std::pow((zeta - at.offset).squaredNorm(), 2));
    }
  };
  const Moments fourth = run_trials(kDrawsOfKurtosis, Moments{}, one_draw, 1);
  return std::max(1.0, fourth.mean() / (at.trace * at.trace));
}

Fixed fixed_of(const Instance& instance, const BoundSetting& s, Seed seed, const BoundEffort& effort,
               const FreshTablesProgress& progress) {
  Fixed fixed;
  fixed.at = target_moments(s.moments, s.centre.population_output);
  const FreshTables fresh = draw_fresh_tables(instance, s.moments, population_parameters(instance, s.setting),
                                              derive_seed(seed, 1), effort.fresh_tables, progress);
  const CertifiedLaw law = certified_law(fresh);
  const double tables = real(s.setting.tables), delta_of_tables = kTablesShareOfTotal * effort.delta;
  fixed.estimated = a_priori_bound(fixed.at, law.kurtosis_estimate, tables, effort.delta);
  fixed.certified = certified_a_priori_bound(law, fixed.at, tables, effort.delta);
  const Vector& angular = s.centre.angular_output;
  const TargetMoments at_angular = target_moments(s.moments, angular);
  const double kurtosis = sampled_kurtosis(instance, s.setting, angular, at_angular, derive_seed(seed, 2));
  fixed.tables_of_total = a_priori_bound(at_angular, kurtosis, tables, delta_of_tables);
  fixed.delta_of_samples = 1 - (1 - effort.delta) / (1 - delta_of_tables);
  return fixed;
}

void add_draw(const Instance& instance, const BoundSetting& s, const Fixed& fixed, const Hyperplanes& hyperplanes,
              const KeyCodes& codes, std::uint32_t trial, Seed seed, double delta, DrawsOfSetting& into) {
  const SocketParameters parameters{s.setting.temperature, s.setting.scaling};
  const TableSums sums = table_sums(hyperplanes, codes, instance.query, instance.values, parameters);
  const Vector& population = s.centre.population_output;
  const double tables_error = (sums.output() - population).norm();
  into.certified.add(tables_error, certified_bound(sums, fixed.at, delta));
  into.exponential.add(tables_error, exponential_bound(sums, population, fixed.at, delta));

  const Vector weights = soft_scores(hyperplanes, codes, instance.query, parameters);
  const SamplingLaw law = sampling_law(weights, instance.values);
  const Vector drawn = ValueSampler(weights, instance.values).draw(seed, trial, s.setting.samples);
  into.sampling.add((drawn - law.mean).norm(), sampling_error_bound(law, s.setting.samples, delta));
  const Vector& angular = s.centre.angular_output;
  const double total_error = (drawn - angular).norm();
  into.total.add(total_error, total_error_bound(fixed.tables_of_total, law, s.setting.samples, fixed.delta_of_samples));
  into.total_at.add(total_error, total_error_bound_at(law.mean - angular, law, s.setting.samples, delta));

  const BucketLoad load = bucket_load(hyperplanes, codes, instance.query, parameters);
  into.occupied_miss.add(load.occupied_miss);
  into.fullest.push_back(load.fullest);
}

// The comparisons of one setting, term by term.
class Comparison {
 public:
  Comparison(const Instance& instance, const BoundSetting& s, const Fixed& fixed, const DrawsOfSetting& draws,
             const BoundEffort& effort)
      : instance_(instance), s_(s), fixed_(fixed), draws_(draws), effort_(effort) {}

  BoundComparison all() {
    result_.setting = s_.setting;
    result_.occupied_miss = draws_.occupied_miss.mean();
    result_.occupancy = draws_.fullest.front();
    result_.sure_occupancy = std::max({(instance_.num_keys() + 1) / 2, effort_.half_space,
                                       *std::max_element(draws_.fullest.begin(), draws_.fullest.end())});
    const double delta = effort_.delta, tables = real(s_.setting.tables), samples = real(s_.setting.samples);
    const BoundConstants drawn = bound_constants(s_.centre, result_.occupancy);
    const BoundConstants sure = bound_constants(s_.centre, result_.sure_occupancy);

    add_drawn(Term::finite_tables, "Theorem 1(b)", Guarantee::proved, draws_.certified);
    add_drawn(Term::finite_tables, "Theorem 2", Guarantee::proved, draws_.exponential);
    add(Term::finite_tables, "Corollary 3", Guarantee::estimated, draws_.certified.error, fixed_.estimated);
    add(Term::finite_tables, "Corollary 4", Guarantee::proved, draws_.certified.error, fixed_.certified);
    add_printed(Term::finite_tables, draws_.certified.error, finite_table_bound(drawn, tables, delta),
                finite_table_bound(sure, tables, delta));
    add_drawn(Term::sampling, "Theorem 7(a)", Guarantee::proved, draws_.sampling);
    add(Term::sampling, "printed", Guarantee::printed, draws_.sampling.error, sampling_bound(drawn, samples, delta));
    add_bias(drawn, sure);
    add_drawn(Term::total, "Theorem 9(b)", Guarantee::proved, draws_.total_at);
    add_drawn(Term::total, "Theorem 9(a)", Guarantee::estimated, draws_.total);
    const auto printed = [&](const BoundConstants& c) {
      return end_to_end_bound(c, tables, samples, delta / 2, delta / 2);
    };
    add_printed(Term::total, draws_.total.error, printed(drawn).total(), printed(sure).total());
    add(Term::total, "repaired", Guarantee::estimated, draws_.total.error,
        printed(sure).sampling + printed(sure).finite_table + repaired());
    return result_;
  }

 private:
  double repaired() const {
    return repaired_bias_bound(result_.occupied_miss, s_.centre.population_mass, s_.centre.largest_value);
  }

  void add(Term term, const std::string& name, Guarantee guarantee, const std::vector<double>& errors, double radius) {
    add_drawn(term, name, guarantee, {errors, std::vector<double>(errors.size(), radius)});
  }

  void add_printed(Term term, const std::vector<double>& errors, double drawn, double sure) {
    add(term, "printed, B drawn", Guarantee::printed, errors, drawn);
    add(term, "printed, B sure", Guarantee::printed, errors, sure);
  }

  void add_drawn(Term term, const std::string& name, Guarantee guarantee, const Lengths& lengths) {
    ComparedBound bound{.term = term, .name = name, .guarantee = guarantee};
    const double level = 1 - effort_.delta;
    bound.quantile = sample_quantile(lengths.error, level);
    bound.quantile_interval = quantile_interval(lengths.error, level, effort_.error_share);
    std::vector<double> radii = lengths.radius;
    std::nth_element(radii.begin(), radii.begin() + std::ssize(radii) / 2, radii.end());
    bound.radius = radii[radii.size() / 2];
    for (std::size_t i = 0; i < lengths.error.size(); ++i) bound.misses += !(lengths.error[i] <= lengths.radius[i]);
    bound.miss_rate = clopper_pearson(bound.misses, lengths.error.size(), effort_.error_share);
    result_.bounds.push_back(std::move(bound));
  }

  // Not random: a radius beside the exact length.
  void add_length(const std::string& name, Guarantee guarantee, double radius) {
    const double length = s_.centre.bias.value;
    result_.bounds.push_back({Term::bias, name, guarantee, length, {length, length}, radius, !(length <= radius), {}});
  }

  void add_bias(const BoundConstants& drawn, const BoundConstants& sure) {
    const Vector population = population_weights(population_parameters(instance_, s_.setting), instance_).weights;
    const Vector angular = angular_weights(instance_, s_.setting.planes);
    add_length("Theorem 8(i)", Guarantee::proved, bias_bound_by_chi_square(angular, population, instance_.values));
    add_length("repaired", Guarantee::estimated, repaired());
    add_length("printed, B drawn", Guarantee::printed, bias_bound(drawn));
    add_length("printed, B sure", Guarantee::printed, bias_bound(sure));
  }

  const Instance& instance_;
  const BoundSetting& s_;
  const Fixed& fixed_;
  const DrawsOfSetting& draws_;
  const BoundEffort& effort_;
  BoundComparison result_;
};

Index widest_of(const std::vector<BoundSetting>& settings, Index drawn_planes) {
  Index widest = drawn_planes;
  for (const BoundSetting& s : settings) {
    require(s.setting.tables == settings.front().setting.tables,
            "settings of {} and {} tables: allowed is one number of tables", settings.front().setting.tables,
            s.setting.tables);
    widest = std::max(widest, s.setting.planes);
  }
  return widest;
}

}  // namespace

std::string name_of(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::proved:
      return "proved";
    case Guarantee::estimated:
      return "estimated";
    case Guarantee::printed:
      return "printed";
  }
  return "";
}

bool refuted(const ComparedBound& bound, double delta) {
  if (bound.guarantee != Guarantee::proved) return false;
  return bound.term == Term::bias ? bound.misses > 0 : bound.miss_rate.lo > delta;
}

std::vector<BoundComparison> compare_bounds(const Instance& instance, const std::vector<BoundSetting>& settings,
                                            Seed seed, const BoundEffort& effort, const BoundProgress& progress) {
  require(!settings.empty(), "no setting: at least one is needed");
  require(effort.delta > 0 && effort.delta < 1, "delta is {}: allowed is above 0 and below 1", effort.delta);
  require(effort.draws >= 2, "draws is {}: allowed are 2 and more", effort.draws);
  const Index widest = widest_of(settings, effort.drawn_planes), tables = settings.front().setting.tables;
  std::vector<Fixed> fixed;
  for (const BoundSetting& s : settings) fixed.push_back(fixed_of(instance, s, seed, effort, progress.fresh_tables));

  const auto one_draw = [&](std::uint32_t trial, DrawsOfAll& into) {
    const Hyperplanes hyperplanes = draw_hyperplanes(seed, trial, tables, widest, instance.dim());
    const KeyCodes codes = hash_keys(hyperplanes, instance.keys);
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const Index planes = settings[i].setting.planes;
      add_draw(instance, settings[i], fixed[i], leading_planes(hyperplanes, planes), leading_planes(codes, planes),
               trial, seed, effort.delta, into.of[i]);
    }
    if (progress.draw_done) progress.draw_done();
  };
  const DrawsOfAll draws =
      run_trials(effort.draws, DrawsOfAll{std::vector<DrawsOfSetting>(settings.size())}, one_draw, 1);

  std::vector<BoundComparison> all;
  for (std::size_t i = 0; i < settings.size(); ++i)
    all.push_back(Comparison(instance, settings[i], fixed[i], draws.of[i], effort).all());
  return all;
}

}  // namespace skt

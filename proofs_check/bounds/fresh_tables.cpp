#include "proofs_check/bounds/fresh_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimators/tables/table_sums.hpp"
#include "proofs_check/bounds/a_priori_bounds.hpp"
#include "proofs_check/bounds/fast_codes.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/statistics/intervals.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr Index kGroup = 64;           // tables that are hashed at once, so that hashing is a matrix product
constexpr Index kGroupsToReport = 16;  // groups between two calls of progress
constexpr double kFirstPart = 0.05;    // of the tables chooses the cut
constexpr double kCutOverLargest = 1.4;
constexpr std::uint64_t kStream = 0x6672657368;  // "fresh": a seed apart from that of the user's tables

struct Nothing {
  void merge(const Nothing&) {}
};

Index first_part(Index count) {
  return std::max<Index>(1, std::lround(std::floor(kFirstPart * real(count))));
}

// Of the group's tables, [kGroup].
Vector squared_norms_of_group(const Instance& instance, const UnitKeys& keys, const TableMoments& moments,
                              const PopulationParameters& parameters, Seed seed, std::uint32_t group) {
  const double mass = moments.mass * (1 - moments.relative_mass_error);
  const Hyperplanes planes = draw_hyperplanes(seed, group, kGroup, parameters.planes, instance.dim());
  const TableSums sums = table_sums(planes, fast_codes(planes, keys), instance.query, instance.values,
                                    {parameters.temperature, parameters.scaling});
  const Matrix residuals = sums.numerators - sums.normalisers * moments.output.transpose();
  return residuals.rowwise().squaredNorm() / (mass * mass);
}

// The chance that `tables` tables with a share `beyond` of exceptions spoil the promise, and what is left of delta.
double level_left(double delta, double beta, double tables, double beyond) {
  return delta - beta - tables * beyond;
}

}  // namespace

FreshTables draw_fresh_tables(const Instance& instance, const TableMoments& moments,
                              const PopulationParameters& parameters, Seed seed, Index count,
                              const FreshTablesProgress& progress) {
  require(count >= kLeastFreshTables && count <= Index{1} << 32, "{} fresh tables: allowed are {} to 2^32", count,
          kLeastFreshTables);
  require(instance.value_dim() == moments.value_dim(), "values of {} coordinates with moments of {}: allowed are equal",
          instance.value_dim(), moments.value_dim());
  const Seed stream = derive_seed(seed, kStream);
  const UnitKeys keys = unit_keys(instance.keys);
  const Index groups = (count + kGroup - 1) / kGroup;
  FreshTables fresh{Vector(count)};
  for (Index first = 0; first < groups; first += kGroupsToReport) {
    const auto add_group = [&](std::uint32_t within, Nothing&) {
      const Index group = first + within, at = group * kGroup, size = std::min(kGroup, count - at);
      const auto address = static_cast<std::uint32_t>(group);
      fresh.squared_norms.segment(at, size) =
          squared_norms_of_group(instance, keys, moments, parameters, stream, address).head(size);
    };
    const Index now = std::min(kGroupsToReport, groups - first);
    run_trials(now, Nothing{}, add_group, 1);
    if (progress) progress(std::min(count, (first + now) * kGroup), count);
  }
  return fresh;
}

CertifiedLaw certified_law(const FreshTables& fresh, double beta) {
  const Index count = fresh.squared_norms.size(), first = first_part(count), others = count - first;
  require(count >= kLeastFreshTables, "{} fresh tables: allowed are {} and more", count, kLeastFreshTables);
  require(beta > 0 && beta < 1, "beta is {}: allowed are numbers between 0 and 1", beta);
  CertifiedLaw law;
  law.beta = beta;
  law.cut = kCutOverLargest * fresh.squared_norms.head(first).maxCoeff();
  std::uint64_t beyond = 0;
  double squares = 0, fourths = 0;  // of the lengths up to the cut
  for (const double square : fresh.squared_norms.tail(others)) {
    if (square <= law.cut) {
      squares += square;
      fourths += square * square;
    } else {
      ++beyond;
    }
  }
  const double n = real(others);
  law.beyond = clopper_pearson(beyond, others, 2 * beta / 3).hi;
  // Hoeffding: the terms lie in [0, rho^2] and [0, rho^4].
  const double miss = std::sqrt(std::log(3 / beta) / (2 * n));
  const double least_mean = std::max(0.0, squares / n - law.cut * miss);
  law.variance = fourths / n + law.cut * law.cut * miss - least_mean * least_mean;
  law.kurtosis_estimate = fresh.squared_norms.array().square().mean() / std::pow(fresh.squared_norms.array().mean(), 2);
  return law;
}

double certified_a_priori_bound(const CertifiedLaw& certified, const TargetMoments& at, double tables, double delta) {
  require(delta > 0 && delta < 1, "delta is {}: allowed are numbers between 0 and 1", delta);
  require(certified.beta < delta, "beta is {}: allowed are numbers below delta, {}", certified.beta, delta);
  require(tables >= 1, "tables is {}: allowed are 1 and more", tables);
  const double left = level_left(delta, certified.beta, tables, certified.beyond);
  if (!(left > 0)) return std::numeric_limits<double>::infinity();
  // mu' = E xi' = -E xi 1{||xi|| > rho}: ||mu'||^2 <= lambda p0 by Cauchy and Schwarz in its own direction, and the
  // variance of xi' along it is lambda ||mu'||^2 at most.
  const double l = tables, offset = at.largest_eigenvalue * certified.beyond;
  const double along = at.largest_eigenvalue * offset, v = certified.variance, c = at.normaliser_deviation;
  SquaredMean law;
  law.normaliser_deviation = c;
  law.mean = offset + at.trace / l;
  law.variance =
      (v + 2 * (l - 1) * at.trace_of_square) / (l * l * l) + 4 * along / l + 4 * std::sqrt(v * along) / (l * l);
  law.with_normaliser = -c * std::sqrt(v) / (l * l) - 2 * c * std::sqrt(along) / l;
  return radius_of_ratio(law, tables, left);
}

double certified_a_priori_bound(const FreshTables& fresh, const TargetMoments& at, double tables, double delta,
                                double beta) {
  return certified_a_priori_bound(certified_law(fresh, beta), at, tables, delta);
}

Index fresh_tables_needed(double tables, double delta, double beta) {
  require(delta > 0 && delta < 1, "delta is {}: allowed are numbers between 0 and 1", delta);
  require(beta > 0 && beta < delta, "beta is {}: allowed are numbers between 0 and delta, {}", beta, delta);
  require(tables >= 1, "tables is {}: allowed are 1 and more", tables);
  // With none of n beyond the cut p0 = 1 - (beta/3)^(1/n), and tables p0 has to be below delta - beta.
  const double most = (delta - beta) / tables;  // below 1
  const double others = std::log(beta / 3) / std::log1p(-most);
  return std::max(kLeastFreshTables, std::lround(std::ceil(others / (1 - kFirstPart))) + 1);
}

}  // namespace skt

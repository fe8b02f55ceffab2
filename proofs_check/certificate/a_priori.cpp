#include "proofs_check/certificate/a_priori.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "proofs_check/bounds/a_priori_bounds.hpp"
#include "proofs_check/bounds/sampling_bounds.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr Index kMostCount = Index{1} << 24;  // tables or samples that a search goes up to

// E||xi||^4/T1^2 of the drawn tables: an estimate.
double sample_kurtosis(const TableSums& sums, const Vector& population_output, const TargetMoments& at) {
  double fourth = 0;
  for (Index l = 0; l < sums.tables(); ++l) {
    const Vector xi = (sums.numerators.row(l).transpose() - population_output * sums.normalisers(l)) / at.mass;
    fourth += std::pow(xi.squaredNorm(), 2) / real(sums.tables());
  }
  return std::max(1.0, fourth / (at.trace * at.trace));
}

// The lesser of Theorem 7(a) and (c): both are known before a value is drawn.
double sampling_radius(const SamplingLaw& law, Index samples, double delta) {
  return std::min(sampling_error_bound(law, samples, delta),
                  exponential_sampling_bound(law, samples, delta / 2, delta / 2));
}

void add_reason(const std::string& reason, SmallestCounts& needs) {
  needs.reason += (needs.reason.empty() ? "" : "; ") + reason;
}

// The smallest count, or as the reason what is reached at the most that is looked at.
std::optional<Index> smallest(const char* of, double wanted, const std::function<double(double)>& bound,
                              SmallestCounts& needs) {
  const std::optional<Index> found = smallest_tables(wanted, bound, kMostCount);
  if (!found)
    add_reason(
        fmt::format("{}: {} is the most that is looked at, and {:.4g} is reached there: a larger target or delta", of,
                    kMostCount, bound(real(kMostCount))),
        needs);
  return found;
}

// ||T - y*||: the tables and the bias get 1/sqrt(2) of the target, since squares add, and the samples what is left.
// An estimate: the law of a draw is that of the drawn tables, and other tables have another.
void add_together(double target, double delta, const AprioriBounds& bounds, const SamplingLaw& law, double bias,
                  SmallestCounts& needs) {
  const double half = delta / 2, share = target / std::sqrt(2.0), room = share - bias;
  if (!(room > 0)) {
    add_reason(fmt::format("all together: the bias alone is {:.4g}, above the {:.4g} (target/sqrt(2)) that tables and "
                           "bias get: a target above {:.4g}, or a lower temperature",
                           bias, share, std::sqrt(2.0) * bias),
               needs);
    return;
  }
  needs.together_tables_estimated =
      smallest("all together, L", room, [&](double l) { return bounds.certified(l, half); }, needs);
  if (!needs.together_tables_estimated) return;
  const double radius = bounds.certified(real(*needs.together_tables_estimated), half) + bias;
  needs.together_samples_estimated = smallest(
      "all together, M", target, [&](double m) { return total_error_bound(radius, law, std::llround(m), half); },
      needs);
}

}  // namespace

double delta_of_samples(double delta) {
  return 1 - (1 - delta) / (1 - kTablesShareOfTotal * delta);
}

double AprioriBounds::by_kurtosis(double tables, double delta) const {
  return a_priori_bound(at, kurtosis_bound, tables, delta);
}

double AprioriBounds::by_chebyshev(double tables, double delta) const {
  return chebyshev_bound(at, tables, delta);
}

double AprioriBounds::by_fresh(double tables, double delta) const {
  if (!fresh || !(delta > fresh->beta)) return std::numeric_limits<double>::infinity();
  return certified_a_priori_bound(*fresh, at, tables, delta);
}

double AprioriBounds::estimated(double tables, double delta) const {
  return a_priori_bound(at, kurtosis_estimate, tables, delta);
}

double AprioriBounds::certified(double tables, double delta) const {
  // The fresh tables mislead with probability beta; where they do not, the least of radii of delta - beta each holds.
  const double left = fresh && delta > fresh->beta ? delta - fresh->beta : delta;
  return std::min({by_fresh(tables, delta), by_kurtosis(tables, left), by_chebyshev(tables, left)});
}

AprioriBounds a_priori_bounds(const Instance& instance, const CertifyPlan& plan, const TableSums& sums, Seed seed,
                              const WorkDone& done) {
  const PopulationParameters parameters = population_parameters(instance, plan.setting);
  const CertifyWork work = work_of({instance.num_keys(), instance.dim(), instance.value_dim()}, plan);
  const auto tell = [&](std::uint64_t microseconds) {
    if (done) done(microseconds);
  };
  const TableMoments moments =
      table_moments(parameters, instance, [&](Index blocks) { tell(work.pair_block * blocks); });
  AprioriBounds bounds{target_moments(moments, moments.output)};
  const double longest = largest_table_norm(instance, moments, parameters);
  bounds.kurtosis_bound = std::max(1.0, longest * longest / bounds.at.trace);
  bounds.kurtosis_estimate = sample_kurtosis(sums, moments.output, bounds.at);
  if (plan.fresh_tables == 0) return bounds;
  Index told = 0;
  bounds.fresh =
      certified_law(draw_fresh_tables(instance, moments, parameters, seed, plan.fresh_tables, [&](Index count, Index) {
        tell(work.fresh_table * (count - told));
        told = count;
      }));
  return bounds;
}

SmallestCounts smallest_counts(double target, const CertifyPlan& plan, const AprioriBounds* bounds,
                               const SamplingLaw& law, double bias, Index keys) {
  const double delta = plan.delta;
  SmallestCounts needs;
  needs.samples = smallest(
      "sampling alone, M", target, [&](double m) { return sampling_radius(law, std::llround(m), delta); }, needs);
  if (bounds) {
    needs.tables_certified = smallest(
        "finite tables alone, certified L", target, [&](double l) { return bounds->certified(l, delta); }, needs);
    needs.tables_estimated = smallest(
        "finite tables alone, estimated L", target, [&](double l) { return bounds->estimated(l, delta); }, needs);
    add_together(target, delta, *bounds, law, bias, needs);
  } else {
    add_reason("pairs is none: no L is known without the moments over the pairs of keys: pairs exact", needs);
  }
  if (const Index most = std::max(needs.samples.value_or(0), needs.together_samples_estimated.value_or(0)); most > keys)
    add_reason(fmt::format("M = {} is more than the {} keys: dearer than dense attention, which is exact", most, keys),
               needs);
  return needs;
}

}  // namespace skt

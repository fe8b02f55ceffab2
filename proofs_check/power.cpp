#include "proofs_check/power.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "proofs_check/judge.hpp"

namespace skt {
namespace {

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

// The least k in [0, trials] with property(k), which is false and then true along k; none if it is never true.
template <class Property>
std::optional<std::uint64_t> least(std::uint64_t trials, Property property) {
  std::uint64_t low = 0, high = trials;
  if (!property(high)) return std::nullopt;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (property(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// The proportions that give `hits` and more, or fewer than `hits`, with probability kPower; two-sided Clopper-Pearson
// intervals leave half of their error to each side. Where every number of hits will do, so does every proportion.
double gives_at_least(std::uint64_t hits, std::uint64_t trials) {
  return hits > 0 ? clopper_pearson(hits - 1, trials, 2 * (1 - kPower)).hi : 0;
}
double gives_fewer(std::uint64_t hits, std::uint64_t trials) {
  return hits <= trials ? clopper_pearson(hits, trials, 2 * (1 - kPower)).lo : 1;
}

double proportion_above(const Evidence& e) {
  const auto shown = least(e.basis.samples.count, [&](std::uint64_t k) {
    return clopper_pearson(k, e.basis.samples.count, e.error_share).lo > e.claimed + e.claimed_error;
  });
  return shown ? gives_at_least(*shown, e.basis.samples.count) - e.claimed : kNever;
}

double proportion_below(const Evidence& e) {
  const auto hidden = least(e.basis.samples.count, [&](std::uint64_t k) {
    return !(clopper_pearson(k, e.basis.samples.count, e.error_share).hi < e.claimed - e.claimed_error);
  });
  const std::uint64_t first_hidden = hidden.value_or(e.basis.samples.count + 1);
  return first_hidden > 0 ? e.claimed - gives_fewer(first_hidden, e.basis.samples.count) : kNever;
}

double proportion_deviation(const Evidence& e) {
  switch (e.relation) {
    case Relation::at_most:
      return proportion_above(e);
    case Relation::at_least:
      return proportion_below(e);
    case Relation::equal:
      return std::fmax(proportion_above(e), proportion_below(e));  // fmax: the side that can be seen, if one can
  }
  return kNever;
}

}  // namespace

double visible_deviation(const Evidence& e) {
  const bool measured = std::isfinite(e.observed.width()) && std::isfinite(e.claimed) &&
                        std::isfinite(e.claimed_error) && e.trials > 0 && e.error_share < 1;
  if (!measured) return kNever;
  if (!(e.error_share > 0)) return e.claimed_error + e.observed.width();
  if (e.basis.law == IntervalLaw::proportion) return proportion_deviation(e);
  const boost::math::normal law;
  const double ratio = quantile(law, kPower) / quantile(complement(law, e.error_share / 2));
  return e.claimed_error + e.observed.width() / 2 * (1 + ratio);
}

Visibility visibility_of(const Evidence& e) {
  return e.error_share > 0 ? Visibility::of_the_truth : Visibility::on_instances_tried;
}

RefutedFactors refuted_factors(const Evidence& e) {
  Evidence however_wide = e;
  however_wide.resolution = std::numeric_limits<double>::max();
  const bool usable = judge(however_wide) != Verdict::inconclusive;
  RefutedFactors factors;
  if (!usable || !(e.claimed > 0)) return factors;
  const double below = (e.observed.lo - e.claimed_error) / e.claimed;
  const double above = (e.observed.hi + e.claimed_error) / e.claimed;
  if (e.relation != Relation::at_least && below > 0) factors.below = below;
  if (e.relation != Relation::at_most && above > 0) factors.above = above;
  return factors;
}

RefutedFactors refuted_factors(const std::vector<Evidence>& evidence) {
  RefutedFactors all;
  for (const Evidence& piece : evidence) {
    const RefutedFactors one = refuted_factors(piece);
    if (one.below) all.below = std::max(*one.below, all.below.value_or(*one.below));
    if (one.above) all.above = std::min(*one.above, all.above.value_or(*one.above));
  }
  return all;
}

double distance_from_claim(const Evidence& e) {
  const double excess = e.observed.lo + e.observed.width() / 2 - e.claimed;
  switch (e.relation) {
    case Relation::at_most:
      return excess;
    case Relation::at_least:
      return -excess;
    case Relation::equal:
      return std::abs(excess);
  }
  return kNever;
}

}  // namespace skt

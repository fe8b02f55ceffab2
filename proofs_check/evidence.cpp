#include "proofs_check/evidence.hpp"

namespace skt {
namespace {

Evidence following_from(const IntervalBasis& basis, const Observed& what, std::uint64_t trials, const Claim& claim,
                        const Precision& precision) {
  return {.instance = what.instance,
          .quantity = what.quantity,
          .relation = claim.relation,
          .observed = interval_of(basis, precision.error_share),
          .claimed = claim.value,
          .claimed_error = claim.error,
          .resolution = precision.resolution,
          .trials = trials,
          .trials_in_scope = trials,
          .error_share = precision.error_share,
          .basis = basis};
}

IntervalBasis point(double value) {
  return {.law = IntervalLaw::point, .samples = {.count = 1, .mean = value}};
}

}  // namespace

Interval interval_of(const IntervalBasis& basis, double error_share) {
  switch (basis.law) {
    case IntervalLaw::point:
      return {basis.samples.mean, basis.samples.mean};
    case IntervalLaw::proportion:
      return clopper_pearson(basis.hits, basis.samples.count, error_share);
    case IntervalLaw::bounded:
      return empirical_bernstein(basis.samples, basis.scale, error_share);
    case IntervalLaw::student:
      return student(basis.samples, error_share);
    case IntervalLaw::known_deviation:
      return known_deviation(basis.samples, basis.scale, error_share);
  }
  return {NAN, NAN};
}

Evidence exact(const Observed& what, double value, const Claim& claim) {
  return following_from(point(value), what, 1, claim, {});
}

Evidence supremum(const Observed& what, double largest_ratio, double rounding, std::uint64_t trials,
                  std::uint64_t in_scope) {
  Evidence evidence = following_from(point(largest_ratio), what, trials, at_most(1, rounding), {});
  evidence.trials_in_scope = in_scope;
  return evidence;
}

Evidence frequency(const Observed& what, std::uint64_t hits, std::uint64_t trials, const Claim& claim,
                   const Precision& precision) {
  return following_from({.law = IntervalLaw::proportion, .hits = hits, .samples = {.count = trials}}, what, trials,
                        claim, precision);
}

Evidence mean(const Observed& what, const Moments& samples, const Claim& claim, const Precision& precision) {
  return following_from({.law = IntervalLaw::student, .samples = samples.summary()}, what, samples.count(), claim,
                        precision);
}

Evidence mean_of_bounded(const Observed& what, const Moments& samples, double range, const Claim& claim,
                         const Precision& precision) {
  return following_from({.law = IntervalLaw::bounded, .samples = samples.summary(), .scale = range}, what,
                        samples.count(), claim, precision);
}

Evidence normal_estimate(const Observed& what, double estimate, double deviation, std::uint64_t trials,
                         const Claim& claim, const Precision& precision) {
  return following_from(
      {.law = IntervalLaw::known_deviation, .samples = {.count = 1, .mean = estimate}, .scale = deviation}, what,
      trials, claim, precision);
}

}  // namespace skt

#include "proofs_check/evidence.hpp"

namespace skt {
namespace {

Evidence sampled(const Observed& what, Interval observed, std::uint64_t trials, const Claim& claim,
                 const Precision& precision) {
  return {.instance = what.instance,
          .quantity = what.quantity,
          .relation = claim.relation,
          .observed = observed,
          .claimed = claim.value,
          .claimed_error = claim.error,
          .resolution = precision.resolution,
          .trials = trials,
          .trials_in_scope = trials,
          .error_share = precision.error_share};
}

}  // namespace

Evidence exact(const Observed& what, double value, const Claim& claim) {
  return sampled(what, {value, value}, 1, claim, {});
}

Evidence supremum(const Observed& what, double largest_ratio, double rounding, std::uint64_t trials,
                  std::uint64_t in_scope) {
  Evidence evidence = sampled(what, {largest_ratio, largest_ratio}, trials, at_most(1, rounding), {});
  evidence.trials_in_scope = in_scope;
  return evidence;
}

Evidence frequency(const Observed& what, std::uint64_t hits, std::uint64_t trials, const Claim& claim,
                   const Precision& precision) {
  return sampled(what, clopper_pearson(hits, trials, precision.error_share), trials, claim, precision);
}

Evidence mean(const Observed& what, const Moments& samples, const Claim& claim, const Precision& precision) {
  return sampled(what, student(samples, precision.error_share), samples.count(), claim, precision);
}

Evidence mean_of_bounded(const Observed& what, const Moments& samples, double range, const Claim& claim,
                         const Precision& precision) {
  return sampled(what, empirical_bernstein(samples, range, precision.error_share), samples.count(), claim, precision);
}

Evidence mean_of_known_deviation(const Observed& what, const Moments& samples, double deviation, const Claim& claim,
                                 const Precision& precision) {
  return sampled(what, known_deviation(samples, deviation, precision.error_share), samples.count(), claim, precision);
}

}  // namespace skt

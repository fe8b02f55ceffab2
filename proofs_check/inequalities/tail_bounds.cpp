#include "proofs_check/inequalities/tail_bounds.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "proofs_check/inequalities/inequality_sides.hpp"

namespace skt {
namespace {

// Of a bound of at most sixteen operations, relative.
constexpr double kBoundRounding = 32 * std::numeric_limits<double>::epsilon();

}  // namespace

std::vector<Index> all_sizes(Index first, Index last) {
  std::vector<Index> sizes;
  for (Index size = first; size <= last; ++size) sizes.push_back(size);
  return sizes;
}

Evidence quantile_over_bound(const SizedLaw& law, double delta, const std::function<double(Index size)>& bound) {
  AttainedSupremum worst;
  double over_trivial = std::numeric_limits<double>::infinity();
  for (const Index size : law.sizes) {
    const double right = bound(size);
    const ErrorLaw error = law.error(size);
    worst.add({error.quantile(delta), right, kBoundRounding * right},
              [&] { return fmt::format("{}={}", law.size_name, size); });
    over_trivial = smaller(over_trivial, right / error.largest());
  }
  Evidence evidence = supremum(
      fmt::format("{}, {} = {} .. {}", law.instance, law.size_name, law.sizes.front(), law.sizes.back()), worst);
  evidence.quantity = fmt::format("error exceeded with probability {:.3g} over bound", delta);
  if (worst.ratio > 0) evidence.bound_over_quantile = 1 / worst.ratio;
  if (over_trivial > 0) evidence.bound_over_trivial = over_trivial;
  return evidence;
}

Evidence exceeded(const Context& context, const std::string& instance, const DrawnErrors& errors, BoundOfDraws at,
                  double delta) {
  const double bound = at.bound;
  context.keep({instance, "error", Relation::at_least, counted(errors.of), {{bound, 1 - delta}}});
  std::uint64_t above = 0;
  for (const double error : errors.of) above += !(error <= bound);
  Evidence evidence =
      frequency({instance, "P(error > bound)"}, above, errors.of.size(), at_most(delta), {context.error_share, delta});
  const double quantile = of_sample(errors.of).quantile(delta);
  if (quantile > 0) evidence.bound_over_quantile = bound / quantile;
  evidence.bound_over_trivial = bound / at.trivial;
  return evidence;
}

}  // namespace skt

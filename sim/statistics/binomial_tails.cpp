#include "sim/statistics/binomial_tails.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/binomial.hpp>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

boost::math::binomial binomial_law(std::uint64_t trials, double p) {
  require(p >= 0 && p <= 1, "binomial: probability is {}: allowed are 0 to 1", p);
  return boost::math::binomial(real(trials), p);
}

}  // namespace

double binomial_probability(std::uint64_t count, std::uint64_t trials, double p) {
  const boost::math::binomial law = binomial_law(trials, p);
  return count > trials ? 0 : pdf(law, real(count));
}

double binomial_at_most(std::uint64_t count, std::uint64_t trials, double p) {
  const boost::math::binomial law = binomial_law(trials, p);
  return count >= trials ? 1 : cdf(law, real(count));
}

double binomial_at_least(std::uint64_t count, std::uint64_t trials, double p) {
  const boost::math::binomial law = binomial_law(trials, p);
  if (count == 0) return 1;
  return count > trials ? 0 : cdf(complement(law, real(count - 1)));
}

}  // namespace skt

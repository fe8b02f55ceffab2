#include "sim/statistics/chi_square.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "sim/require.hpp"

namespace skt {

double chi_square_p_value(double statistic, double degrees) {
  require(statistic >= 0, "chi-square: statistic is {}: allowed are 0 and more", statistic);
  require(degrees > 0 && std::isfinite(degrees), "chi-square: degrees of freedom are {}: allowed are above 0", degrees);
  if (std::isinf(statistic)) return 0;
  return cdf(complement(boost::math::chi_squared(degrees), statistic));
}

}  // namespace skt

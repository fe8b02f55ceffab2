#include "tests/normal_draws.hpp"

#include <boost/math/distributions/normal.hpp>

namespace skt {

double two_sided_normal(double failure) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), failure / 2));
}

}  // namespace skt

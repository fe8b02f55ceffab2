#include "proofs_check/bounds/redraws.hpp"

#include <algorithm>
#include <cmath>

#include "sim/require.hpp"

namespace skt {

Index redraw_rank(Index redraws, double delta) {
  require(delta > 0 && delta < 1, "delta is {}: allowed are numbers between 0 and 1", delta);
  require(redraws >= 0, "redraws is {}: allowed are 0 and more", redraws);
  // ceil((1 - delta) m) = m - floor(delta m): delta m is rounded once, so that .05 of 20 is 1.
  const Index above = std::lround(std::floor(delta * real(redraws + 1)));
  require(above >= 1, "{} redraws say nothing at delta = {}: at least {} are needed", redraws, delta,
          std::lround(std::ceil(1 / delta)) - 1);
  return redraws + 1 - above;
}

double redraw_bound(std::vector<double> errors, double delta) {
  const Index rank = redraw_rank(std::ssize(errors), delta);
  require(std::none_of(errors.begin(), errors.end(), [](double e) { return std::isnan(e); }),
          "redraws: an error is not a number");
  const auto at = errors.begin() + (rank - 1);
  std::nth_element(errors.begin(), at, errors.end());
  return *at;
}

}  // namespace skt

#include "sim/statistics/error_budget.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

ErrorBudget::ErrorBudget(double total, std::size_t items) : left_(items) {
  require(total > 0 && total < 1, "error budget: total is {}: allowed is above 0 and below 1", total);
  // The quotient errs by half a unit in its last place at most: one step down and the shares cannot exceed the total.
  if (items > 0) share_ = std::nextafter(total / real(items), 0.0);
}

double ErrorBudget::take() {
  if (left_ == 0) throw std::logic_error("ErrorBudget: more shares asked for than it was divided into");
  --left_;
  return share_;
}

}  // namespace skt

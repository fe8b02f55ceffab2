// Are the angular attention weights a = w/Z a probability vector? (section 5)
//
// Method: the weights and the output of random instances with scalar values, whose hull is an interval.
// Power: rounding.
#include <cmath>
#include <limits>

#include "estimators/population/angular_kernel.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "sim/families.hpp"

namespace skt {
namespace {

// Sums of at most 31 terms; a value is of some units at most.
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();

// What the weights are divided by, and on which keys.
enum class Mass { sum, largest };
enum class Keys { any, antipodal };

auto angular(Mass mass, Keys keys) {
  return [=](const Context& context) -> std::vector<Evidence> {
    double sum_error = 0, negative = 0, outside = 0, not_finite = 0;
    const std::uint64_t trials = context.trials(400);
    for (std::uint32_t trial = 0; trial < trials; ++trial) {
      const Index drawn = 2 + trial % 30;
      Instance instance = make_instance({.keys = drawn, .dim = 16, .value_dim = 1}, context.seed, trial);
      if (keys == Keys::antipodal) instance.keys.rowwise() = -instance.query.transpose();
      const Vector w = angular_weights(instance, 8);
      const Vector a = w / (mass == Mass::sum ? w.sum() : w.maxCoeff());
      const double y = a.dot(instance.values.col(0));
      not_finite += !a.allFinite();
      if (!a.allFinite()) continue;
      sum_error = larger(sum_error, std::abs(a.sum() - 1));
      negative += (a.array() < 0).any();
      outside += !(instance.values.minCoeff() - kRounding <= y && y <= instance.values.maxCoeff() + kRounding);
    }
    const char* const what = "2 to 31 Gaussian keys, d=16 P=8, scalar values";
    return {exact({what, "weights that are not finite"}, not_finite, equals(0)),
            exact({what, "largest |sum of a - 1|"}, sum_error, equals(0, kRounding)),
            exact({what, "negative weights"}, negative, equals(0)),
            exact({what, "outputs outside the range of the values"}, outside, equals(0))};
  };
}

}  // namespace

std::vector<Statement> angular_weights_statements() {
  return {{.id = "S002-AN",
           .title = "The angular weights are a probability vector and y* lies in the hull of the values",
           .source = "paper, section 5",
           .kind = Kind::identity,
           .scope = "Z > 0",
           .measure = angular(Mass::sum, Keys::any),
           .mutants = {{"over the largest weight", angular(Mass::largest, Keys::any)},
                       {"also for Z = 0", angular(Mass::sum, Keys::antipodal)}}}};
}

}  // namespace skt

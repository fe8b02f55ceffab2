#include "estimators/population/angular_kernel.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "sim/stop.hpp"

namespace skt::angular_weights_group {

extern const StatementGroup kGroup = {
    .question = "Are the angular attention weights a = w/Z a probability vector? (section 5)",
    .method = "The weights and the output of random instances with scalar values, whose hull is an interval.",
    .power = "Rounding."};

namespace {

// Sums of at most 31 terms; a value is of some units at most.
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();

// What the weights are divided by, and on which keys.
enum class Mass { sum, sum_and_a_hundredth, largest };
enum class Keys { any, antipodal };

double divisor(Mass mass, const Vector& w) {
  switch (mass) {
    case Mass::sum:
      return w.sum();
    case Mass::sum_and_a_hundredth:
      return 1.01 * w.sum();
    case Mass::largest:
      return w.maxCoeff();
  }
  return 0;
}

auto angular(Mass mass, Keys keys) {
  return [=](const Context& context) -> std::vector<Evidence> {
    BothSides sum;
    double negative = 0, outside = 0, not_finite = 0;
    const std::uint64_t trials = context.trials(400);
    for (std::uint32_t trial = 0; trial < trials; ++trial) {
      look_for_stop();
      const Index drawn = 2 + trial % 30;
      Instance instance = make_instance({.keys = drawn, .dim = 16, .value_dim = 1}, context.seed, trial);
      if (keys == Keys::antipodal) instance.keys.rowwise() = -instance.query.transpose();
      const Vector w = angular_weights(instance, 8);
      const Vector a = w / divisor(mass, w);
      const double y = a.dot(instance.values.col(0));
      not_finite += !a.allFinite();
      if (!a.allFinite()) continue;
      sum.add(a.sum(), 1, kRounding);
      negative += (a.array() < 0).any();
      outside += !(instance.values.minCoeff() - kRounding <= y && y <= instance.values.maxCoeff() + kRounding);
    }
    const char* const what = "2 to 31 Gaussian keys, d=16 P=8, scalar values";
    return {exact({what, "weights that are not finite"}, not_finite, equals(0)),
            sum.evidence({what, "sum of a, furthest from 1"}), exact({what, "negative weights"}, negative, equals(0)),
            exact({what, "outputs outside the range of the values"}, outside, equals(0))};
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-AN",
           .title = "The angular weights are a probability vector and y* lies in the hull of the values",
           .source = "paper, section 5",
           .quote = "Normalizing these weights yields the angular attention distribution",
           .scope = "Z > 0",
           .measure = angular(Mass::sum, Keys::any),
           .mutants = {{"over 1.01 Z", angular(Mass::sum_and_a_hundredth, Keys::any)},
                       {"over the largest weight", angular(Mass::largest, Keys::any)},
                       {"also for Z = 0", angular(Mass::sum, Keys::antipodal)}}}};
}

}  // namespace skt::angular_weights_group

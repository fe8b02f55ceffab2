#include "estimators/population/angular_kernel.hpp"
#include "proofs_check/laws/angle_instance.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::kernel_weights_group {

extern const StatementGroup kGroup = {
    .question = "What is the kernel of signed projections, w = (1 - theta/pi)^P (paper, eq. (5))?",
    .notes = "S002-Q5  w is 1 for one direction only, 0 for the opposite one only, and 2^-P at a right angle",
    .method = "The kernel of the estimators on keys at 39 angles to the query, and on Gaussian queries.",
    .power = "The rounding of an angle."};

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kLeast = std::numeric_limits<double>::min();  // "above 0"

using Kernel = double (*)(const Vector& q, const Vector& k, Index planes);

double of_estimators(const Vector& q, const Vector& k, Index planes) {
  return angular_weights({"", q, k.transpose(), Matrix::Ones(1, 1)}, planes)(0);
}
double power(double base, Index planes) {
  return std::pow(base, real(planes));
}

auto kernel(Kernel w) {
  return [w](const Context& context) -> std::vector<Evidence> {
    constexpr Index kDim = 128;
    std::vector<double> angles;
    for (int step = 1; step < 40; ++step) angles.push_back(kPi * step / 40);
    const Instance fan = angle_instance(angles, kDim, std::sqrt(real(kDim)), context.seed);
    double most = 0, fewest = HUGE_VAL, outside = 0, rise = 1, fall = 1;
    for (const Index planes : {1, 8, 12})
      for (Index j = 0; j < fan.num_keys(); ++j) {
        const double theta = angles[j];
        const double here = w(fan.query, fan.keys.row(j), planes);
        const double ratio = here / power(1 - theta / kPi, planes);
        most = larger(most, ratio), fewest = smaller(fewest, ratio);
        outside += !(here > 0 && here < 1);
        if (j > 0) rise = smaller(rise, w(fan.query, fan.keys.row(j - 1), planes) - here);
        fall = smaller(fall, here - w(fan.query, fan.keys.row(j), planes + 1));
      }
    double parallel = 0, opposite = 0;
    for (std::uint32_t trial = 0; trial < 200; ++trial) {
      Vector q(kDim);
      fill_normal(context.seed, {.trial = trial}, {q.data(), kDim});
      parallel += !(std::abs(w(q, 0.3 * q, 8) - 1) <= 8 * 4 * kUnit);
      opposite += !(std::abs(w(q, -3 * q, 8)) <= kUnit);
    }
    const char* const what = "39 angles in d=128, P=1, 8, 12";
    // Coordinates are right to a few units of rounding, so the angle is to sqrt(d) of them, below 32; an angle off by e
    // changes w by a relative P e/(pi - theta) <= 12 e/(pi/40).
    const double error = 12 * 40 / kPi * 32 * kUnit;
    return {exact({what, "largest w/(1 - theta/pi)^P"}, most, at_most(1, error)),
            exact({what, "least w/(1 - theta/pi)^P"}, fewest, at_least(1, error)),
            exact({what, "weights outside (0, 1)"}, outside, equals(0)),
            exact({what, "least rise of w with the cosine"}, rise, at_least(kLeast)),
            exact({what, "least fall of w from P to P + 1"}, fall, at_least(kLeast)),
            exact({"200 Gaussian q in d=128, k = .3 q", "weights other than 1"}, parallel, equals(0)),
            exact({"200 Gaussian q in d=128, k = -3 q", "weights other than 0"}, opposite, equals(0))};
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-Q5",
       .title = "w = (1 - theta/pi)^P is in [0, 1], rises with the cosine and falls with P",
       .source = "paper, eq. (5)",
       .quote = "we define the angular kernel weights",
       .scope = "vectors other than 0",
       .measure = kernel(of_estimators),
       .mutants = {
           {"(1 - theta/(2 pi))^P",
            kernel([](const Vector& q, const Vector& k, Index p) { return power(1 - angle(q, k) / (2 * kPi), p); })},
           {"cos^P", kernel([](const Vector& q, const Vector& k, Index p) { return power(cosine(q, k), p); })},
           {"1% more", kernel([](const Vector& q, const Vector& k, Index p) { return 1.01 * of_estimators(q, k, p); })},
           {"an arc cosine that is not clamped", kernel([](const Vector& q, const Vector& k, Index p) {
              return power(1 - std::acos(q.dot(k) / q.norm() / k.norm()) / kPi, p);
            })}}}};
}

}  // namespace skt::kernel_weights_group

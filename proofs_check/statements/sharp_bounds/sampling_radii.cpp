#include "proofs_check/laws/sampling_tails.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "proofs_check/statements/sharp_bounds/sampling_instances.hpp"

namespace skt::sampling_radii_group {

extern const StatementGroup kGroup = {
    .question =
        "How far is the sampling estimator T from the output that it samples, given the law of one draw? (Theorem 7 "
        "of this project, first part)",
    .notes = R"(Weights of sum 1, S1 = sum a_j |v_j|, X one draw, y and Sigma its mean and covariance:

  OWN-7var  Var |T-y+u|^2 = 2(M-1) tr Sigma^2/M^3 + 4 y^T Sigma y/M^3 + 4 u^T Sigma u/M - 8 u^T Sigma y/M^2
  OWN-7a    |T-y|^2 <= (S1^2 - |y|^2)/M + k(delta) sqrt(Var |T-y|^2))",
    .method =
        "All sequences of draws from two and three values; binomial sums on signs; violations counted on Gaussian, "
        "needle and clustered values with drawn tables.",
    .power =
        "Exact on signs, where both sides are equal at M = 2 and delta = 1/2, and for one draw of two values. For "
        "counts, a rate one third above the level."};

namespace {

constexpr const char* kSource = "docs/bounds/sampling.md, ";

// The coefficients of Var |T - y + u|^2.
struct Coefficients {
  double cross = 2, output = 4, offset = 4, offset_output = 8;
};

double variance_formula(const SamplingLaw& law, Index samples, const Vector& u, const Coefficients& c) {
  const double m = real(samples);
  const Vector along = law.covariance * u;
  return (c.cross * (m - 1) * law.trace_of_square + c.output * law.along_mean) / (m * m * m) +
         c.offset * u.dot(along) / m - c.offset_output * law.mean.dot(along) / (m * m);
}

auto variance(const Coefficients& coefficients) {
  return [=](const Context&) {
    std::vector<Evidence> evidence;
    for (const FewValues& few : few_values()) {
      const SamplingLaw law = sampling_law(few.weights, few.values);
      for (const Index samples : {1, 2, 6}) {
        for (const double length : {0.0, 0.7}) {
          const Vector u = Vector::Constant(few.values.cols(), length);
          const double counted = enumerated_errors(few.weights, few.values, samples, u).variance();
          const double formula = variance_formula(law, samples, u, coefficients);
          // 3^6 terms, each square right to some tens of units of its size, which the long value makes large.
          evidence.push_back(
              exact({fmt::format("{}, M={}, offset {}", few.name, samples, length), "Var |T-y+u|^2 over all sequences"},
                    counted, equals(formula, 1e-10 * (counted + std::abs(formula)))));
        }
      }
    }
    return evidence;
  };
}

// P(violation) on signs at one setting: where a lie shows.
auto on_signs(double minority, Index samples, double delta, const SamplingRadius& radius) {
  return [=](const Context&) {
    const double r = radius(law_of_signs(minority), samples, delta);
    return std::vector{exact({fmt::format("signs, minority {}, M={}", minority, samples), "P(violation)"},
                             signs_outside(samples, minority, r), at_most(delta))};
  };
}

SamplingRadius changed_law(void (*change)(SamplingLaw&)) {
  return [change](SamplingLaw law, Index samples, double delta) {
    change(law);
    return sampling_error_bound(law, samples, delta);
  };
}

Statement radius_from_the_law() {
  const auto measure = [](const Context& context) {
    std::vector<Evidence> evidence = violations_behind_tables(context, [](const SamplingLaw& law, const Matrix& rows) {
      return sampling_error_bound(law, rows.rows(), kCountedDelta);
    });
    evidence.push_back(largest_violation_on_signs(sampling_error_bound));
    evidence.push_back(largest_violation_on_few_values(sampling_error_bound));
    return evidence;
  };
  const SamplingRadius without_cross = changed_law([](SamplingLaw& law) { law.trace_of_square = 0; });
  const SamplingRadius half_cross = changed_law([](SamplingLaw& law) { law.trace_of_square /= 2; });
  const SamplingRadius without_output = changed_law([](SamplingLaw& law) { law.along_mean = 0; });
  const SamplingRadius smaller_factor = changed_law([](SamplingLaw& law) {
    law.trace_of_square *= 0.98;
    law.along_mean *= 0.98;
  });
  return {.id = "OWN-7a",
          .title = "Sampling-error bound from Cantelli's inequality and the exact variance of the squared error",
          .source = std::string(kSource) + "7a",
          .kind = Kind::high_probability,
          .scope = "given tables, S1 > 0, 0 < delta < 1",
          .chance = Chance::random,
          .measure = measure,
          .mutants = {{"tr Sigma^2 forgotten", on_signs(0.5, 400, 0.05, without_cross)},
                      {"2 (M-1) -> M-1", on_signs(0.5, 2, 0.49, half_cross)},
                      {"4 y^T Sigma y forgotten", on_signs(0.1, 1, 0.05, without_output)},
                      {"k^2 -> .98 k^2", on_signs(0.0505, 1, 0.05, smaller_factor)}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "OWN-7var",
           .title = "The variance of the squared sampling error, exactly",
           .source = std::string(kSource) + "7var",
           .scope = "S1 > 0, any fixed offset u",
           .measure = variance({}),
           .mutants = {{"2 (M-1) tr Sigma^2 -> (M-1) tr Sigma^2", variance({.cross = 1})},
                       {"4 y^T Sigma y forgotten", variance({.output = 0})},
                       {"8 u^T Sigma y -> 4 u^T Sigma y", variance({.offset_output = 4})},
                       {"2 (M-1) tr Sigma^2 -> 2.02 (M-1) tr Sigma^2", variance({.cross = 2.02})}}},
          radius_from_the_law()};
}

}  // namespace skt::sampling_radii_group

#include "proofs_check/statements/sharp_bounds/sampling_instances.hpp"

#include <fmt/format.h>

#include <array>

#include "estimators/weighted_output.hpp"
#include "proofs_check/inequalities/inequality_sides.hpp"
#include "proofs_check/laws/sampling_tails.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr std::array kDeltas{0.5, 0.49, 0.05, 0.01};
constexpr std::array kMinorities{0.5, 0.3, 0.1, 0.0505, 0.0101, 0.001};

constexpr Index kSamples = 32;
constexpr std::array kFamilies{InstanceFamily::gaussian, InstanceFamily::needle, InstanceFamily::clustered_values};
constexpr std::array<Index, 2> kValueDims{3, 24};

}  // namespace

SamplingLaw law_of_signs(double minority) {
  return sampling_law(Vector{{1 - minority, minority}}, Matrix{{1.0}, {-1.0}});
}

std::vector<FewValues> few_values() {
  return {{"nine to one", Vector{{0.9, 0.1}}, Matrix{{1.0}, {-1.0}}},
          {"three values in the plane", Vector{{0.5, 0.3, 0.2}}, Matrix{{3.0, 0.0}, {1.0, -1.0}, {0.0, 4.0}}},
          {"a rare long value", Vector{{0.7, 0.299, 0.001}}, Matrix{{1.0, 0.0}, {0.5, 0.5}, {-60.0, 20.0}}},
          {"orthogonal values", Vector{{0.4, 0.3, 0.3}}, Matrix::Identity(3, 3)}};
}

Evidence largest_violation_on_signs(const SamplingRadius& radius) {
  AttainedSupremum worst;
  for (const double minority : kMinorities) {
    const SamplingLaw law = law_of_signs(minority);
    for (const double delta : kDeltas) {
      for (const Index samples : {1, 2, 3, 4, 7, 20, 60, 100, 200, 400, 2000}) {
        const double left = signs_outside(samples, minority, radius(law, samples, delta));
        worst.add({left, delta, 0}, [&] {
          return fmt::format("minority {}, M={}, delta={}, P(violation)/delta", minority, samples, delta);
        });
      }
    }
  }
  return supremum("signs of several minorities", worst);
}

Evidence largest_violation_on_few_values(const SamplingRadius& radius) {
  AttainedSupremum worst;
  for (const FewValues& few : few_values()) {
    const SamplingLaw law = sampling_law(few.weights, few.values);
    for (const Index samples : {1, 2, 3, 6}) {
      const SampledErrorLaw errors =
          enumerated_errors(few.weights, few.values, samples, Vector::Zero(few.values.cols()));
      for (const double delta : kDeltas) {
        worst.add({errors.outside(radius(law, samples, delta)), delta, 0},
                  [&] { return fmt::format("{}, M={}, delta={}, P(violation)/delta", few.name, samples, delta); });
      }
    }
  }
  return supremum("two and three values, all sequences", worst);
}

std::vector<Evidence> violations_behind_tables(const Context& context, const RadiusOfDraw& radius) {
  std::vector<Evidence> evidence;
  std::uint32_t number = 0;
  for (const InstanceFamily family : kFamilies) {
    for (const Index value_dim : kValueDims) {
      const Instance instance =
          make_instance({.family = family, .keys = 256, .dim = 128, .value_dim = value_dim}, context.seed, number);
      const Vector weights = rescaled_weights(context, instance, {10, 8, {0.5}}, number);
      const SamplingLaw law = sampling_law(weights, instance.values);
      const std::uint64_t trials = context.trials(2000);
      const SampledErrors drawn = drawn_errors(derive_seed(context.seed, number), weights, instance.values, kSamples,
                                               trials, [&](const Matrix& rows) { return radius(law, rows); });
      const std::string what =
          fmt::format("{}, 256 keys, d=128 d_v={} P=8 tau=.5 L=10, M={}", name_of(family), value_dim, kSamples);
      evidence.push_back(frequency({what, "P(violation)"}, drawn.outside(), trials, at_most(kCountedDelta),
                                   {context.share(kFamilies, kValueDims), 2 * kCountedDelta}));
      evidence.back().bound_over_quantile = drawn.radius_over_quantile(1 - kCountedDelta);
      evidence.back().bound_over_trivial = drawn.mean_radius() / row_norms(instance.values).maxCoeff();
      ++number;
    }
  }
  return evidence;
}

}  // namespace skt

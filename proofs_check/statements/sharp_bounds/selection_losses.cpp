#include "estimators/attention.hpp"
#include "proofs_check/bounds/selection_bounds.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::selection_losses_group {

extern const StatementGroup kGroup = {
    .question = "How far is attention over the selected keys from dense attention? (Theorem 10 of this project)",
    .notes = R"(
OWN-10i   |y - y_S| <= m max |v_j - y_S| over the missed keys            equal if the missed values agree
OWN-10ii  |y - y_S| <= sqrt(m/(1-m) |Cov v|)                             equal for v = e on S, 0 elsewhere)",
    .method =
        "The supremum of the ratio of the two sides on random weights and values and on selections by drawn scores of "
        "300 keys in 128 dimensions; the instances of equality.",
    .power = "Any ratio above 1 by more than rounding.",
    .kind = Kind::inequality,
    .scope = "the selected keys have softmax mass"};

namespace {

constexpr const char* kSource = "docs/bounds/selection.md, ";

// Dense weights, and the selected keys.
struct Selection {
  Vector softmax;
  Matrix values;
  std::vector<Index> selected;

  double distance() const {
    Vector kept = Vector::Zero(softmax.size());
    for (const Index j : selected) kept(j) = softmax(j);
    return (weighted_output(softmax, values) - weighted_output(kept, values)).norm();
  }
};

using SelectionSides = std::function<InequalitySides(const Selection&, const SelectionBounds&)>;

InequalitySides selection_sides(const Selection& s, double right) {
  const double rounding = 8 * real(s.softmax.size() + 8) * kUnit * s.values.rowwise().norm().maxCoeff();
  return {s.distance(), right, rounding};
}
InequalitySides farthest_sides(const Selection& s, const SelectionBounds& b) {
  return selection_sides(s, b.by_farthest);
}
InequalitySides covariance_sides(const Selection& s, const SelectionBounds& b) {
  return selection_sides(s, b.by_covariance);
}

InequalitySides judged(const Selection& s, const SelectionSides& sides) {
  return sides(s, selection_bounds(s.softmax, s.values, s.selected));
}

// 2 to 9 keys with log-normal weights, the even ones selected; some values equal or long.
Selection random_selection(Seed seed, std::uint32_t trial) {
  const Index keys = 2 + trial % 8, dim = 1 + trial % 5;
  Selection s{Vector(keys), Matrix(keys, dim), {}};
  fill_normal(seed, {.trial = trial, .row = 0}, entries_of(s.softmax));
  fill_normal(seed, {.trial = trial, .row = 1}, std::span(s.values.data(), keys * dim));
  s.softmax = (2 * s.softmax).array().exp();
  if (trial % 3 == 1) {
    for (Index j = 1; j < keys; ++j) s.values.row(j) = s.values.row(j % 2);
  }
  if (trial % 3 == 2) s.values.row(trial / 3 % keys) *= 30;
  for (Index j = 0; j < keys; j += 2) s.selected.push_back(j);
  return s;
}

Evidence over_random_selections(const Context& context, const SelectionSides& sides) {
  const AttainedSupremum random =
      run_trials(context.trials(6000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& worst) {
        worst.add(judged(random_selection(context.seed, trial), sides), [&] { return fmt::format("trial {}", trial); });
      });
  return supremum("log-normal weights, half of the keys selected", random);
}

// The best of 300 keys in 128 dimensions by the scores of drawn tables.
Evidence over_drawn_selections(const Context& context, const SelectionSides& sides) {
  AttainedSupremum worst;
  std::uint32_t number = 0;
  for (const InstanceFamily family : {InstanceFamily::gaussian, InstanceFamily::needle, InstanceFamily::clustered,
                                      InstanceFamily::clustered_values}) {
    const Instance instance =
        make_instance({.family = family, .keys = 300, .dim = 128, .value_dim = 12}, context.seed, number);
    const Vector scores = rescaled_weights(context, instance, {20, 8, {0.5}}, number++);
    const Vector dense = softmax(scaled_logits(instance.query, instance.keys)).value();
    for (const Index budget : {9, 30}) {
      const Selection s{dense, instance.values, context.estimators.select(scores, {}, {.budget = budget})};
      worst.add(judged(s, sides), [&] { return fmt::format("{}, M={}", name_of(family), budget); });
    }
  }
  return supremum("300 keys, d=128 d_v=12 P=8 tau=.5 L=20, best by soft score", worst);
}

// A mass m misses; the missed values agree, the selected ones differ.
Selection missed_values_agree(double m) {
  return {
      Vector{{(1 - m) / 2, m / 2, (1 - m) / 2, m / 2}}, Matrix{{1.0, 0.0}, {0.0, 7.0}, {3.0, 2.0}, {0.0, 7.0}}, {0, 2}};
}

// e on the selected keys and 0 elsewhere.
Selection selected_values_only(double m) {
  return {Vector{{1 - m, m}}, Matrix{{3.0, -4.0}, {0.0, 0.0}}, {0}};
}

auto selected_on(const std::string& instance, const Selection& selection, const SelectionSides& sides) {
  return [=](const Context&) { return std::vector{tight(instance, judged(selection, sides), Equality::open)}; };
}

Measure bounded_selection(const SelectionSides& sides, const std::string& equal, const Selection& equal_case) {
  return [=](const Context& context) {
    return std::vector{over_random_selections(context, sides), over_drawn_selections(context, sides),
                       tight(equal, judged(equal_case, sides), Equality::attained)};
  };
}

Statement selection_by_farthest() {
  const SelectionSides square_of_mass = [](const Selection& s, const SelectionBounds& b) {
    return selection_sides(s, b.missed_mass * b.by_farthest);
  };
  const SelectionSides nearly = [](const Selection& s, const SelectionBounds& b) {
    return selection_sides(s, 0.98 * b.by_farthest);
  };
  const std::string equal = "missed values agree, m=.3";
  return {.id = "OWN-10i",
          .title = "Selection loss is at most the missed mass times the largest distance of a missed value",
          .source = std::string(kSource) + "10i",
          .measure = bounded_selection(farthest_sides, equal, missed_values_agree(0.3)),
          .mutants = {{"m -> m^2", selected_on(equal, missed_values_agree(0.3), square_of_mass)},
                      {"m -> .98 m", selected_on(equal, missed_values_agree(0.3), nearly)}}};
}

Statement selection_by_covariance() {
  const SelectionSides without_kept_mass = [](const Selection& s, const SelectionBounds& b) {
    return selection_sides(s, b.by_covariance * std::sqrt(1 - b.missed_mass));
  };
  const auto equal = [](double m) { return fmt::format("e on S, 0 elsewhere, m={}", m); };
  return {
      .id = "OWN-10ii",
      .title = "Selection loss is bounded by the missed mass and the covariance of the values",
      .source = std::string(kSource) + "10ii",
      .measure = bounded_selection(covariance_sides, equal(0.5), selected_values_only(0.5)),
      .mutants = {{"m/(1-m) -> m, m=.5", selected_on(equal(0.5), selected_values_only(0.5), without_kept_mass)},
                  {"m/(1-m) -> m, m=.05", selected_on(equal(0.05), selected_values_only(0.05), without_kept_mass)}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {selection_by_farthest(), selection_by_covariance()};
}

}  // namespace skt::selection_losses_group

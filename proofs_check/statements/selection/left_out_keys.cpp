#include "proofs_check/bounds/selection_bounds.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::left_out_keys_group {

extern const StatementGroup kGroup = {
    .question =
        "What does leaving keys out cost where attention renormalises, and when does a value's norm decide a ranking?",
    .notes = R"(alpha_j are the softmax weights, y = sum_j alpha_j v_j, T the keys left out and m their mass.

  OWN-13i   |y_S - y| = |sum_T alpha_j (v_j - y)|/(1 - m)
  OWN-13ii  at most sum_T alpha_j |v_j - y|/(1 - m)                  equal if all v_j - y point one way
  OWN-14    SOCKET's scores of two keys have a ratio of at most e^{2P/(tau sqrt d)}
            equal if all planes of all tables separate them and are saturated

The proofs are in docs/bounds/importance.md.)",
    .method = "Both sides on random weights and values and on drawn tables; the instances of equality.",
    .power = "A ratio of the two sides that is off by more than rounding.",
    .source = "docs/bounds/importance.md",
    .scope = "some mass stays"};

namespace {

// Weights that sum to 1, and which keys stay.
struct Leaving {
  Vector weights;
  Matrix values;
  std::vector<Index> kept;
};

// 2 to 9 keys with log-normal weights, the even ones kept; values around a common one that is not 0.
Leaving random_leaving(Seed seed, std::uint32_t trial) {
  const Index keys = 2 + trial % 8, dim = 1 + trial % 5;
  Leaving l{Vector(keys), Matrix(keys, dim), {}};
  fill_normal(seed, {.trial = trial, .row = 0}, entries_of(l.weights));
  fill_normal(seed, {.trial = trial, .row = 1}, std::span(l.values.data(), keys * dim));
  l.weights = l.weights.array().exp();
  l.weights /= l.weights.sum();
  l.values.array() += 2;
  for (Index j = 0; j < keys; j += 2) l.kept.push_back(j);
  return l;
}

// One key of two is left out, of weight m.
Leaving one_of_two(double m) {
  return {Vector{{1 - m, m}}, Matrix{{1.0, 2.0}, {4.0, -2.0}}, {0}};
}

double moved(const Leaving& l) {
  Vector kept = Vector::Zero(l.weights.size());
  for (const Index j : l.kept) kept(j) = l.weights(j);
  return (weighted_output(kept, l.values) - weighted_output(l.weights, l.values)).norm();
}

double rounding(const Leaving& l) {
  double kept = 0;
  for (const Index j : l.kept) kept += l.weights(j);
  return 8 * real(l.weights.size() + l.values.cols() + 8) * kUnit * l.values.rowwise().norm().maxCoeff() / kept;
}

using Cost = double (*)(const Leaving& l);

double exact_cost(const Leaving& l) {
  return left_out(l.weights, l.values, l.kept).cost;
}
double bound_of_cost(const Leaving& l) {
  return left_out(l.weights, l.values, l.kept).bound;
}
double without_renormalising(const Leaving& l) {
  double mass = 0;
  for (const Index j : l.kept) mass += l.weights(j);
  return exact_cost(l) * mass;
}
// a_j|v_j|, as the unrenormalised sum has it.
double weight_times_norm(const Leaving& l) {
  return l.weights(1) * l.values.row(1).norm();
}

auto is_cost(Cost claimed) {
  return [claimed](const Context& context) {
    const AttainedSupremum worst =
        run_trials(context.trials(4000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& s) {
          const Leaving l = random_leaving(context.seed, trial);
          s.add(neither_exceeds(moved(l), claimed(l), rounding(l)), [&] { return fmt::format("trial {}", trial); });
        });
    return std::vector{supremum("log-normal weights, every other key left out", worst)};
  };
}

Evidence of_two(Cost claimed) {
  const Leaving l = one_of_two(0.05);
  return tight("one of two keys left out, m=.05", {moved(l), claimed(l), rounding(l)}, Equality::attained);
}
auto is_cost_of_two(Cost claimed) {
  return [claimed](const Context&) { return std::vector{of_two(claimed)}; };
}

std::vector<Evidence> bounds_cost(const Context& context) {
  const AttainedSupremum worst =
      run_trials(context.trials(4000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& s) {
        const Leaving l = random_leaving(context.seed, trial);
        s.add({moved(l), bound_of_cost(l), rounding(l)}, [&] { return fmt::format("trial {}", trial); });
      });
  return {supremum("log-normal weights, every other key left out", worst), of_two(bound_of_cost)};
}

using Exponent = double (*)(const PopulationParameters& at);

double ratio_of_scores(const Context& context, const Instance& one, const PopulationParameters& at, Index tables,
                       std::uint32_t trial) {
  const Hyperplanes drawn = context.estimators.draw(context.seed, trial, tables, at.planes, one.dim());
  const KeyCodes codes = context.estimators.hash(drawn, one.keys);
  const Vector scores = context.estimators.soft(drawn, codes, one.query, {.temperature = at.temperature});
  return scores.maxCoeff() / scores.minCoeff();
}

// Drawn keys and tables, and a long query with one key along it and one opposite.
auto ratio_is_at_most(Exponent exponent) {
  return [exponent](const Context& context) {
    std::vector<Evidence> evidence;
    for (const Index planes : {8, 10, 12})
      for (const double temperature : {0.3, 0.5, 0.7}) {
        const PopulationParameters at{.temperature = temperature, .dim = 128, .planes = planes};
        const double claim = std::exp(exponent(at));
        const std::string where = fmt::format("d=128 P={} tau={}", planes, temperature);
        const Instance drawn = make_instance({.keys = 200}, context.seed, 0);
        evidence.push_back(exact({where + ", 200 Gaussian keys, L=2", "largest ratio of two scores"},
                                 ratio_of_scores(context, drawn, at, 2, 0), at_most(claim, 1e-9 * claim)));
        Instance opposite = drawn;
        opposite.query *= 1e12;
        opposite.keys.row(0) = drawn.query;
        opposite.keys.row(1) = -drawn.query;
        evidence.push_back(exact({where + ", keys along and against a long query, L=60", "largest ratio of two scores"},
                                 ratio_of_scores(context, opposite, at, 60, 1), equals(claim, 1e-9 * claim)));
      }
    return evidence;
  };
}

double signal(const PopulationParameters& at) {
  return std::log(outranking_norm(at));
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "OWN-13i",
       .title = "Leaving out a set of keys moves the renormalised output by |sum alpha_j (v_j - y)|/(1 - m)",
       .measure = is_cost(exact_cost),
       .mutants = {{"without 1/(1 - m), m=.05", is_cost_of_two(without_renormalising)},
                   {"without 1/(1 - m)", is_cost(without_renormalising)},
                   {"alpha_j|v_j|, one of two keys", is_cost_of_two(weight_times_norm)}},
       .remark =
           "For one key alpha_j|v_j - y|/(1 - alpha_j). It does not change where all values are moved alike, which "
           "alpha_j|v_j| does."},
      {.id = "OWN-13ii",
       .title = "Leaving out a set of keys moves the output by at most sum alpha_j |v_j - y|/(1 - m)",
       .kind = Kind::inequality,
       .measure = bounds_cost,
       .mutants = {{".98 of it", is_cost_of_two([](const Leaving& l) { return 0.98 * bound_of_cost(l); })},
                   {"without 1/(1 - m), m=.05", is_cost_of_two(without_renormalising)}}},
      {.id = "OWN-14",
       .title = "A norm e^{2P/(tau sqrt d)} times as long outranks every score of SOCKET",
       .kind = Kind::inequality,
       .scope = "ranking by score times norm; any keys, query, tables",
       .measure = ratio_is_at_most(signal),
       .mutants = {{"exponent 1.98 P/(tau sqrt d)",
                    ratio_is_at_most([](const PopulationParameters& at) { return 0.99 * signal(at); })},
                   {"P - 1", ratio_is_at_most([](const PopulationParameters& at) {
                      return signal(at) * (real(at.planes) - 1) / real(at.planes);
                    })}},
       .remark =
           "16.9 at P = 8, tau = .5, d = 128; 7.5 at tau = .7. On 200 Gaussian keys the scores of two tables differ by "
           "less."}};
}

}  // namespace skt::left_out_keys_group

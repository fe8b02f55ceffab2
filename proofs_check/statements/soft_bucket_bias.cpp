// How far is a soft score from the hard collision indicator, in one table? (eqs. (36) to (39))
//
// With p = p_tau(b_q|q), n_r the keys of bucket r and B = max_r n_r in this table, I_j the collision
// indicator: S002-E36  Claim (identity): sum_j |s_j - I_j| = sum_{b_j = b_q} (1 - p) + sum_{b_j != b_q} s_j.
//           Mutants: only the first sum; only the second.
// S002-E37  Claim (upper bound): the first sum is at most B(1 - p). Mutants: B - 1; B(1 - p)^2.
// S002-E38  Claim (upper bound): the second sum is at most B(1 - p). Mutants: B p; B(1 - p)/2.
// S002-E39  Claim (upper bound): both together are at most 2B(1 - p). Mutants: B(1 - p); 2(B - 1)(1 - p).
// Equality in all bounds on I-GRID, where every bucket holds B keys. Scope: any table, tau > 0. Method:
// random tables and I-GRID through the estimators, the two sides summed separately, in rounding bounds.
// Power: rounding.
#include <algorithm>
#include <cmath>
#include <limits>

#include "estimators/soft_buckets.hpp"
#include "proofs_check/accumulators.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/table_scores.hpp"
#include "sim/families.hpp"
#include "sim/tight_families.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

// Of one table, seen by one query.
struct Table {
  double distance = 0;   // sum_j |s_j - I_j|
  double inside = 0;     // sum over the keys of b_q of 1 - p
  double outside = 0;    // sum over the other keys of s_j
  double own = 0;        // p
  double rest = 0;       // 1 - p, summed over the other buckets
  double occupancy = 0;  // B
  double keys = 0;
};

Table table_of(const Context& context, const Instance& instance, const Hyperplanes& hyperplanes,
               double temperature) {
  Matrix all(instance.num_keys() + 1, instance.dim());
  all << instance.keys, instance.query.transpose();
  const KeyCodes codes = context.estimators.hash(hyperplanes, all);
  const Vector scores = context.estimators.soft(hyperplanes, codes, instance.query, {temperature});
  const std::uint32_t own = codes.codes.back();
  const Matrix signal = query_signal(hyperplanes, instance.query, Scaling::inverse_sqrt_dim);
  const std::vector<double> p =
      bucket_probabilities_softmax({signal.data(), static_cast<std::size_t>(signal.size())}, temperature);

  Table t{.own = p[own], .keys = static_cast<double>(instance.num_keys())};
  for (std::size_t r = 0; r < p.size(); ++r) t.rest += r == own ? 0 : p[r];
  std::vector<double> held(p.size());
  for (Index j = 0; j < instance.num_keys(); ++j) {
    const std::uint32_t code = codes.codes[static_cast<std::size_t>(j)];
    ++held[code];
    t.distance += std::abs(scores(j) - (code == own ? 1 : 0));
    (code == own ? t.inside : t.outside) += code == own ? t.rest : scores(j);
  }
  t.occupancy = *std::max_element(held.begin(), held.end());
  return t;
}

// The two routes to p differ by the rounding of P logits of at most 2/(tau sqrt d) each; sums of N terms.
double rounding(const Table& t) {
  return 256 * std::numeric_limits<double>::epsilon() * (1 + t.keys);
}

Table random_table(const Context& context, std::uint64_t trial) {
  const Index planes = 1 + static_cast<Index>(trial % 3);
  const auto number = static_cast<std::uint32_t>(trial);
  const Instance instance =
      make_instance({.keys = 1 + static_cast<Index>(trial % 20), .dim = 6}, context.seed, number);
  const double temperature = std::pow(10.0, -1 + static_cast<double>(trial % 4) / 2);  // 0.1 .. 3
  return table_of(context, instance, context.estimators.draw(context.seed, number, 1, planes, 6),
                  temperature);
}

Table grid_table(const Context& context, double temperature) {
  const Instance grid = grid_instance(axis_planes(3, 6), {.copies = 4}, context.seed, 0);
  return table_of(context, grid, {1, 3, 6, axis_planes(3, 6)}, temperature);
}

using Side = double (*)(const Table&);

auto claim(Relation relation, Side left, Side right) {
  return [=](const Context& context) {
    const Largest worst = run_trials(context.trials(10'000), Largest{}, [&](std::uint64_t trial, Largest& l) {
      const Table t = random_table(context, trial);
      const double excess = left(t) - right(t);
      l.add((relation == Relation::equal ? std::abs(excess) : excess) / rounding(t));
    });
    std::vector<Evidence> evidence = {
        supremum({"random tables of 1 to 20 keys", "(left - right)/rounding bound"}, worst.value, 0,
                 worst.trials, worst.in_scope)};
    for (const double temperature : {0.1, 0.5, 5.0}) {
      const Table t = grid_table(context, temperature);
      evidence.push_back(
          exact({"I-GRID(4) P=3 d=6 tau=" + std::to_string(temperature).substr(0, 3), "left side"}, left(t),
                {relation, right(t), rounding(t)}));
    }
    return evidence;
  };
}

}  // namespace

std::vector<Statement> soft_bucket_bias_statements() {
  const auto step = [](std::string id, std::string title, Relation relation, Side left, Side right,
                       std::vector<Mutant> mutants) {
    return Statement{.id = std::move(id),
                     .title = std::move(title),
                     .source = "paper, proof of Lemma 11",
                     .kind = relation == Relation::equal ? Kind::identity : Kind::inequality,
                     .scope = "one table, B its fullest bucket",
                     .measure = claim(relation, left, right),
                     .mutants = std::move(mutants)};
  };
  const auto bound = [](Side left, Side right) { return claim(Relation::at_most, left, right); };
  const Side distance = [](const Table& t) { return t.distance; };
  const Side inside = [](const Table& t) { return t.inside; };
  const Side outside = [](const Table& t) { return t.outside; };
  return {step("S002-E36", "sum|s_j - I_j| splits at the query's bucket", Relation::equal, distance,
               [](const Table& t) { return t.inside + t.outside; },
               {{"only the query's bucket", claim(Relation::equal, distance, inside)},
                {"only the other buckets", claim(Relation::equal, distance, outside)}}),
          step("S002-E37", "Keys of the query's bucket miss at most B(1 - p)", Relation::at_most, inside,
               [](const Table& t) { return t.occupancy * t.rest; },
               {{"B - 1", bound(inside, [](const Table& t) { return (t.occupancy - 1) * t.rest; })},
                {"(1 - p)^2", bound(inside, [](const Table& t) { return t.occupancy * t.rest * t.rest; })}}),
          step("S002-E38", "Keys of other buckets gain at most B(1 - p)", Relation::at_most, outside,
               [](const Table& t) { return t.occupancy * t.rest; },
               {{"B p", bound(outside, [](const Table& t) { return t.occupancy * t.own; })},
                {"B(1 - p)/2", bound(outside, [](const Table& t) { return t.occupancy * t.rest / 2; })}}),
          step("S002-E39", "sum|s_j - I_j| <= 2B(1 - p)", Relation::at_most, distance,
               [](const Table& t) { return 2 * t.occupancy * t.rest; },
               {{"B(1 - p)", bound(distance, [](const Table& t) { return t.occupancy * t.rest; })},
                {"2(B - 1)(1 - p)",
                 bound(distance, [](const Table& t) { return 2 * (t.occupancy - 1) * t.rest; })}})};
}

}  // namespace skt

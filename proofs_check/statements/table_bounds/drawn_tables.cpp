#include "estimators/population/weights.hpp"
#include "estimators/tables/table_sums.hpp"
#include "proofs_check/bounds/a_priori_bounds.hpp"
#include "proofs_check/bounds/drawn_table_bounds.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "sim/statistics/quantiles.hpp"

namespace skt::drawn_tables_group {

extern const StatementGroup kGroup = {
    .question = "How often are the radii missed by tables that the estimators draw?",
    .notes = R"(
OWN-two-keys  pairs of keys made to break a bound: copies, copies a thousandth of a radian apart, opposite keys, a
              hundred copies against one key; hard and soft tables, 1 to 8 planes, 2 to 60 tables
OWN-in-use    one instance of the kind that is used, with the ratio of each radius to the error's own quantile)",
    .method =
        "Counted misses at delta = .05. On two keys the kurtosis is bounded by Corollary 4(i). On clustered keys it "
        "is taken to be a tenth above that of all tables drawn, which is not a bound.",
    .power =
        "The radii are proved and hold with room to spare. Lies that halve a radius are noticed here, smaller ones by "
        "the exact sums of the other files. Tables that are copies of each other are noticed.",
    .source = "docs/bounds/drawn_tables.md, Theorems 1 and 2; planned_tables.md, Corollary 3",
    .kind = Kind::high_probability,
    .chance = Chance::random};

namespace {

constexpr double kDelta = 0.05;
constexpr std::array kBounds{"Theorem 1(a)", "Theorem 1(b)", "Theorem 2", "Corollary 3"};

// What one draw of the tables gave.
struct Drawn {
  double error = 0;
  std::array<double, kBounds.size()> radius{};
  Vector squares;  // ||xi_l||^2
};

struct Draws {
  void merge(const Draws& later) { of.insert(of.end(), later.of.begin(), later.of.end()); }
  std::vector<Drawn> of;
};

// The problem, its moments, and the radii from the drawn sums.
struct Problem {
  Instance instance;
  PopulationParameters parameters;
  TableMoments moments = table_moments(parameters, instance);
  TargetMoments at = target_moments(moments, moments.output);

  Drawn draw(const Context& context, std::uint32_t trial, Index tables) const {
    const Hyperplanes drawn = context.estimators.draw(context.seed, trial, tables, parameters.planes, instance.dim());
    const TableSums sums = table_sums(drawn, context.estimators.hash(drawn, instance.keys), instance.query,
                                      instance.values, {parameters.temperature, parameters.scaling});
    const Matrix residuals = sums.numerators - sums.normalisers * moments.output.transpose();
    return {(sums.output() - moments.output).norm(),
            {self_normalised_bound(sums, moments.output, at, kDelta), certified_bound(sums, at, kDelta),
             exponential_bound(sums, moments.output, at, kDelta), 0},
            residuals.rowwise().squaredNorm() / (at.mass * at.mass)};
  }
};

std::vector<Evidence> counted(const Context& context, const std::string& instance, const std::vector<Drawn>& draws,
                              double factor) {
  std::vector<Evidence> evidence;
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    const auto missed = [&](const Drawn& d) { return d.error > factor * d.radius[i]; };
    const auto hits = std::count_if(draws.begin(), draws.end(), missed);
    evidence.push_back(frequency({instance, fmt::format("P(error > radius of {})", kBounds[i])}, hits, draws.size(),
                                 at_most(kDelta), {context.share(kBounds), 1}));
  }
  return evidence;
}

// A pair of keys, one of them perhaps a hundred times, in four dimensions; values 1 and of any sign.
Instance two_keys(Seed seed, std::uint32_t trial) {
  const Instance drawn = make_instance({.keys = 2, .dim = 4, .value_dim = 1}, seed, trial);
  const Index copies = trial % 5 == 4 ? 100 : 1;
  Instance pair{"two keys", drawn.query, Matrix(copies + 1, 4), Matrix::Ones(copies + 1, 1)};
  pair.keys.row(0) = drawn.keys.row(0);
  Vector other = drawn.keys.row(1);
  const Vector first = drawn.keys.row(0).normalized();
  if (trial % 5 == 1) other = first;                                                           // a copy
  if (trial % 5 == 2) other = first + 1e-3 * (other - other.dot(first) * first).normalized();  // nearly one
  if (trial % 5 == 3) other = -first;
  pair.keys.bottomRows(copies).rowwise() = other.transpose();
  pair.values(0, 0) = drawn.values(0, 0);
  return pair;
}

auto two_keys_keep_delta(double factor) {
  return [factor](const Context& context) {
    constexpr std::uint32_t kDrawsOfPair = 40;  // the moments of a pair take as long as some hundred draws
    const Draws draws = run_trials(
        context.trials(200), Draws{},
        [&](std::uint32_t trial, Draws& list) {
          const Instance instance = two_keys(context.seed, trial);
          const auto [warmth, size] = random_uniforms(context.seed, {Role::test_draw, trial});
          const double temperature = 0.02 * std::pow(100, warmth);  // .02 to 2
          const Index tables = 2 + static_cast<Index>(59 * size);   // 2 to 60
          const Problem problem{instance,
                                population_parameters(instance, 1 + trial / 5 % 8, temperature, Scaling::none)};
          const double longest = largest_table_norm(instance, problem.moments, problem.parameters);
          const double kurtosis = std::max(1.0, longest * longest / problem.at.trace);
          for (std::uint32_t i = 0; i < kDrawsOfPair; ++i) {
            Drawn one = problem.draw(context, kDrawsOfPair * trial + i, tables);
            one.radius.back() = a_priori_bound(problem.at, kurtosis, real(tables), kDelta);
            list.of.push_back(one);
          }
        },
        2);
    return counted(context, "pairs of keys, tau .02 to 2, P 1 to 8, L 2 to 60", draws.of, factor);
  };
}

// Clustered keys whose values share a part: neither the length of xi nor the normaliser is nearly constant.
auto in_use_keeps_delta(double factor) {
  return [factor](const Context& context) {
    constexpr Index kTables = 60;
    Instance instance = make_instance(
        {.family = InstanceFamily::clustered_values, .keys = 256, .dim = 128, .value_dim = 16}, context.seed, 0);
    const PopulationParameters parameters = population_parameters(instance, 8, 0.5, Scaling::inverse_sqrt_dim);
    const Problem problem{std::move(instance), parameters};
    Draws draws = run_trials(
        context.trials(1'600), Draws{},
        [&](std::uint32_t trial, Draws& list) { list.of.push_back(problem.draw(context, trial, kTables)); }, 4);

    double squares = 0, fourths = 0;
    for (const Drawn& d : draws.of) {
      squares += d.squares.mean() / real(draws.of.size());
      fourths += d.squares.squaredNorm() / real(kTables * draws.of.size());
    }
    const double kurtosis = 1.1 * fourths / (squares * squares);
    for (Drawn& d : draws.of) d.radius.back() = a_priori_bound(problem.at, kurtosis, real(kTables), kDelta);

    std::vector<Evidence> evidence =
        counted(context, "256 clustered keys and values, d=128 d_v=16 P=8 tau=.5 L=60", draws.of, factor);
    std::vector<double> errors, radii;
    for (const Drawn& d : draws.of) errors.push_back(d.error);
    const double quantile = sample_quantile(errors, 1 - kDelta);
    const double longest = row_norms(problem.instance.values).maxCoeff();
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      radii.clear();
      for (const Drawn& d : draws.of) radii.push_back(factor * d.radius[i]);
      const double radius = sample_quantile(radii, 0.5);
      evidence[i].bound_over_quantile = radius / quantile;
      evidence[i].bound_over_trivial = radius / longest;
    }
    return evidence;
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "OWN-two-keys",
       .title = "Theorems 1 and 2 and Corollary 3 on pairs of keys built to break them",
       .scope = "independent tables; kurtosis by Corollary 4(i)",
       .measure = two_keys_keep_delta(1),
       .mutants = {{"radii times .4", two_keys_keep_delta(0.4)}, {"radii times .2", two_keys_keep_delta(0.2)}},
       .no_near_mutant =
           "The radii are not attained on drawn pairs; lies near the truth stand where they are, in OWN-1a, "
           "OWN-1b and OWN-3."},
      {.id = "OWN-in-use",
       .title = "Theorems 1 and 2 and Corollary 3 on clustered keys and values",
       .scope = "independent tables; kurtosis a tenth above that of the tables drawn",
       .measure = in_use_keeps_delta(1),
       .mutants = {{"radii times .6", in_use_keeps_delta(0.6)}, {"radii times .3", in_use_keeps_delta(0.3)}},
       .no_near_mutant = "The radii are at least a fifth above the quantile here. OWN-1a, OWN-1b and OWN-3, where they "
                         "are attained, have lies near the truth."}};
}

}  // namespace skt::drawn_tables_group

#include "estimators/collision_scores.hpp"
#include "estimators/population/angular_kernel.hpp"
#include "estimators/population/population.hpp"
#include "proofs_check/laws/angle_instance.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::similarity_hashing_group {

extern const StatementGroup kGroup = {
    .question = "When do near pairs collide more often than far ones? (paper, section 3.1)",
    .notes = R"(
f(S) = (1 - acos(S)/pi)^P is the probability that two vectors of cosine S collide. Of a sensitive family pairs of
similarity >= S0 collide with probability >= p1, those of similarity <= c S0 with probability <= p2, and p1 > p2.

S002-LSH1            refuted at S0 = -1/2, c = 1/2: a pair at -0.4 meets both conditions
S002-LSH1-corrected  0 < S0 <= 1 and -1/S0 <= c < 1
S002-LSH2            f' = P (1 - theta/pi)^(P-1)/(pi sqrt(1 - S^2)) > 0; every strictly increasing f gives p1 > p2)",
    .method = "Exact f on grids; frequencies of full hashes at the boundary angles.",
    .power = "Exact; a collision probability off by 0.03.",
    .source = "paper, section 3.1",
    .scope = "vectors other than 0"};

namespace {

constexpr double kPi = std::numbers::pi;
constexpr Index kPlanes = 3;
constexpr double kLeast = std::numeric_limits<double>::min();  // "above 0"

double collision(double similarity) {
  return angular_weight(kPlanes, Cosine::of(similarity)).value;
}

// S002-LSH1 as printed: the best constants are the infimum of f over S >= S0 and its supremum over S <= c S0.
auto at_threshold(const char* name, double s0) {
  return [=](const Context&) -> std::vector<Evidence> {
    const double c = 0.5;
    return {exact({fmt::format("S0 = {}, c = 1/2, P=3", name), "p1 - p2 at the best constants"},
                  collision(s0) - collision(c * s0), at_least(kLeast))};
  };
}

struct Sensitivity {
  double p1_factor = 1;
  double p2_factor = 1;
  double (*similarity)(const Vector& x, const Vector& y) = cosine;
};

// f is right to 32 units of rounding in absolute terms, and at least (1 - 2/3)^3 = 1/27 where it divides below.
constexpr double kRatioRounding = 2 * 27 * 32 * kUnit;

// Pairs of all angles in steps of 3 degrees at three lengths: the larger of p1/f for near and f/p2 for far ones.
double largest_violation(const Sensitivity& claim, double s0, double c, double p1, double p2) {
  double worst = 0;
  for (int step = 0; step <= 60; ++step) {
    const double theta = kPi * step / 60;
    for (const double length : {0.1, 1.0, 100.0}) {
      const Vector x = Vector::Unit(2, 0);
      const Vector y = length * (std::cos(theta) * Vector::Unit(2, 0) + std::sin(theta) * Vector::Unit(2, 1));
      const double similarity = claim.similarity(x, y), probability = collision(cosine(x, y));
      // The grid meets S0 = cos(60 degrees) up to rounding, which the condition forgives.
      if (similarity >= s0 - 8 * kUnit) worst = larger(worst, p1 / probability);
      if (similarity <= c * s0 + 8 * kUnit) worst = larger(worst, probability / p2);
    }
  }
  return worst;
}

// Keys at the boundary angles of S0 = c = 1/2 to the query, through the hashes.
void collide_at_the_boundary(const Context& context, const Sensitivity& claim, std::vector<Evidence>& evidence) {
  struct Key {
    const char* instance;
    double cosine;
    Relation relation;
    double claimed;
  };
  const double s0 = 0.5, c = 0.5;
  const std::array keys = {
      Key{"cosine 1/2, d=16 P=3", s0, Relation::at_least, collision(s0) * claim.p1_factor},
      Key{"cosine 1/4, d=16 P=3", c * s0, Relation::at_most, collision(c * s0) * claim.p2_factor},
  };
  constexpr Index kDim = 16, kTables = 8;
  const Instance pairs = angle_instance({std::acos(keys[0].cosine), std::acos(keys[1].cosine)}, kDim, 1, context.seed);
  const std::uint64_t trials = context.trials(20'000);
  const Counts hits = run_trials(trials, Counts(keys.size()), [&](std::uint32_t trial, Counts& counts) {
    const Hyperplanes drawn = context.estimators.draw(context.seed, trial, kTables, kPlanes, kDim);
    const Vector met = hard_scores(drawn, context.estimators.hash(drawn, pairs.keys), pairs.query);
    for (Index i = 0; i < pairs.num_keys(); ++i) counts.of[i] += static_cast<std::uint64_t>(met(i));
  });
  for (Index i = 0; i < pairs.num_keys(); ++i)
    evidence.push_back(frequency({keys[i].instance, "P(collision)"}, hits.of[i], kTables * trials,
                                 {keys[i].relation, keys[i].claimed}, {context.share(keys), 0.03}));
}

auto sensitive(Sensitivity claim) {
  return [claim](const Context& context) {
    std::vector<Evidence> evidence;
    for (const double s0 : {0.5, std::cos(kPi / 12), 1.0})
      for (const double c : {-0.5, 0.0, 0.9}) {
        const double p1 = collision(s0) * claim.p1_factor, p2 = collision(c * s0) * claim.p2_factor;
        const std::string what = fmt::format("pairs every 3 degrees at three lengths, S0 = {:.3f}, c = {}", s0, c);
        evidence.push_back(exact({what, "p1 - p2"}, p1 - p2, at_least(kLeast)));
        evidence.push_back(exact({what, "largest of p1/P(near) and P(far)/p2"}, largest_violation(claim, s0, c, p1, p2),
                                 at_most(1, kRatioRounding)));
      }
    collide_at_the_boundary(context, claim, evidence);
    return evidence;
  };
}

// S002-LSH2: an increasing f as a sum of positive steps, with a stretch on which it rises by `flat` times as much.
using Slope = double (*)(double similarity);

auto monotone(double flat, Slope slope, double factor = 1) {
  return [=](const Context& context) -> std::vector<Evidence> {
    double least = 1;
    const std::uint64_t trials = context.trials(500);
    for (std::uint32_t trial = 0; trial < trials; ++trial) {
      double rise[20];
      fill_uniform(context.seed, {.trial = trial}, rise);
      for (int i = 14; i < 17; ++i) rise[i] *= flat;
      const auto f = [&](double similarity) {  // on -1 .. 1
        double value = 0;
        for (int i = 0; i < 20; ++i) value += rise[i] * std::clamp((similarity + 1) * 10 - i, 0.0, 1.0);
        return value;
      };
      least = smaller(least, f(0.6) - f(0.8 * 0.6));
    }
    double most = 0, fewest = HUGE_VAL, lowest = 1;
    for (int step = -9; step <= 9; ++step) {
      const double s = step / 10.0, h = 1e-4;
      const double ratio = (collision(s + h) - collision(s - h)) / (2 * h) / (factor * slope(s));
      most = larger(most, ratio), fewest = smaller(fewest, ratio);
      lowest = smaller(lowest, factor * slope(s));
    }
    // A central difference errs by h^2 f'''/6 relative to f': f'''/f' < 6 (1 + 2 P)/(1 - S^2)^2 here, and rounding by
    // eps f/(h f') with f/f' < 2.
    const double error = 1e-8 * 7 / (0.19 * 0.19) + 4 * kUnit / 1e-4;
    return {
        exact({"random increasing f, S0 = .6, c = .8", "least p1 - p2"}, least, at_least(kLeast)),
        exact({"signed projections, S = -.9 .. .9, P=3", "largest difference quotient/f'"}, most, at_most(1, error)),
        exact({"signed projections, S = -.9 .. .9, P=3", "least difference quotient/f'"}, fewest, at_least(1, error)),
        exact({"signed projections, S = -.9 .. .9, P=3", "least f'"}, lowest, at_least(kLeast))};
  };
}

double slope_of_collision(double s) {
  return kPlanes * std::pow(1 - std::acos(s) / kPi, kPlanes - 1) / (kPi * std::sqrt(1 - s * s));
}

Statement increasing_collisions() {
  const auto times = [](double factor) { return monotone(1, slope_of_collision, factor); };
  return {.id = "S002-LSH2",
          .title = "A strictly increasing collision probability makes a sensitive family",
          .quote = "the collision probability is a monotone function of similarity",
          .scope = "vectors other than 0, S0 > 0, f strictly increasing",
          .measure = times(1),
          .mutants = {{"f constant on a stretch", monotone(0, slope_of_collision)},
                      {"f' 2% smaller", times(0.98)},
                      {"f' without 1/sqrt(1 - S^2)",
                       monotone(1, [](double s) { return slope_of_collision(s) * std::sqrt(1 - s * s); })}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-LSH1",
       .title = "Near pairs collide with p1 > p2 for every threshold S0 and c < 1",
       .wording = Wording::reading,
       .kind = Kind::inequality,
       .measure = at_threshold("-1/2", -0.5),
       .controls = {{"S0 = 1/2", at_threshold("1/2", 0.5)}},
       .expected = Verdict::refuted,
       .remark =
           "Section 3.1 defines a sensitive family and asserts nothing of a given S0. The definition can be met for "
           "S0 > 0 only: for S0 <= 0 and c < 1, c S0 >= S0, and a pair with a similarity between the two meets both "
           "conditions."},
      {.id = "S002-LSH1-corrected",
       .title = "Signed projections are (S0, c S0, f(S0), f(c S0))-sensitive for S0 > 0",
       .source = "paper, section 3.1, corrected",
       .kind = Kind::inequality,
       .chance = Chance::random,
       .measure = sensitive({}),
       .mutants = {{"p1 = 1.02 f(S0)", sensitive({.p1_factor = 1.02})},
                   {"p2 = .98 f(c S0)", sensitive({.p2_factor = 0.98})},
                   {"similarity = inner product",
                    sensitive({.similarity = [](const Vector& x, const Vector& y) { return x.dot(y); }})}}},
      increasing_collisions()};
}

}  // namespace skt::similarity_hashing_group

#include "estimators/peers/bucket_attention.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "sim/statistics/binomial_tails.hpp"

namespace skt::bucket_candidates_group {

extern const StatementGroup kGroup = {
    .question = "Which keys does Bucket Attention consider, and with what probability (document 001, section 5)?",
    .notes = R"(
A table opens t buckets; a key collides with the query if it lies in one of them, which at an angle theta has the
probability p_t(theta).)",
    .method =
        "Exact binomial intervals for the probability, with p_t by quadrature; random cases against the definitions.",
    .power = "A collision probability off by 0.03 is seen with probability above 0.99; the sets are exact.",
    .scope = "independent Gaussian planes"};

namespace {

struct Design {
  double angle;
  Index tables, planes;
  std::int64_t top;
};

// How often does each number of collisions, 0 to L, occur for one key at the angle of the design?
Counts simulate(const Context& context, const Design& design, std::uint64_t trials) {
  constexpr Index kDim = 4;
  const Vector query = Vector::Unit(kDim, 0);
  Matrix key = Matrix::Zero(1, kDim);
  key(0, 0) = std::cos(design.angle);
  key(0, 1) = std::sin(design.angle);
  return run_trials(trials, Counts(design.tables + 1), [&](std::uint32_t trial, Counts& histogram) {
    const Hyperplanes planes = context.estimators.draw(context.seed, trial, design.tables, design.planes, kDim);
    const Vector collisions =
        bucket_collisions(query_signal(planes, query, Scaling::none), context.estimators.hash(planes, key), design.top);
    ++histogram.of[static_cast<Index>(collisions(0))];
  });
}

constexpr double kResolution = 0.15;  // of a probability, at smoke size; the mutants are off by more than .05

// S001-4: the law Bin(4, p) at one design and P(candidate) at another, with claimed p and P(candidate).
struct CollisionLaw {
  double (*collide)(const Design&);
  double (*candidate)(const Design&);
};

double exact_collide(const Design& d) {
  return *collision_probability(d.angle, d.planes, d.top);
}
double exact_candidate(const Design& d) {
  return candidate_probability(exact_collide(d), d.tables);
}

std::vector<Evidence> binomial_law(const Context& context, const CollisionLaw& law) {
  const Design design{0.3 * std::numbers::pi, 4, 4, 2};
  const std::uint64_t trials = context.trials(20000);
  const Counts histogram = simulate(context, design, trials);
  const Design half{std::numbers::pi / 2, 1, 4, 8};  // half of the buckets of one table: far from eight tables of one
  const Counts of_half = simulate(context, half, trials);
  const Precision precision{context.share(std::size(histogram.of) + 1), kResolution};  // and P(candidate)
  const double collide = law.collide(design);
  std::vector<Evidence> evidence;
  for (Index c = 0; c <= design.tables; ++c) {
    // The quadrature behind p_2 is right to 1e-10.
    evidence.push_back(frequency({"theta=.3pi, P=4, L=4, t=2", fmt::format("P({} collisions)", c)}, histogram.of[c],
                                 trials, equals(binomial_probability(c, design.tables, collide), 1e-9), precision));
  }
  evidence.push_back(frequency({"theta=pi/2, P=4, L=1, t=8", "P(candidate)"}, of_half.of[1], trials,
                               equals(law.candidate(half), 1e-9), precision));
  return evidence;
}

// S001-3, at a design where the probability is near a half and at the document's own.
const Design kNearHalf{std::numbers::pi / 2, 4, 4, 4};
const Design kDocument{std::numbers::pi / 2, 31, 4, 4};

std::vector<Evidence> candidates(const Context& context, double (*probability)(const Design&),
                                 const std::function<bool(double collisions, double tables)>& is_candidate) {
  double wrong = 0;
  const Vector collisions = (Vector(4) << 0, 1, 2, 3).finished();
  const std::vector<Allowed> mask = bucket_candidates(collisions, {});
  for (Index j = 0; j < 4; ++j) {
    if ((mask[j] == Allowed::yes) != is_candidate(collisions(j), 3)) ++wrong;
  }
  std::vector<Evidence> evidence{
      exact({"0 to 3 collisions in three tables", "keys classed otherwise than claimed"}, wrong, equals(0))};
  for (const Design& design : {kNearHalf, kDocument}) {
    const std::uint64_t trials = context.trials(design.tables < 10 ? 20'000 : 2'000);
    const Counts histogram = simulate(context, design, trials);
    evidence.push_back(frequency({fmt::format("orthogonal key, K=4, L={}, top_t=4", design.tables), "P(candidate)"},
                                 trials - histogram.of[0], trials, equals(probability(design), 1e-9),
                                 {context.share(2), kResolution}));
  }
  return evidence;
}

// S001-5.
using Choose = std::function<std::vector<Index>(const Vector& collisions, const Vector& scores, Index budget)>;

std::vector<Evidence> never_selected(const Context& context, const Choose& choose) {
  double without_collision = 0, missing = 0;
  const auto trials = static_cast<std::uint32_t>(context.trials(2000));
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    constexpr Index kKeys = 12;
    std::vector<double> z(2 * kKeys);
    fill_normal(context.seed, {.role = Role::test_draw, .trial = trial}, z);
    Vector collisions(kKeys), scores(kKeys);
    for (Index j = 0; j < kKeys; ++j) {
      collisions(j) = std::max(0.0, std::floor(2 * z[j]));
      scores(j) = collisions(j) * std::abs(z[kKeys + j]);
    }
    const Index candidates = (collisions.array() >= 1).count();
    const std::vector<Index> chosen = choose(collisions, scores, 6);
    for (const Index j : chosen) without_collision += collisions(j) == 0 ? 1 : 0;
    missing += real(std::max<Index>(0, std::min<Index>(6, candidates) - std::ssize(chosen)));
  }
  return {exact({"12 keys, budget 6", "selected keys without a collision"}, without_collision, equals(0)),
          exact({"12 keys, budget 6", "candidates missing though there is room"}, missing, equals(0))};
}

std::vector<Index> among_candidates(const Vector& collisions, const Vector& scores, Index budget) {
  return select_keys(scores, bucket_candidates(collisions, {}), {budget, 0, 0});
}

Statement candidate_statement() {
  const auto any = [](double collisions, double) { return collisions >= 1; };
  return {.id = "S001-3",
          .title = "A key is a candidate iff it collides in some table: probability 1 - (1 - p_t)^L",
          .source = "document 001, section 5.2 (the probability is derived)",
          .quote = "A key becomes a candidate if it matches in any of the L tables",
          .chance = Chance::random,
          .measure = [=](const Context& c) { return candidates(c, exact_candidate, any); },
          .mutants = {{"the first table is left out",
                       [=](const Context& c) {
                         return candidates(
                             c, [](const Design& d) { return candidate_probability(exact_collide(d), d.tables - 1); },
                             any);
                       }},
                      {"in every table",
                       [](const Context& c) {
                         return candidates(
                             c, [](const Design& d) { return std::pow(exact_collide(d), real(d.tables)); },
                             [](double collisions, double tables) { return collisions == tables; });
                       }},
                      {"probability min(1, L p_t)",
                       [=](const Context& c) {
                         return candidates(
                             c, [](const Design& d) { return std::min(1.0, real(d.tables) * exact_collide(d)); }, any);
                       }}},
          .remark =
              "With the document's own K=4, L=31, top_t=4, a key orthogonal to the query is a candidate with "
              "probability 1 - .75^31 = .99987. The candidate mask filters out almost nothing."};
}

}  // namespace

std::vector<Statement> statements() {
  return {candidate_statement(),
          {.id = "S001-4",
           .title = "The number of collisions is binomial with p_t(theta)",
           .source = "derived from document 001, section 5.3",
           .kind = Kind::expectation,
           .chance = Chance::random,
           .measure = [](const Context& c) { return binomial_law(c, {exact_collide, exact_candidate}); },
           .mutants = {{"p_t = t p_1",
                        [](const Context& c) {
                          return binomial_law(c, {[](const Design& d) {
                                                    return real(d.top) * *collision_probability(d.angle, d.planes, 1);
                                                  },
                                                  exact_candidate});
                        }},
                       {"P(candidate) = 1 - (1 - p_1)^{tL}",
                        [](const Context& c) {
                          return binomial_law(c, {exact_collide, [](const Design& d) {
                                                    return candidate_probability(
                                                        *collision_probability(d.angle, d.planes, 1), d.top * d.tables);
                                                  }});
                        }}}},
          {.id = "S001-5",
           .title = "A key without a collision is never selected; one with a collision is a candidate",
           .source = "document 001, section 5.3",
           .quote = "If collisions = 0: the key was never selected.",
           .scope = "selection among the candidates",
           .measure = [](const Context& c) { return never_selected(c, among_candidates); },
           .mutants = {{"candidates need two collisions",
                        [](const Context& c) {
                          return never_selected(c, [](const Vector& collisions, const Vector& scores, Index budget) {
                            return select_keys(scores, bucket_candidates(collisions.array() - 1, {}), {budget, 0, 0});
                          });
                        }},
                       {"a plain top-k of the scores",
                        [](const Context& c) {
                          return never_selected(c, [](const Vector&, const Vector& scores, Index budget) {
                            return select_keys(scores, {}, {budget, 0, 0});
                          });
                        }}},
           .no_near_mutant = "The number of wrongly selected keys is 0 or at least 1; nothing lies between.",
           .remark = "A plain top-k does select keys of score zero when it has room for more keys than there are "
                     "candidates."}};
}

}  // namespace skt::bucket_candidates_group

#include <boost/math/quadrature/gauss.hpp>

#include "estimators/peers/bucket_attention.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::bucket_ranking_group {

extern const StatementGroup kGroup = {
    .question = "What do collision counts say of a key (document 001, sections 5.3 and 6)?",
    .notes = R"(S001-7   the score on values worked out by hand
S001-8   the expected count falls strictly with the angle; its covariance with the cosine)",
    .method =
        "Cases worked by hand; the exact p_t on a grid and under the distribution of the angle in three dimensions, "
        "against the mean of bounded products (empirical Bernstein).",
    .power = "A mean of .13 or .15 (t = 2, 3) off by 0.06 is seen with probability above 0.99."};

namespace {

constexpr Index kPlanes = 4;

// S001-7.
using Score = std::function<Vector(const Vector& collisions, const Matrix& values)>;

std::vector<Evidence> score_is(const Score& score) {
  const Vector collisions = (Vector(4) << 5, 1, 0, 3).finished();
  const Matrix values = (Matrix(4, 2) << 7, 24, 7, 24, 7, 24, 0, 0).finished();
  const Vector claimed = score(collisions, values);
  const Vector computed = bucket_attention_scores(collisions, values);
  return {exact({"5 collisions, value (7, 24)", "score"}, computed(0), equals(claimed(0))),
          exact({"collisions 5, 1, 0, 3; norms 25, 25, 25, 0", "largest difference of a score"},
                (computed - claimed).lpNorm<Eigen::Infinity>(), equals(0)),
          exact({"collisions 5 and 1 at equal norms", "ratio of the scores"}, computed(0) / computed(1), equals(5))};
}

// S001-8: the claimed probability of a collision, by angle and number of opened buckets.
using Collide = double (*)(double angle, std::int64_t top);

double exact_collide(double angle, std::int64_t top) {
  return *collision_probability(angle, kPlanes, top);
}
double collide_top_times(double angle, std::int64_t top) {
  return real(top) * exact_collide(angle, 1);
}

// Gaussian keys in three dimensions: the cosine is uniform in [-1, 1], and E p(theta) cos theta is half the integral of
// p(theta) cos(theta) sin(theta) over [0, pi]. Both halves are smooth: the rule is right to rounding.
double mean_with_cosine(Collide collide, std::int64_t top) {
  const auto integrand = [=](double angle) { return collide(angle, top) * std::sin(2 * angle) / 4; };
  using Rule = boost::math::quadrature::gauss<double, 30>;
  return Rule::integrate(integrand, 0.0, std::numbers::pi / 2) +
         Rule::integrate(integrand, std::numbers::pi / 2, std::numbers::pi);
}

constexpr std::int64_t kTops[] = {1, 2, 3};  // those whose p_t is known

// Collisions/L times the cosine, for each of kTops.
void add_products(const Context& context, std::uint32_t trial, MomentsList& products) {
  constexpr Index kFewTables = 4, kDim = 3;  // the mean does not depend on the number of tables
  Matrix key(1, kDim);
  fill_normal(context.seed, {.role = Role::key, .trial = trial}, {key.data(), kDim});
  const Hyperplanes planes = context.estimators.draw(context.seed, trial, kFewTables, kPlanes, kDim);
  const KeyCodes codes = context.estimators.hash(planes, key);
  const Matrix signal = query_signal(planes, Vector::Unit(kDim, 0), Scaling::none);
  for (std::size_t i = 0; i < std::size(kTops); ++i)
    products.of[i].add(bucket_collisions(signal, codes, kTops[i])(0) / real(kFewTables) * key(0, 0) / key.norm());
}

// The smallest exact fall is that of p_1 from 19/20 pi to pi, 20^-4.
Evidence falls_with_the_angle() {
  double least_fall = 1;
  for (const std::int64_t top : kTops)
    for (int step = 0; step < 20; ++step) {
      const double fall =
          exact_collide(step * std::numbers::pi / 20, top) - exact_collide((step + 1) * std::numbers::pi / 20, top);
      least_fall = smaller(least_fall, fall);
    }
  return exact({"P=4, t=1, 2, 3, angle 0 to pi", "least fall of p_t in a step of pi/20"}, least_fall,
               at_least(std::pow(20.0, -4), 1e-9));
}

std::vector<Evidence> correlated(const Context& context, Collide collide) {
  const MomentsList products =
      run_trials(context.trials(20'000), MomentsList(std::size(kTops)),
                 [&](std::uint32_t trial, MomentsList& total) { add_products(context, trial, total); });
  std::vector<Evidence> evidence{falls_with_the_angle()};
  for (std::size_t i = 0; i < std::size(kTops); ++i) {
    const std::string quantity = fmt::format("mean of collisions/L times the cosine, t={}", kTops[i]);
    // p_2 and p_3 are right to 1e-10. The products lie in [-1, 1].
    evidence.push_back(mean_of_bounded({"Gaussian keys, d=3, K=4, L=4", quantity}, products.of[i], 2,
                                       equals(mean_with_cosine(collide, kTops[i]), 1e-9), {context.share(kTops), 0.2}));
  }
  return evidence;
}

std::vector<Evidence> every_realisation(const Context& context) {
  constexpr Index kDim = 16;
  const std::uint64_t problems = context.trials(4'000);
  const Counts inversions = run_trials(problems, Counts(1), [&](std::uint32_t trial, Counts& counts) {
    const Instance pair = make_instance({.keys = 2, .dim = kDim}, context.seed, trial);
    const Hyperplanes planes = context.estimators.draw(context.seed, trial, 31, kPlanes, kDim);
    const Vector collisions = bucket_collisions(query_signal(planes, pair.query, Scaling::none),
                                                context.estimators.hash(planes, pair.keys), 4);
    const Vector truth = pair.keys * pair.query;
    counts.of[0] += (truth(0) - truth(1)) * (collisions(0) - collisions(1)) < 0;
  });
  return {frequency({"two Gaussian keys, d=16, K=4, L=31, top_t=4", "P(the key of larger q.k has fewer collisions)"},
                    inversions.of[0], problems, equals(0), {context.error_share, 0.1})};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S001-7",
       .title = "The score is collisions times value norm",
       .source = "document 001, section 6.2",
       .quote = "score(q,i) = collisions(q,i) * ||v_i||_2",
       .scope = "any collisions and values",
       .measure =
           [](const Context&) {
             return score_is(
                 [](const Vector& c, const Matrix& v) { return Vector(c.array() * v.rowwise().norm().array()); });
           },
       .mutants = {{"the largest coordinate for the norm",
                    [](const Context&) {
                      return score_is([](const Vector& c, const Matrix& v) {
                        return Vector(c.array() * v.rowwise().lpNorm<Eigen::Infinity>().array());
                      });
                    }},
                   {"membership times norm",
                    [](const Context&) {
                      return score_is([](const Vector& c, const Matrix& v) {
                        return Vector(c.array().min(1.0) * v.rowwise().norm().array());
                      });
                    }},
                   {"squared norm",
                    [](const Context&) {
                      return score_is([](const Vector& c, const Matrix& v) {
                        return Vector(c.array() * v.rowwise().squaredNorm().array());
                      });
                    }}}},
      {.id = "S001-8",
       .title = "Collision counts fall with the angle in expectation and are correlated with q.k",
       .source = "document 001, section 5.3",
       .quote = "Collision counts behave as a soft similarity signal, often correlating with true attention weight",
       .kind = Kind::ordering,
       .scope = "expectation over the planes and Gaussian keys; t = 1, 2, 3",
       .chance = Chance::random,
       .measure = [](const Context& c) { return correlated(c, exact_collide); },
       .mutants = {{"p_t = t p_1", [](const Context& c) { return correlated(c, collide_top_times); }},
                   {"in every realisation", every_realisation}},
       .remark = "q.k is the cosine times |q||k|, and |k| is independent of the angle: at d = 3, K = 4 and L = 31 the "
                 "correlation of a key's collisions with q.k is .75, .81 and .85 for t = 1, 2, 3."}};
}

}  // namespace skt::bucket_ranking_group

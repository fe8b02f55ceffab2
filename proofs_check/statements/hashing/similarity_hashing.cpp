// When do near pairs collide more often than far ones, and what is the kernel of signed projections? (3.1, 5)
//
// f(S) = (1 - acos(S)/pi)^P is the probability that two vectors of cosine S collide. Of a sensitive family pairs of
// similarity >= S0 collide with probability >= p1, those of similarity <= c S0 with probability <= p2, and p1 > p2.
//
// S002-LSH1            refuted at S0 = -1/2, c = 1/2: a pair at -0.4 meets both conditions
// S002-LSH1-corrected  0 < S0 <= 1 and -1/S0 <= c < 1
// S002-LSH2            f' = P (1 - theta/pi)^(P-1)/(pi sqrt(1 - S^2)) > 0; every strictly increasing f gives p1 > p2
// S002-Q5              w is 1 for one direction only, 0 for the opposite one only, and 2^-P at a right angle
//
// Method: exact f on grids, frequencies of full hashes at the boundary angles, the kernel of the estimators.
// Power: exact; a collision probability off by 0.06.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "estimators/collision_scores.hpp"
#include "estimators/population/angular_kernel.hpp"
#include "estimators/population/population.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/angle_instance.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr Index kPlanes = 3;
constexpr double kLeast = std::numeric_limits<double>::min();  // "above 0"
constexpr const char* kScope = "vectors other than 0";

double collision(double similarity) {
  return angular_weight(kPlanes, Cosine::of(similarity)).value;
}

// S002-LSH1 as printed: the best constants are the infimum of f over S >= S0 and its supremum over S <= c S0.
std::vector<Evidence> any_threshold(const Context&) {
  const double s0 = -0.5, c = 0.5;
  return {exact({"S0 = -1/2, c = 1/2, P=3", "p1 - p2 at the best constants"}, collision(s0) - collision(c * s0),
                at_least(kLeast))};
}

struct Sensitivity {
  double p1_off = 0;
  double p2_off = 0;
  double (*similarity)(const Vector& x, const Vector& y) = cosine;
};

// Pairs of all angles in steps of 3 degrees at three lengths.
double largest_violation(const Sensitivity& claim, double s0, double c, double p1, double p2) {
  double worst = -1;
  for (int step = 0; step <= 60; ++step) {
    const double theta = kPi * step / 60;
    for (const double length : {0.1, 1.0, 100.0}) {
      const Vector x = Vector::Unit(2, 0);
      const Vector y = length * (std::cos(theta) * Vector::Unit(2, 0) + std::sin(theta) * Vector::Unit(2, 1));
      const double similarity = claim.similarity(x, y), probability = collision(cosine(x, y));
      // The grid meets S0 = cos(60 degrees) up to rounding, which the condition forgives.
      if (similarity >= s0 - 8 * kEps) worst = larger(worst, p1 - probability);
      if (similarity <= c * s0 + 8 * kEps) worst = larger(worst, probability - p2);
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
      Key{"cosine 1/2, d=128 P=3", s0, Relation::at_least, collision(s0) + claim.p1_off},
      Key{"cosine 1/4, d=128 P=3", c * s0, Relation::at_most, collision(c * s0) + claim.p2_off},
  };
  const Instance pairs = angle_instance({std::acos(keys[0].cosine), std::acos(keys[1].cosine)}, 128, 1, context.seed);
  const std::uint64_t trials = context.trials(40'000);
  const Counts hits = run_trials(trials, Counts(keys.size()), [&](std::uint32_t trial, Counts& counts) {
    const Hyperplanes drawn = context.estimators.draw(context.seed, trial, 1, kPlanes, 128);
    const Vector met = hard_scores(drawn, context.estimators.hash(drawn, pairs.keys), pairs.query);
    for (Index i = 0; i < pairs.num_keys(); ++i) counts.of[i] += met(i) > 0;
  });
  for (Index i = 0; i < pairs.num_keys(); ++i)
    evidence.push_back(frequency({keys[i].instance, "P(collision)"}, hits.of[i], trials,
                                 {keys[i].relation, keys[i].claimed}, {context.share(keys), 0.06}));
}

auto sensitive(Sensitivity claim) {
  return [claim](const Context& context) {
    std::vector<Evidence> evidence;
    for (const double s0 : {0.5, std::cos(kPi / 12), 1.0})
      for (const double c : {-0.5, 0.0, 0.9}) {
        const double p1 = collision(s0) + claim.p1_off, p2 = collision(c * s0) + claim.p2_off;
        const std::string what = fmt::format("pairs every 3 degrees at three lengths, S0 = {:.3f}, c = {}", s0, c);
        evidence.push_back(exact({what, "p1 - p2"}, p1 - p2, at_least(kLeast)));
        evidence.push_back(exact({what, "largest violation of either condition"},
                                 largest_violation(claim, s0, c, p1, p2), at_most(0, 32 * kEps)));
      }
    collide_at_the_boundary(context, claim, evidence);
    return evidence;
  };
}

// S002-LSH2: an increasing f as a sum of positive steps, with a stretch on which it rises by `flat` times as much.
using Slope = double (*)(double similarity);

auto monotone(double flat, Slope slope) {
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
    double worst = 0, lowest = 1;
    for (int step = -9; step <= 9; ++step) {
      const double s = step / 10.0, h = 1e-4;
      const double difference = (collision(s + h) - collision(s - h)) / (2 * h);
      worst = larger(worst, std::abs(difference / slope(s) - 1));
      lowest = smaller(lowest, slope(s));
    }
    // A central difference errs by h^2 f'''/6 relative to f': f'''/f' < 6 (1 + 2 P)/(1 - S^2)^2 here, and rounding by
    // eps f/(h f') with f/f' < 2.
    const double error = 1e-8 * 7 / (0.19 * 0.19) + 4 * kEps / 1e-4;
    return {exact({"random increasing f, S0 = .6, c = .8", "least p1 - p2"}, least, at_least(kLeast)),
            exact({"signed projections, S = -.9 .. .9, P=3", "largest relative error of f'"}, worst, at_most(error)),
            exact({"signed projections, S = -.9 .. .9, P=3", "least f'"}, lowest, at_least(kLeast))};
  };
}

double slope_of_collision(double s) {
  return kPlanes * std::pow(1 - std::acos(s) / kPi, kPlanes - 1) / (kPi * std::sqrt(1 - s * s));
}

// S002-Q5.
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
    double error = 0, outside = 0, rise = 1, fall = 1;
    for (const Index planes : {1, 8, 12})
      for (Index j = 0; j < fan.num_keys(); ++j) {
        const double theta = angles[j];
        const double here = w(fan.query, fan.keys.row(j), planes);
        error = larger(error, std::abs(here - power(1 - theta / kPi, planes)));
        outside += !(here > 0 && here < 1);
        if (j > 0) rise = smaller(rise, w(fan.query, fan.keys.row(j - 1), planes) - here);
        fall = smaller(fall, here - w(fan.query, fan.keys.row(j), planes + 1));
      }
    double parallel = 0, opposite = 0;
    for (std::uint32_t trial = 0; trial < 200; ++trial) {
      Vector q(kDim);
      fill_normal(context.seed, {.trial = trial}, {q.data(), kDim});
      parallel += !(std::abs(w(q, 0.3 * q, 8) - 1) <= 8 * 4 * kEps);
      opposite += !(std::abs(w(q, -3 * q, 8)) <= kEps);
    }
    const char* const what = "39 angles in d=128, P=1, 8, 12";
    // Coordinates are right to a few units of rounding, so the angle is to sqrt(d) of them; |dw/dtheta| <= P/pi.
    return {exact({what, "largest |w - (1 - theta/pi)^P|"}, error, equals(0, 12 / kPi * 32 * kEps)),
            exact({what, "weights outside (0, 1)"}, outside, equals(0)),
            exact({what, "least rise of w with the cosine"}, rise, at_least(kLeast)),
            exact({what, "least fall of w from P to P + 1"}, fall, at_least(kLeast)),
            exact({"200 Gaussian q in d=128, k = .3 q", "weights other than 1"}, parallel, equals(0)),
            exact({"200 Gaussian q in d=128, k = -3 q", "weights other than 0"}, opposite, equals(0))};
  };
}

}  // namespace

std::vector<Statement> similarity_hashing_statements() {
  return {
      {.id = "S002-LSH1",
       .title = "Near pairs collide with p1 > p2 for every threshold S0 and c < 1",
       .source = "paper, section 3.1",
       .kind = Kind::inequality,
       .scope = kScope,
       .measure = any_threshold,
       .expected = Verdict::refuted,
       .remark =
           "The definition needs S0 > 0: for S0 <= 0 and c < 1, c S0 >= S0, and pairs between meet both conditions."},
      {.id = "S002-LSH1-corrected",
       .title = "Signed projections are (S0, c S0, f(S0), f(c S0))-sensitive for S0 > 0",
       .source = "paper, section 3.1, corrected",
       .kind = Kind::inequality,
       .scope = kScope,
       .measure = sensitive({}),
       .mutants = {{"p1 = f(S0) + .01", sensitive({.p1_off = 0.01})},
                   {"p2 = f(c S0) - .01", sensitive({.p2_off = -0.01})},
                   {"similarity = inner product",
                    sensitive({.similarity = [](const Vector& x, const Vector& y) { return x.dot(y); }})}}},
      {.id = "S002-LSH2",
       .title = "A strictly increasing collision probability makes a sensitive family",
       .source = "paper, section 3.1",
       .kind = Kind::identity,
       .scope = kScope,
       .measure = monotone(1, slope_of_collision),
       .mutants = {{"f constant on a stretch", monotone(0, slope_of_collision)},
                   {"f' without 1/sqrt(1 - S^2)",
                    monotone(1, [](double s) { return slope_of_collision(s) * std::sqrt(1 - s * s); })}}},
      {.id = "S002-Q5",
       .title = "w = (1 - theta/pi)^P is in [0, 1], rises with the cosine and falls with P",
       .source = "paper, eq. (5)",
       .kind = Kind::identity,
       .scope = kScope,
       .measure = kernel(of_estimators),
       .mutants = {{"(1 - theta/(2 pi))^P", kernel([](const Vector& q, const Vector& k, Index p) {
                      return power(1 - angle(q, k) / (2 * kPi), p);
                    })},
                   {"cos^P", kernel([](const Vector& q, const Vector& k, Index p) { return power(cosine(q, k), p); })},
                   {"an arc cosine that is not clamped", kernel([](const Vector& q, const Vector& k, Index p) {
                      return power(1 - std::acos(q.dot(k) / q.norm() / k.norm()) / kPi, p);
                    })}}}};
}

}  // namespace skt

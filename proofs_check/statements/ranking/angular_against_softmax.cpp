// How near is angular attention to softmax attention, and how well can a ranking by the angle rank q.k?
//
//   S002-ARI            cosine kernels closely match softmax attention, read as: y* errs by less than a tenth of how
//                       far softmax attention is from the plain mean of the values
//   S002-ARI-corrected  the kernel is e^{(2P/pi) cos} where softmax has e^{|q||k| cos/sqrt d}, so it sees no key norm,
//                       and P = 18 is nearer than P = 8 for Gaussian keys in d = 128
//   S002-F2abc-ceiling  infinitely many tables rank by the cosine: below .9 for Gaussian keys, 1 for unit keys
//
// Method: exact weights of 4096 Gaussian keys in d = 128; precision over independent problems.
// Power: the rounding of sums; a mean precision off by 0.3.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "estimators/attention.hpp"
#include "estimators/metrics/ranking_metrics.hpp"
#include "estimators/peers/reference_rankings.hpp"
#include "estimators/population/angular_kernel.hpp"
#include "estimators/weighted_output.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "sim/families.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

// |y* - softmax attention| over |mean value - softmax attention|.
double relative_error(const Instance& instance, Index planes) {
  const Vector target = *dense_attention(instance.query, instance.keys, instance.values, {});
  const Vector angular = weighted_output(angular_weights(instance, planes), instance.values);
  const Vector plain = instance.values.colwise().mean().transpose();
  return (angular - target).norm() / (plain - target).norm();
}

std::vector<Evidence> close_match(const Context& context) {
  const Instance instance = make_instance({}, context.seed, 0);
  return {exact({"4096 Gaussian keys, d=128 P=8", "|y* - softmax output|/|mean value - softmax output|"},
                relative_error(instance, 8), at_most(0.1))};
}

enum class Norms { ignored, ranked };

auto exponential_of_cosine(double slope_over_planes, Norms norms) {
  return [=](const Context& context) {
    std::vector<Evidence> evidence;
    for (const double planes : {1.0, 8.0, 12.0}) {
      const double rho = 1e-3;
      const auto log_weight = [&](double c) { return planes * std::log(1 - std::acos(c) / std::numbers::pi); };
      // An odd function of rho: the next term is of relative size rho^2 (1/6 + (2/pi)^2/3) < rho^2.
      evidence.push_back(exact({fmt::format("P={}", planes), "slope of log w in the cosine at a right angle"},
                               (log_weight(rho) - log_weight(-rho)) / (2 * rho),
                               equals(slope_over_planes * planes, planes * (rho * rho + 8 * kEps / rho))));
    }
    Instance ray = make_instance({.keys = 2, .dim = 16}, context.seed, 0);
    ray.keys.row(1) = 2 * ray.keys.row(0);
    const Vector w = angular_weights(ray, 8), alpha = *softmax(scaled_logits(ray.query, ray.keys));
    const double in_softmax = std::log(alpha(1) / alpha(0));
    evidence.push_back(exact({"k and 2k", "log of the ratio of their angular weights"}, std::log(w(1) / w(0)),
                             equals(norms == Norms::ignored ? 0 : in_softmax, 64 * kEps)));
    evidence.push_back(exact({"k and 2k", "log of the ratio of their softmax weights"}, in_softmax,
                             equals(scaled_logits(ray.query, ray.keys)(0), 64 * kEps)));
    const Instance instance = make_instance({}, context.seed, 1);
    evidence.push_back(exact({"4096 Gaussian keys, d=128", "relative error of y* at P=18 (claim: at P=8)"},
                             relative_error(instance, 18), at_most(relative_error(instance, 8))));
    return evidence;
  };
}

enum class KeyNorms { gaussian, unit };

Moments cosine_precision(const Context& context, std::uint64_t problems, Index k, KeyNorms norms) {
  return run_trials(
      problems, Moments{},
      [&](std::uint32_t trial, Moments& m) {
        Instance instance = make_instance({.value_dim = 1}, context.seed, trial);
        if (norms == KeyNorms::unit) instance.keys.rowwise().normalize();
        const std::vector<Index> by_cosine =
            select_keys(cosine_scores(instance.query, instance.keys), {}, {.budget = k});
        m.add(*precision(by_cosine, select_keys(instance.keys * instance.query, {}, {.budget = k})));
      },
      4);
}

struct Ceiling {
  Index k = 16;
  Claim claim = at_most(0.9);
};

auto ceiling(Ceiling claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    std::vector<Evidence> evidence = {
        mean({"4096 Gaussian keys, d=128", fmt::format("precision of the exact cosine at k={}", claimed.k)},
             cosine_precision(context, context.trials(100), claimed.k, KeyNorms::gaussian), claimed.claim,
             {context.error_share, 0.3})};
    const Moments unit = cosine_precision(context, 4, 16, KeyNorms::unit);
    // Two scores that agree but for rounding may swap a last pair: one of 64 selected keys at most.
    evidence.push_back(exact({"4 problems of 4096 unit keys, d=128", "mean precision of the exact cosine at k=16"},
                             unit.mean(), at_least(1 - 1.0 / 64)));
    return evidence;
  };
}

constexpr const char* kScope = "no key or query 0";

Statement match_printed() {
  return {.id = "S002-ARI",
          .title = "Angular attention closely matches softmax attention, even on random data",
          .source = "paper, section 5 (on earlier work)",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = close_match,
          .expected = Verdict::refuted,
          .remark =
              "\"Closely\" is read as a tenth of softmax attention's own distance from the plain mean of the "
              "values, which any weights that ignore the query reach."};
}

Statement match_corrected() {
  constexpr double kSlope = 2 / std::numbers::pi;
  return {.id = "S002-ARI-corrected",
          .title = "Near a right angle w is e^{(2P/pi) cos}, blind to key norms",
          .source = "paper, section 5, corrected",
          .kind = Kind::identity,
          .scope = kScope,
          .measure = exponential_of_cosine(kSlope, Norms::ignored),
          .mutants = {{"slope P/pi", exponential_of_cosine(kSlope / 2, Norms::ignored)},
                      {"slope 2P", exponential_of_cosine(2, Norms::ignored)},
                      {"keys of one ray ranked by their norms", exponential_of_cosine(kSlope, Norms::ranked)}}};
}

Statement precision_of_the_cosine() {
  return {.id = "S002-F2abc-ceiling",
          .title = "With infinitely many tables the precision against q.k stays below .9 at k = 16",
          .source = "derived from paper, Figure 2",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = ceiling({}),
          .mutants = {{"1 for Gaussian keys too", ceiling({.claim = at_least(1)})},
                      {"at k = 1024 too", ceiling({.k = 1024})}}};
}

}  // namespace

std::vector<Statement> angular_against_softmax_statements() {
  return {match_printed(), match_corrected(), precision_of_the_cosine()};
}

}  // namespace skt

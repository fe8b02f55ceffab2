// How do the signs of Gaussian variables depend on each other? (two identities in the proof of Lemma 6)
//
//   S002-L6e  rho is the correlation of U and V
//   S002-L6f  for k = r w + u, r = w.k: E[(q.u) sign r] = 0 for every q
//
// Method: a counted frequency in exact intervals; a mean in a Student interval.
// Power: probabilities to 0.03; a mean to 0.1 of the standard deviation of its terms.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <numbers>

#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kPi = std::numbers::pi;

constexpr double kCorrelations[] = {-0.8, -0.3, 0.0, 0.5, 0.95};

using SignProduct = double (*)(double rho);

auto sign_product(SignProduct claimed) {
  return [claimed](const Context& context) {
    const std::uint64_t trials = context.trials(200'000);
    const Counts equal = run_trials(trials, Counts(std::size(kCorrelations)), [&](std::uint32_t trial, Counts& counts) {
      double z[2];
      fill_normal(context.seed, {.trial = trial}, z);
      for (std::size_t i = 0; i < std::size(kCorrelations); ++i) {
        const double rho = kCorrelations[i];
        const double v = rho * z[0] + std::sqrt(1 - rho * rho) * z[1];
        counts.of[i] += (z[0] >= 0) == (v >= 0);
      }
    });
    std::vector<Evidence> evidence;
    for (std::size_t i = 0; i < std::size(kCorrelations); ++i)
      evidence.push_back(frequency({fmt::format("rho={}", kCorrelations[i]), "P(sign U = sign V)"}, equal.of[i], trials,
                                   equals((1 + claimed(kCorrelations[i])) / 2), {context.share(kCorrelations), 0.03}));
    return evidence;
  };
}

// How the remainder u of k is claimed to be uncorrelated with sign(w.k): w of norm `norm`, `removed` of (w.k) w taken
// away, q along w plus an orthogonal part.
auto remainder(double norm, double removed) {
  return [norm, removed](const Context& context) -> std::vector<Evidence> {
    constexpr Index kDim = 8;
    Vector w = Vector::Zero(kDim), q = Vector::Zero(kDim);
    w(0) = norm;
    q(0) = q(1) = std::sqrt(0.5);
    const Moments products = run_trials(context.trials(100'000), Moments{}, [&](std::uint32_t trial, Moments& m) {
      Vector key(kDim);
      fill_normal(context.seed, {.role = Role::key, .trial = trial}, {key.data(), kDim});
      const double r = w.dot(key);
      m.add(q.dot(key - removed * r * w) * (r >= 0 ? 1 : -1));
    });
    return {mean({fmt::format("|w|={}, u = k - {} (w.k) w, d={}", norm, removed, kDim), "E[(q.u) sign(w.k)]"}, products,
                 equals(0), {context.error_share, 0.1})};
  };
}

constexpr const char* kSource = "paper, proof of Lemma 6";

Statement product_of_signs() {
  return {.id = "S002-L6e",
          .title = "E[sign U sign V] = (2/pi) asin(rho)",
          .source = kSource,
          .kind = Kind::identity,
          .scope = "U, V centred and jointly normal",
          .measure = sign_product([](double rho) { return 2 / kPi * std::asin(rho); }),
          .mutants = {{"rho", sign_product([](double rho) { return rho; })},
                      {"(1/pi) asin(rho)", sign_product([](double rho) { return std::asin(rho) / kPi; })},
                      {"asin(rho)/(pi/4)", sign_product([](double rho) { return 4 / kPi * std::asin(rho); })}}};
}

Statement orthogonal_part() {
  return {.id = "S002-L6f",
          .title = "The part of a key orthogonal to w is uncorrelated with sign(w.k)",
          .source = kSource,
          .kind = Kind::identity,
          .scope = "k ~ N(0, I), |w| = 1",
          .measure = remainder(1, 1),
          .mutants = {{"|w| = 2", remainder(2, 1)}, {"u = k", remainder(1, 0)}}};
}

}  // namespace

std::vector<Statement> sign_covariance_statements() {
  return {product_of_signs(), orthogonal_part()};
}

}  // namespace skt

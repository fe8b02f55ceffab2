#include "proofs_check/statements/measuring.hpp"

namespace skt::sign_covariance_group {

extern const StatementGroup kGroup = {
    .question = "What does the proof of Lemma 6 use of Gaussian keys and of their signs?",
    .notes = R"(S002-L6a  E X^2 is 1 in the paper, which takes |q| = 1
S002-L6e  rho is the correlation of U and V
S002-L6f  for k = r w + u, r = w.k: E[(q.u) sign r] = 0 for every q)",
    .method =
        "Frequencies in exact intervals; means of truncated terms, which are bounded, so that their intervals need no "
        "normal approximation.",
    .power = "Probabilities to 0.02; a mean to a twentieth of its terms.",
    .source = "paper, proof of Lemma 6",
    .chance = Chance::random};

namespace {

constexpr double kPi = std::numbers::pi;

constexpr double kCorrelations[] = {-0.8, -0.3, 0.0, 0.5, 0.95};

using SignProduct = double (*)(double rho);

auto sign_product(SignProduct claimed) {
  return [claimed](const Context& context) {
    const std::uint64_t trials = context.trials(400'000);
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
                                   equals((1 + claimed(kCorrelations[i])) / 2), {context.share(kCorrelations), 0.02}));
    return evidence;
  };
}

// How the remainder u of k is claimed to be uncorrelated with sign(w.k): w of norm `norm`, `removed` of (w.k) w taken
// away, q along w plus an orthogonal part. (q.u) sign(w.k) is cut at 6, more than eight deviations of the normal that it
// is for |w| = 1, which takes less than 1e-15 from its mean.
auto remainder(double norm, double removed) {
  return [norm, removed](const Context& context) -> std::vector<Evidence> {
    constexpr Index kDim = 8;
    Vector w = Vector::Zero(kDim), q = Vector::Zero(kDim);
    w(0) = norm;
    q(0) = q(1) = std::sqrt(0.5);
    constexpr double kCut = 6;
    const Moments products = run_trials(context.trials(400'000), Moments{}, [&](std::uint32_t trial, Moments& m) {
      Eigen::Matrix<double, kDim, 1> key;
      fill_normal(context.seed, {.role = Role::key, .trial = trial}, {key.data(), kDim});
      const double r = w.dot(key), along = q.dot(key) - removed * r * q.dot(w);
      m.add(std::clamp(r >= 0 ? along : -along, -kCut, kCut));
    });
    return {
        mean_of_bounded({fmt::format("|w|={}, u = k - {} (w.k) w, d={}", norm, removed, kDim), "E[(q.u) sign(w.k)]"},
                        products, 2 * kCut, equals(0, 1e-15), {context.error_share, 0.05})};
  };
}

// X = q.k for |q| = 2, cut at six deviations: E[X^2 1{|X| > 6}] = 2 (6 phi(6) + Phi(-6)) = 7.5e-8 for |q| = 1, and
// E[|X| 1{|X| > 6}] is less.
auto inner_product(double claimed_square) {
  return [claimed_square](const Context& context) -> std::vector<Evidence> {
    constexpr Index kDim = 8;
    constexpr double kNorm = 2, kMost = 6 * kNorm, kLost = 1e-7 * kNorm * kNorm;
    const Vector query = Vector::Constant(kDim, kNorm / std::sqrt(double{kDim}));
    const MomentsList m =
        run_trials(context.trials(400'000), MomentsList(2), [&](std::uint32_t trial, MomentsList& total) {
          Eigen::Matrix<double, kDim, 1> key;
          fill_normal(context.seed, {.role = Role::key, .trial = trial}, {key.data(), kDim});
          const double x = std::clamp(query.dot(key), -kMost, kMost);
          total.of[0].add(x), total.of[1].add(x * x);
        });
    const char* const instance = "Gaussian keys, d=8 |q|=2";
    const double share = context.share(2);
    return {mean_of_bounded({instance, "E X"}, m.of[0], 2 * kMost, equals(0, kLost), {share, 0.2}),
            mean_of_bounded({instance, "E X^2"}, m.of[1], kMost * kMost, equals(claimed_square, kLost), {share, 0.4})};
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-L6a",
           .title = "E X = 0 and E X^2 = |q|^2",
           .quote = "hence E[X]=0 and E[X^2]=1",
           .kind = Kind::expectation,
           .scope = "k ~ N(0, I); the paper takes |q| = 1",
           .measure = inner_product(4),
           .mutants = {{"E X^2 = 1 for |q| = 2", inner_product(1)},
                       {"E X^2 = 1.12 |q|^2", inner_product(4.48)},
                       {"E X^2 = d", inner_product(8)}}},
          {.id = "S002-L6e",
           .title = "E[sign U sign V] = (2/pi) asin(rho)",
           .quote = "Using the standard identity E[sign(U)sign(V)]=(2/pi)arcsin(rho_ij) for jointly Gaussian (U,V)",
           .scope = "U, V centred and jointly normal",
           .measure = sign_product([](double rho) { return 2 / kPi * std::asin(rho); }),
           .mutants = {{"rho", sign_product([](double rho) { return rho; })},
                       {"(1/pi) asin(rho)", sign_product([](double rho) { return std::asin(rho) / kPi; })},
                       {".61 asin(rho)", sign_product([](double rho) { return 0.61 * std::asin(rho); })}}},
          {.id = "S002-L6f",
           .title = "The part of a key orthogonal to w is uncorrelated with sign(w.k)",
           .quote = "By independence and symmetry, E[q.u sign(r)]=E[q.u]E[sign(r)]=0",
           .scope = "k ~ N(0, I), |w| = 1",
           .measure = remainder(1, 1),
           .mutants = {{"|w| = 2", remainder(2, 1)}, {"|w| = 1.05", remainder(1.05, 1)}, {"u = k", remainder(1, 0)}}}};
}

}  // namespace skt::sign_covariance_group

// Is document 000's soft collision count the paper's score at another temperature, and what does it measure?
//
// S000-4  C(q, i) is the soft collision count; its sum over the keys is that of the tables' soft counts
//
// Query and key are not zero; the planes are Gaussian and independent.
// Method: S000-3  both scalings of the same scores
//         S000-4  a mean against the exact law
//         S000-7  the softmax over all corners
//         S000-8  the population oracle on a grid
// Power: S000-4 sees a mean off by 0.02 of L with probability above 0.99; the others are exact.
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include "estimators/population/population.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

Matrix random_keys(const Context& context, Index keys, Index dim) {
  Matrix drawn(keys, dim);
  fill_normal(context.seed, {.role = Role::key}, std::span(drawn.data(), drawn.size()));
  return drawn;
}

Vector at_angle(Index dim, double angle) {
  return std::cos(angle) * Vector::Unit(dim, 0) + std::sin(angle) * Vector::Unit(dim, 1);
}

// S000-3: the paper's temperature is claimed to be tau d^exponent.
std::vector<Evidence> rescaled_temperature(const Context& context, double exponent) {
  constexpr Index kTables = 8;
  constexpr Index kPlanes = 6;
  constexpr Index kDim = 16;
  const double temperature = 0.3;
  const double paper_temperature = temperature * std::pow(real(kDim), exponent);
  const Hyperplanes planes = context.estimators.draw(context.seed, 0, kTables, kPlanes, kDim);
  const KeyCodes codes = context.estimators.hash(planes, random_keys(context, 64, kDim));
  const Vector query = 3 * at_angle(kDim, 1);
  const Vector document = context.estimators.soft(planes, codes, query, {temperature, Scaling::none});
  const Vector paper = context.estimators.soft(planes, codes, query, {paper_temperature, Scaling::inverse_sqrt_dim});
  // Each factor sigma(2u/tau) has an argument of at most 2/tau, right to four units; planes multiply, tables add.
  const double rounding = real(kTables * kPlanes) * 8 / temperature * kEps;
  const PopulationParameters of_document{4, temperature, kDim, kPlanes, Scaling::none};
  const PopulationParameters of_paper{4, paper_temperature, kDim, kPlanes, Scaling::inverse_sqrt_dim};
  const Estimate a = epsilon(of_document), b = epsilon(of_paper);
  return {exact({"64 Gaussian keys, d=16, P=6, L=8, tau=.3", "largest difference of the scores"},
                (document - paper).lpNorm<Eigen::Infinity>(), equals(0, rounding)),
          exact({"d=16, P=6, tau=.3", "difference of epsilon_tau"}, a.value - b.value, equals(0, a.error + b.error))};
}

// S000-4.
struct CountClaim {
  double most_per_table = 1;                                      // C <= most_per_table * L
  double (*mean)(const PopulationParameters&, Cosine) = nullptr;  // E C / L
};

double soft_mean(const PopulationParameters& p, Cosine rho) {
  return population_weight(p, rho).value;
}
double hard_mean(const PopulationParameters& p, Cosine rho) {
  return angular_weight(p.planes, rho).value;
}

const PopulationParameters kCounted{2, 1, 8, 3, Scaling::none};

Evidence mean_count(const Context& context, const CountClaim& claim) {
  constexpr Index kTables = 4;
  const SocketParameters socket{kCounted.temperature, kCounted.scaling};
  const Vector query = kCounted.query_norm * Vector::Unit(kCounted.dim, 0);
  const double angle = std::numbers::pi / 6;
  const Matrix key = at_angle(kCounted.dim, angle).transpose();
  const Moments moments = run_trials(context.trials(20'000), Moments{}, [&](std::uint32_t trial, Moments& m) {
    const Hyperplanes planes = context.estimators.draw(context.seed, trial, kTables, kCounted.planes, kCounted.dim);
    m.add(context.estimators.soft(planes, context.estimators.hash(planes, key), query, socket)(0) / kTables);
  });
  const Cosine rho = Cosine::of(std::cos(angle));
  const double deviation = std::sqrt(population_weight_variance(kCounted, rho).value / kTables);
  return mean_of_known_deviation({"d=8, P=3, L=4, tau=1, |q|=2, theta=pi/6", "mean of C/L"}, moments, deviation,
                                 equals(claim.mean(kCounted, rho), population_weight(kCounted, rho).error),
                                 {context.error_share, 0.1});
}

std::vector<Evidence> soft_count(const Context& context, const CountClaim& claim) {
  constexpr Index kTables = 2;
  constexpr Index kKeys = 64;
  const SocketParameters socket{kCounted.temperature, kCounted.scaling};
  const Vector query = kCounted.query_norm * Vector::Unit(kCounted.dim, 0);
  const Hyperplanes planes = context.estimators.draw(context.seed, 0, kTables, kCounted.planes, kCounted.dim);
  const KeyCodes codes = context.estimators.hash(planes, random_keys(context, kKeys, kCounted.dim));
  const Vector scores = context.estimators.soft(planes, codes, query, socket);
  const Matrix signal = query_signal(planes, query, socket.scaling);
  double soft_counts = 0;
  for (Index l = 0; l < kTables; ++l) {
    const std::vector<double> p =
        bucket_probabilities_softmax(std::span(signal.row(l).data(), kCounted.planes), socket.temperature);
    for (const std::uint32_t code : codes.table(l)) soft_counts += p[code];
  }
  const Matrix own_key = query.transpose();
  const double own =
      context.estimators.soft(planes, context.estimators.hash(planes, own_key), query, {1e-3, Scaling::none})(0);
  return {mean_count(context, claim),
          exact({"64 Gaussian keys, L=2", "sum of C over keys minus the tables' soft counts"},
                scores.sum() - soft_counts, equals(0, kTables * kKeys * 64 * kEps)),
          exact({"64 Gaussian keys, L=2", "keys with C <= 0"}, real((scores.array() <= 0).count()), equals(0)),
          exact({"key = query, tau = 1e-3, L=2", "C"}, own, at_most(2 * claim.most_per_table, 4 * kEps))};
}

// S000-7: `distribution` of one table's buckets, given all tables' signals.
using Distribution = std::vector<double> (*)(const Matrix& signal, Index table, double temperature);

std::vector<double> softmax_of_table(const Matrix& signal, Index table, double temperature) {
  return bucket_probabilities_softmax(std::span(signal.row(table).data(), signal.cols()), temperature);
}

std::vector<double> without_maximum(const Matrix& signal, Index table, double temperature) {
  const Index planes = signal.cols();
  std::vector<double> p(std::size_t{1} << planes);
  double sum = 0;
  for (std::uint32_t r = 0; r < p.size(); ++r) {
    double logit = 0;
    for (Index plane = 0; plane < planes; ++plane) logit += signal(table, plane) * corner(r, plane, planes);
    sum += p[r] = std::exp(logit / temperature);
  }
  for (double& x : p) x /= sum;
  return p;
}

std::vector<double> over_all_tables(const Matrix& signal, Index table, double temperature) {
  std::vector<double> p = softmax_of_table(signal, table, temperature);
  for (double& x : p) x /= real(signal.rows());
  return p;
}

std::vector<Evidence> distribution_over_buckets(const Context& context, Distribution distribution) {
  constexpr Index kTables = 4;
  constexpr Index kPlanes = 12;
  const Hyperplanes planes = context.estimators.draw(context.seed, 0, kTables, kPlanes, 16);
  const Matrix signal = query_signal(planes, 3 * Vector::Ones(16), Scaling::none);
  double not_finite = 0, negative = 0, error = 0;
  for (const double temperature : {1e-3, 0.3, 1e3}) {
    for (Index l = 0; l < kTables; ++l) {
      const std::vector<double> p = distribution(signal, l, temperature);
      for (const double x : p) {
        if (!std::isfinite(x)) ++not_finite;
        if (x < 0) ++negative;
      }
      const double sum = std::accumulate(p.begin(), p.end(), 0.0);
      if (std::isfinite(sum)) error = larger(error, std::abs(sum - 1));
    }
  }
  const Observed what{"P=12, tau=.001, .3, 1000", "buckets without a finite probability"};
  return {exact(what, not_finite, equals(0)), exact({what.instance, "negative probabilities"}, negative, equals(0)),
          // 2^P terms that sum to 1, added in order.
          exact({what.instance, "largest |sum - 1|"}, error, equals(0, std::exp2(kPlanes) * 2 * kEps))};
}

// S000-8.
std::vector<Evidence> expected_count_rises(double (*argument)(double cosine)) {
  constexpr Index kPlanes = 12;
  const PopulationParameters parameters{std::sqrt(128.0), 0.3, 128, kPlanes, Scaling::none};
  double least = std::numeric_limits<double>::infinity(), error = 0;
  for (int step = -20; step < 20; ++step) {
    const Estimate here = plane_agreement(parameters, Cosine::of(argument(step / 20.0)));
    const Estimate next = plane_agreement(parameters, Cosine::of(argument((step + 1) / 20.0)));
    least = smaller(least, kPlanes * std::log(next.value / here.value));
    error = larger(error, kPlanes * (here.error / here.value + next.error / next.value));
  }
  return {exact({"d=128, P=12, tau=.3, |q|=sqrt(128), cosine -1 to 1", "least rise of log E C in a step of .05"}, least,
                at_least(0, error))};
}

std::vector<Evidence> every_realisation_rises(const Context& context) {
  std::uint64_t inversions = 0;
  const std::uint64_t trials = context.trials(2000);
  Matrix keys(2, 8);
  // In two planes through the query: on one great arc from it, no hyperplane could part the query from the closer key
  // alone.
  keys << at_angle(8, 1.0).transpose(),
      (std::cos(1.2) * Vector::Unit(8, 0) + std::sin(1.2) * Vector::Unit(8, 2)).transpose();
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    const Hyperplanes planes = context.estimators.draw(context.seed, trial, 4, 3, 8);
    const Vector scores = context.estimators.soft(planes, context.estimators.hash(planes, keys), Vector::Unit(8, 0),
                                                  {0.3, Scaling::none});
    if (scores(0) < scores(1)) ++inversions;
  }
  return {frequency({"angles 1 and 1.2, d=8, P=3, L=4", "P(closer key scores lower)"}, inversions, trials, equals(0),
                    {context.error_share, 0.2})};
}

}  // namespace

std::vector<Statement> document_soft_scores_statements() {
  return {
      {.id = "S000-3",
       .title = "Without the divisor, tau scores as the paper does at tau/sqrt(d)",
       .source = "document 000, section 4",
       .kind = Kind::identity,
       .scope = "any query, keys and planes",
       .measure = [](const Context& c) { return rescaled_temperature(c, -0.5); },
       .mutants = {{"tau sqrt(d)", [](const Context& c) { return rescaled_temperature(c, 0.5); }},
                   {"the same tau", [](const Context& c) { return rescaled_temperature(c, 0); }}},
       .remark = "The paper divides tanh(Wq) by sqrt(d), documents 000 and 001 do not: at d = 128, P = 12, tau = .3, "
                 "|q| = sqrt(128) epsilon_tau is .9956 against .1033."},
      {.id = "S000-4",
       .title = "The soft collision count lies in (0, L] and has mean L g(rho)^P",
       .source = "document 000, section 5.1",
       .kind = Kind::expectation,
       .scope = "independent Gaussian planes",
       .measure = [](const Context& c) { return soft_count(c, {1, soft_mean}); },
       .mutants = {{"C <= 1", [](const Context& c) { return soft_count(c, {0.5, soft_mean}); }},
                   {"mean L (1 - theta/pi)^P", [](const Context& c) { return soft_count(c, {1, hard_mean}); }}}},
      {.id = "S000-7",
       .title = "Each query and table has a probability distribution over the buckets",
       .source = "document 000, section 4.5",
       .kind = Kind::identity,
       .scope = "any temperature that is a normal number",
       .measure = [](const Context& c) { return distribution_over_buckets(c, softmax_of_table); },
       .mutants = {{"exponentials without subtracting the largest logit",
                    [](const Context& c) { return distribution_over_buckets(c, without_maximum); }},
                   {"one normaliser for all tables",
                    [](const Context& c) { return distribution_over_buckets(c, over_all_tables); }}}},
      {.id = "S000-8",
       .title = "The expected count rises strictly with the cosine of query and key",
       .source = "document 000, section 5.1",
       .kind = Kind::ordering,
       .scope = "expectation over the planes",
       .measure = [](const Context&) { return expected_count_rises([](double cosine) { return cosine; }); },
       .mutants = {{"in every realisation", every_realisation_rises}, {"with |cosine|", [](const Context&) {
                                                                         return expected_count_rises([](double cosine) {
                                                                           return std::abs(cosine);
                                                                         });
                                                                       }}}}};
}

}  // namespace skt

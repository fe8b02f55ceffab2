#include "estimators/population/population.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::temperature_limits_group {

extern const StatementGroup kGroup = {
    .question = "What does the temperature interpolate between? (section 5.2; eps = epsilon_tau, a = tau sqrt(d))",
    .notes = R"(S002-EPS   eps = 1 - (E_z sigma(2 tanh(|q||z|)/a))^P
S002-EPSb  eps/(P a ln 2/(sqrt(2 pi)|q|)) -> 1: linear in tau, not exponential (derived)
S002-EPSc  tau (1 - 1/R - eps) -> (P/R) E|tanh(|q|z)|/sqrt(d))",
    .method = "Quadrature against expansions with a bound on their next term; means over single tables.",
    .power = "The next term of the expansion.",
    .scope = "q not zero"};

namespace {

constexpr double kPi = std::numbers::pi;

std::string name(const PopulationParameters& p) {
  return fmt::format("|q|={:.4g} d={} P={} tau={}", p.query_norm, p.dim, p.planes, p.temperature);
}

double width(const PopulationParameters& p) {
  return p.temperature * std::sqrt(real(p.dim));
}

// 1 - p(b_q) on average over single tables, through the estimators: the key is the query itself.
auto own_bucket(double (*claimed)(PopulationParameters)) {
  return [claimed](const Context& context) {
    const std::array settings = {PopulationParameters{0.5, 0.3, 4, 2}, PopulationParameters{3, 0.3, 4, 2}};
    std::vector<Evidence> evidence;
    for (const PopulationParameters& p : settings) {
      const Matrix key = Vector::Unit(p.dim, 0).transpose() * p.query_norm;
      const Moments outside = run_trials(context.trials(40'000), Moments{}, [&](std::uint32_t trial, Moments& m) {
        const Hyperplanes drawn = context.estimators.draw(context.seed, trial, 1, p.planes, p.dim);
        const KeyCodes codes = context.estimators.hash(drawn, key);
        m.add(1 - context.estimators.soft(drawn, codes, key.transpose(), {p.temperature})(0));
      });
      evidence.push_back(mean_of_bounded({name(p), "E[1 - p(b_q)]"}, outside, 1, equals(claimed(p), 1e-12),
                                         {context.share(settings), 0.05}));
    }
    return evidence;
  };
}

// With x = a ln 2/(sqrt(2 pi)|q|), 1 - g(1) = x(1 + r), |r| <= a^2 (1 + 1/|q|^2). Then
//   eps = P x (1 + r) - C(P,2) x^2 + ..: the ratio to P x is 1 - (P-1)x/2 up to (P x)^2 + |r|.
auto small_temperature(double constant) {
  return [constant](const Context&) {
    std::vector<Evidence> evidence;
    for (const double temperature : {1e-3, 1e-4, 1e-6}) {
      const PopulationParameters p{1, temperature, 16, 8};
      const double a = width(p);
      const double x = a * std::numbers::ln2 / (std::sqrt(2 * kPi) * p.query_norm);
      const double planes = real(p.planes);
      const double error = std::pow(planes * x, 2) + a * a * (1 + 1 / (p.query_norm * p.query_norm));
      const Estimate eps = epsilon(p);
      const double linear = planes * a * constant / (std::sqrt(2 * kPi) * p.query_norm);
      evidence.push_back(exact({name(p), "eps/(linear law)"}, eps.value / linear,
                               equals(1 - (planes - 1) * x / 2, error + eps.error / linear)));
    }
    return evidence;
  };
}

std::vector<Evidence> exponential_law(const Context&) {
  const PopulationParameters p{1, 1e-3, 16, 8};
  return {exact({name(p), "eps"}, epsilon(p).value, at_most(std::exp(-1 / p.temperature)))};
}

// E|tanh(|q|z)|, by the composite midpoint rule: smooth on z > 0, exponentially small beyond z = 40. Its error is below
// (h^2/24) max|f''| * 40 with |f''| <= |q|^2 + |q| + 1.
Estimate mean_saturation(double query_norm) {
  constexpr int kSteps = 400'000;
  constexpr double kStep = 40.0 / kSteps;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double z = (i + 0.5) * kStep;
    sum += std::exp(-z * z / 2) * std::tanh(query_norm * z);
  }
  return {2 * kStep * sum / std::sqrt(2 * kPi), kStep * kStep / 24 * 40 * (query_norm * query_norm + query_norm + 1)};
}

// g(1)^P = 2^-P (1 + m)^P with m = E|T| = E|tanh(|q|z)|/a up to a relative 1/(3 a^2); so
// tau (1 - 2^-P - eps) = (P/R)(E|tanh|/sqrt(d)) up to a relative P m + 1/a^2 (P m <= 1/2).
auto large_temperature(double uniform_mass, double power_of_dim) {
  return [=](const Context&) {
    std::vector<Evidence> evidence;
    for (const double temperature : {1e2, 1e3, 1e4}) {
      const PopulationParameters p{1, temperature, 16, 8};
      const Estimate eps = epsilon(p), saturation = mean_saturation(p.query_norm);
      const double planes = real(p.planes);
      const double limit = planes * std::pow(2.0, -planes) * saturation.value * std::pow(16.0, -power_of_dim);
      const double relative = planes * saturation.value / width(p) + 1 / (width(p) * width(p)) + saturation.error;
      evidence.push_back(exact({name(p), "tau(1 - 1/R - eps)"}, temperature * (uniform_mass - eps.value),
                               equals(limit, limit * relative + temperature * (eps.error + 0x1p-52))));
    }
    return evidence;
  };
}

// +1: eps rises, -1: eps falls.
struct Directions {
  int temperature = 1;
  int planes = 1;
  int dim = 1;
  int query_norm = -1;
};

auto monotone(Directions claimed) {
  return [claimed](const Context&) {
    const auto step = [](const char* what, int direction, const PopulationParameters& from,
                         const PopulationParameters& to) {
      return exact({fmt::format("{} -> {}", name(from), name(to)), what},
                   direction * (epsilon(to).value - epsilon(from).value), at_least(0));
    };
    std::vector<Evidence> evidence;
    for (const double norm : {0.3, 1.0, 11.3}) {
      for (const double temperature : {0.03, 0.3, 1.0}) {
        const PopulationParameters p{norm, temperature, 16, 4};
        evidence.push_back(step("rise with tau", claimed.temperature, p, {norm, 1.2 * temperature, 16, 4}));
        evidence.push_back(step("rise with P", claimed.planes, p, {norm, temperature, 16, 5}));
        evidence.push_back(step("rise with d", claimed.dim, p, {norm, temperature, 20, 4}));
        evidence.push_back(step("fall with |q|", claimed.query_norm, p, {1.2 * norm, temperature, 16, 4}));
      }
    }
    return evidence;
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-EPS",
           .title = "eps depends on tau, P, d and |q|",
           .source = "paper, section 5.2, made complete",
           .kind = Kind::expectation,
           .chance = Chance::random,
           .measure = own_bucket([](PopulationParameters p) { return epsilon(p).value; }),
           .mutants = {{"|q| a fifth larger", own_bucket([](PopulationParameters p) {
                          p.query_norm *= 1.2;
                          return epsilon(p).value;
                        })},
                       {"on tau, P and d only", own_bucket([](PopulationParameters p) {
                          p.query_norm = 1;
                          return epsilon(p).value;
                        })},
                       {"without sqrt(d)", own_bucket([](PopulationParameters p) {
                          p.scaling = Scaling::none;
                          return epsilon(p).value;
                        })}}},
          {.id = "S002-EPSb",
           .title = "eps ~ P tau sqrt(d) ln 2/(sqrt(2 pi)|q|) as tau -> 0",
           .source = "derived from paper, section 5.2",
           .kind = Kind::limit,
           .measure = small_temperature(std::numbers::ln2),
           .mutants = {{"0.7 for ln 2", small_temperature(0.7)},
                       {"1 for ln 2", small_temperature(1)},
                       {"eps <= exp(-1/tau)", exponential_law}}},
          {.id = "S002-EPSc",
           .title = "eps -> 1 - 1/R as tau -> infinity, at rate 1/tau",
           .source = "paper, section 5.2",
           .quote = "the bucket distribution uniformizes",
           .kind = Kind::limit,
           .measure = large_temperature(1 - 1.0 / 256, 0.5),
           .mutants = {{"limit 1 - 1/P", large_temperature(1 - 1.0 / 8, 0.5)},
                       {"rate with d^0.495 for sqrt(d)", large_temperature(1 - 1.0 / 256, 0.495)},
                       {"rate without sqrt(d)", large_temperature(1 - 1.0 / 256, 0)}}},
          {.id = "S002-EPSd",
           .title = "eps rises with tau, P and d and falls with |q|",
           .source = "derived from paper, section 5.2",
           .kind = Kind::ordering,
           .measure = monotone({}),
           .mutants = {{"falls with d", monotone({.dim = -1})}, {"rises with |q|", monotone({.query_norm = 1})}},
           .no_near_mutant = "The claim is an order: the nearest lie is its reverse."}};
}

}  // namespace skt::temperature_limits_group

#include "estimators/collision_scores.hpp"
#include "estimators/population/population.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::hard_limit_group {

extern const StatementGroup kGroup = {
    .question = "What do soft scores become as the temperature falls? (section 5.3; a = tau sqrt(d))",
    .notes = R"(
S002-LIM  counted collisions; the bias of one plane away from +-q is -(pi/24) c a^2/|q|^2, c = rho/sqrt(1 - rho^2)
          (derived))",
    .method =
        "Quadrature against an expansion with a bound on its next term; the estimators at tau = 1e-12 against counted "
        "collisions.",
    .power = "The next term of the expansion."};

namespace {

constexpr double kPi = std::numbers::pi;

std::string name(const PopulationParameters& p) {
  return fmt::format("|q|={:.4g} d={} P={} tau={}", p.query_norm, p.dim, p.planes, p.temperature);
}

double width(const PopulationParameters& p) {
  return p.temperature * std::sqrt(real(p.dim));
}

// The ratio of g - (1 - theta/pi) to -coefficient c a^2/|q|^2 * (24/pi) is
//   1 + (7 pi^2/40)(4/3 - (1/2 + c^2/6)/|q|^2) a^2   up to   30 a^4 (1 + 1/|q|^2)^2 (1 + c^2)^2,
// by the moments int y^3, y^5/(1 + e^2y) of the expansion in a.
auto bias_of_a_plane(double coefficient, double order) {
  return [=](const Context&) {
    std::vector<Evidence> evidence;
    for (const double rho : {-0.8, 0.3, 0.6}) {
      for (const double temperature : {1e-2, 1e-3}) {
        const PopulationParameters p{1, temperature, 16, 1};
        const double a = width(p), c = rho / std::sqrt(1 - rho * rho);
        const Estimate g = plane_agreement(p, Cosine::of(rho));
        const double law = -coefficient * c * std::pow(a, order);
        const double next = 7 * kPi * kPi / 40 * (4.0 / 3 - (0.5 + c * c / 6)) * a * a;
        const double error = 30 * std::pow(a, 4) * 4 * std::pow(1 + c * c, 2) + (g.error + 0x1p-52) / std::abs(law);
        evidence.push_back(exact({fmt::format("{} cosine={}", name(p), rho), "(g - (1 - theta/pi))/law"},
                                 (g.value - (1 - std::acos(rho) / kPi)) / law, equals(1 + next, error)));
      }
    }
    return evidence;
  };
}

// Soft scores at tau = 1e-12 against the hard counts of the same tables. |u|/tau is below 40 for some of the 800
// projections with probability 1e-7; otherwise a score is off by less than P L e^-80.
Evidence scores_become_counts(const Context& context) {
  constexpr Index kTables = 200;
  const Instance instance = make_instance({.keys = 50, .dim = 8}, context.seed, 0);
  const Hyperplanes drawn = context.estimators.draw(context.seed, 0, kTables, 4, 8);
  const KeyCodes codes = context.estimators.hash(drawn, instance.keys);
  const Vector soft = context.estimators.soft(drawn, codes, instance.query, {1e-12});
  const double gap = (soft - hard_scores(drawn, codes, instance.query)).lpNorm<Eigen::Infinity>();
  return exact({"50 Gaussian keys, L=200 P=4 d=8 tau=1e-12", "max|soft score - hard score|"}, gap,
               equals(0, kTables * std::numeric_limits<double>::epsilon()));
}

std::vector<Evidence> soft_becomes_hard(const Context& context) {
  std::vector<Evidence> evidence = bias_of_a_plane(kPi / 24, 2)(context);
  evidence.push_back(scores_become_counts(context));
  return evidence;
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-LIM",
           .title = "As tau -> 0 soft scores become hard counts, with a bias of order tau^2 away from +-q",
           .source = "paper, section 5.3 (the order of the bias is derived)",
           .quote = "this bias vanishes and SOCKET reduces to traditional LSH",
           .kind = Kind::limit,
           .scope = "q not zero",
           .measure = soft_becomes_hard,
           .mutants = {{"pi/23.5", bias_of_a_plane(kPi / 23.5, 2)},
                       {"pi/12", bias_of_a_plane(kPi / 12, 2)},
                       {"a bias of order tau", bias_of_a_plane(kPi / 24, 1)}}}};
}

}  // namespace skt::hard_limit_group

#include "estimators/population/population.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::document_soft_scores_group {

extern const StatementGroup kGroup = {
    .question =
        "Is document 000's soft collision count the paper's score at another temperature, and what does it measure?",
    .notes = R"(S000-4  C(q, i) is the soft collision count; its sum over the keys is that of the tables' soft counts

Query and key are not zero; the planes are Gaussian and independent.)",
    .method = "For S000-3 both scalings of the same scores; for S000-4 a mean against the exact law.",
    .power = "S000-4 sees a mean off by 0.02 of L with probability above 0.99; the other is exact."};

namespace {

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
  const double rounding = real(kTables * kPlanes) * 8 / temperature * kUnit;
  BothSides scores, eps;
  for (Index j = 0; j < paper.size(); ++j) scores.add(document(j), paper(j), rounding * paper(j));
  const PopulationParameters of_document{4, temperature, kDim, kPlanes, Scaling::none};
  const PopulationParameters of_paper{4, paper_temperature, kDim, kPlanes, Scaling::inverse_sqrt_dim};
  const Estimate a = epsilon(of_document), b = epsilon(of_paper);
  eps.add(a.value, b.value, a.error + b.error);
  return {scores.evidence({"64 Gaussian keys, d=16, P=6, L=8, tau=.3", "score of document 000 over that of the paper"}),
          eps.evidence({"d=16, P=6, tau=.3", "epsilon_tau of document 000 over that of the paper"})};
}

// S000-4.
struct CountClaim {
  double most_per_table = 1;                                      // C <= most_per_table * L
  double (*mean)(const PopulationParameters&, Cosine) = nullptr;  // E C / L
};

double soft_mean(const PopulationParameters& p, Cosine rho) {
  return population_weight(p, rho).value;
}
double colder_mean(const PopulationParameters& p, Cosine rho) {
  PopulationParameters changed = p;
  changed.temperature *= 0.85;
  return population_weight(changed, rho).value;
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
  // No score exceeds sigma(2/tau)^P, since |tanh| <= 1.
  const double range = std::pow(1 / (1 + std::exp(-2 / kCounted.temperature)), kCounted.planes);
  return mean_of_bounded({"d=8, P=3, L=4, tau=1, |q|=2, theta=pi/6", "mean of C/L"}, moments, range,
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
                scores.sum() - soft_counts, equals(0, kTables * kKeys * 64 * kUnit)),
          exact({"64 Gaussian keys, L=2", "keys with C <= 0"}, real((scores.array() <= 0).count()), equals(0)),
          exact({"key = query, tau = 1e-3, L=2", "C"}, own, at_most(2 * claim.most_per_table, 4 * kUnit))};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S000-3",
       .title = "Without the divisor sqrt(d), tau gives the paper's scores at tau/sqrt(d)",
       .source = "document 000, section 4",
       .scope = "any query, keys and planes",
       .measure = [](const Context& c) { return rescaled_temperature(c, -0.5); },
       .mutants = {{"tau/d^0.497", [](const Context& c) { return rescaled_temperature(c, -0.497); }},
                   {"tau sqrt(d)", [](const Context& c) { return rescaled_temperature(c, 0.5); }},
                   {"the same tau", [](const Context& c) { return rescaled_temperature(c, 0); }}},
       .remark = "The paper divides tanh(Wq) by sqrt(d); documents 000 and 001 do not. At d = 128, P = 12, tau = .3 "
                 "and |q| = sqrt(128), epsilon_tau is .9956 with the divisor and .1033 without."},
      {.id = "S000-4",
       .title = "The soft collision count lies in (0, L] and has mean L g(rho)^P",
       .source = "document 000, section 5.1 (range and mean are derived)",
       .kind = Kind::expectation,
       .scope = "independent Gaussian planes",
       .chance = Chance::random,
       .measure = [](const Context& c) { return soft_count(c, {1, soft_mean}); },
       .mutants = {
           {"mean at a temperature 15% lower", [](const Context& c) { return soft_count(c, {1, colder_mean}); }},
           {"C <= 1", [](const Context& c) { return soft_count(c, {0.5, soft_mean}); }},
           {"mean L (1 - theta/pi)^P", [](const Context& c) { return soft_count(c, {1, hard_mean}); }}}}};
}

}  // namespace skt::document_soft_scores_group

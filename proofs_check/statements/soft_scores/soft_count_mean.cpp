#include "proofs_check/laws/angle_instance.hpp"
#include "proofs_check/laws/exact_population.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::soft_count_mean_group {

extern const StatementGroup kGroup = {
    .question = "What are the soft counts on average, and how noisy is one table?",
    .notes = R"(S002-POP  E s_j = w_tau,j = g(rho_j)^P, the exact population weight, for every key
S002-Q4   E s_j^2 = g2(rho_j)^P, so the variance of the soft score is L (g2^P - g^2P)

Both hold in every dimension d >= 2.)",
    .method =
        "Means over independent tables, in empirical Bernstein intervals with the known range of a soft score, "
        "against quadrature.",
    .power = "A tenth of the largest possible score.",
    .kind = Kind::expectation,
    .scope = "any keys, tau > 0",
    .chance = Chance::random};

namespace {

constexpr double kPi = std::numbers::pi;

// sigma(2/(tau sqrt d))^P: no score is larger, since |u| <= 1/sqrt(d).
double largest_score(const PopulationParameters& p) {
  return std::pow(1 / (1 + std::exp(-2 * scaling_factor(p.scaling, p.dim) / p.temperature)), p.planes);
}

using PowerOfScore = int;
using Claimed = Estimate (*)(const PopulationParameters&, Cosine rho);

// E s_j^power of one table, for keys at several angles, in a small and in a production setting.
auto score_moment(PowerOfScore power, Claimed claimed) {
  return [power, claimed](const Context& context) {
    const std::array settings = {PopulationParameters{2, 0.3, 16, 4},
                                 PopulationParameters{std::sqrt(128.0), 0.5, 128, 8}};
    const std::vector<double> angles = {0, std::acos(0.9), kPi / 3, kPi / 2, kPi};
    const std::uint64_t trials = context.trials(24'000);
    std::vector<Evidence> evidence;
    for (const PopulationParameters& p : settings) {
      const Instance instance = angle_instance(angles, p.dim, p.query_norm, context.seed);
      const MomentsList scores =
          run_trials(trials, MomentsList(angles.size()), [&](std::uint32_t trial, MomentsList& m) {
            const Vector s = rescaled_weights(context, instance, {1, p.planes, {p.temperature}}, trial);
            for (Index j = 0; j < s.size(); ++j) m.of[j].add(std::pow(s(j), power));
          });
      const double range = std::pow(largest_score(p), power);
      for (std::size_t j = 0; j < angles.size(); ++j) {
        const Estimate value = claimed(p, Cosine::of(std::cos(angles[j])));
        evidence.push_back(mean_of_bounded({fmt::format("|q|={:.4g} d={} P={} tau={} theta={:.4f}", p.query_norm, p.dim,
                                                        p.planes, p.temperature, angles[j]),
                                            power == 1 ? "E s_j" : "E s_j^2"},
                                           scores.of[j], range, equals(value.value, value.error),
                                           {context.share(settings, angles), range / 10}));
      }
    }
    return evidence;
  };
}

Estimate without_scaling(const PopulationParameters& p, Cosine rho) {
  PopulationParameters changed = p;
  changed.scaling = Scaling::none;
  return population_weight(changed, rho);
}

// At a temperature that is higher by this factor.
template <int Percent>
Estimate warmer(const PopulationParameters& p, Cosine rho) {
  PopulationParameters changed = p;
  changed.temperature *= 1 + Percent / 100.0;
  return population_weight(changed, rho);
}

Estimate second_moment(const PopulationParameters& p, Cosine rho) {
  const Estimate variance = population_weight_variance(p, rho);
  const Estimate weight = population_weight(p, rho);
  return {variance.value + weight.value * weight.value, variance.error + 2 * weight.value * weight.error};
}

Estimate squared_weight(const PopulationParameters& p, Cosine rho) {
  const Estimate weight = population_weight(p, rho);
  return {weight.value * weight.value, 2 * weight.value * weight.error};
}

template <int Percent>
Estimate warmer_second_moment(const PopulationParameters& p, Cosine rho) {
  PopulationParameters changed = p;
  changed.temperature *= 1 + Percent / 100.0;
  return second_moment(changed, rho);
}

// E y_{tau,1} claimed to be y_tau, along the direction in which the ratio is known to be biased,
// -(1/Z_tau^2) sum_ij h_ij^P (v_j - y_tau).
std::vector<Evidence> ratio_without_bias(const Context& context) {
  const Instance instance = make_instance({.keys = 12, .dim = 16, .query_norm = 2.0}, context.seed, 0);
  const Population population = population_of(instance, 3, 0.2);
  const Matrix centred = instance.values.rowwise() - population.soft_output.transpose();
  const Vector bias = -centred.transpose() * pair_moments(instance, population.parameters).colwise().sum().transpose();
  const Vector direction = bias.normalized();
  // The bias is about a thirteenth of the deviation of one y_{tau,1}, so 5000 trials bring the half-width of the
  // interval, five deviations of the mean, down to it. Twenty times that at smoke leaves room for other instances.
  const Moments along = run_trials(context.trials(400'000), Moments{}, [&](std::uint32_t trial, Moments& m) {
    const Vector w = rescaled_weights(context, instance, {1, 3, {0.2}}, trial);
    m.add(direction.dot(weighted_output(w, instance.values) - population.soft_output));
  });
  const Vector reach = instance.values * direction;  // y is a mean of values
  const double range = reach.maxCoeff() - reach.minCoeff();
  return {mean_of_bounded({"12 Gaussian keys, L=1 P=3 d=16", "E<y_tauL - y_tau, direction of the bias>"}, along, range,
                          equals(0), {context.error_share, range / 10})};
}

}  // namespace

std::vector<Statement> statements() {
  const auto angular = [](const PopulationParameters& p, Cosine rho) { return angular_weight(p.planes, rho); };
  return {{.id = "S002-POP",
           .title = "Soft counts are unbiased for the population weights g(rho)^P",
           .source = "paper, section 5.1 (the weights as powers are derived)",
           .measure = score_moment(1, population_weight),
           .mutants = {{"E s_j is the angular weight", score_moment(1, angular)},
                       {"no 1/sqrt(d)", score_moment(1, without_scaling)},
                       {"at a temperature 4% higher", score_moment(1, warmer<4>)},
                       {"y_tauL is unbiased for y_tau", ratio_without_bias}}},
          {.id = "S002-Q4",
           .title = "The noise of one table's soft score is exactly g2^P - g^2P",
           .source = "derived from paper, eq. (4)",
           .measure = score_moment(2, second_moment),
           .mutants = {{"Bernoulli variance w(1 - w)", score_moment(2, population_weight)},
                       {"at a temperature 3% higher", score_moment(2, warmer_second_moment<3>)},
                       {"no variance", score_moment(2, squared_weight)}}}};
}

}  // namespace skt::soft_count_mean_group

#include <optional>

#include "estimators/population/pair_moment.hpp"
#include "estimators/population/population.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::pair_stability_group {

extern const StatementGroup kGroup = {
    .question = "Does soft order two keys better than hard? (section 5.3)",
    .notes = R"(
s is the soft score of one table; SNR = (E s_i - E s_j)/sd(s_i - s_j), and likewise for collisions: L tables misrank
with probability near Q(sqrt(L) SNR). The settings in use are those of Table 6. The residuals of the two keys off the
query have a cosine c, so that r_ij = rho_i rho_j + c sqrt((1 - rho_i^2)(1 - rho_j^2)); 0 unless it is given.

S002-SNR-corrected  SNR of soft >= that of hard for two keys up to cosine .995; L = 60 tables misrank less often, too)",
    .method = "Exact moments by quadrature and in closed form; paired misrankings through the estimators.",
    .power = "The error of the quadrature; a difference of 0.1 in the misranking probability at smoke size.",
    .kind = Kind::ordering};

namespace {

constexpr Index kDim = 128;
const double kNorm = std::sqrt(real(kDim));  // |q| of a Gaussian query
constexpr const char* kScope = "Gaussian planes; d = 128, |q| = sqrt(128)";

// The cosines of two keys to the query, and that of their residuals off it.
struct Pair {
  double first, second, residuals = 0;
  Cosine between() const {
    return Cosine::of(first * second + residuals * std::sqrt((1 - first * first) * (1 - second * second)));
  }
};

PopulationParameters in_use(Index planes, double temperature) {
  return {kNorm, temperature, kDim, planes};
}

// E[s_i s_j] of one plane, the costly part, which serves any number of planes.
Estimate plane_pair_moment(PopulationParameters p, Pair cosines) {
  p.planes = 1;
  return population_pair_moment(p, Cosine::of(cosines.first), Cosine::of(cosines.second), cosines.between());
}

// E s_i - E s_j over the standard deviation of s_i - s_j, in one table; `h` is plane_pair_moment.
Estimate soft_snr(const PopulationParameters& p, Pair cosines, const Estimate& h) {
  const Cosine i = Cosine::of(cosines.first), j = Cosine::of(cosines.second);
  const double planes = real(p.planes);
  const Estimate a = population_weight(p, i), b = population_weight(p, j);
  const Estimate both{std::pow(h.value, planes), planes * std::pow(h.value, planes - 1) * h.error};
  const Estimate u = population_weight_variance(p, i), v = population_weight_variance(p, j);
  const double variance = u.value + v.value - 2 * (both.value - a.value * b.value);
  const double variance_error = u.error + v.error + 2 * (both.error + a.error + b.error);
  const double snr = (a.value - b.value) / std::sqrt(variance);
  return {snr, snr * ((a.error + b.error) / (a.value - b.value) + variance_error / (2 * variance))};
}

double hard_snr(Index planes, Pair cosines) {
  const Cosine i = Cosine::of(cosines.first), j = Cosine::of(cosines.second);
  const double power = real(planes);
  const double a = std::pow(hard_agreement(i), power), b = std::pow(hard_agreement(j), power);
  const double both = std::pow(hard_pair_moment(i, j, cosines.between()), power);
  return (a - b) / std::sqrt(a * (1 - a) + b * (1 - b) - 2 * (both - a * b));
}

// The SNR of soft over that of hard, for the pair and the number of planes where it is least; claimed to be `factor` at
// least.
Evidence least_gain(PopulationParameters p, const std::vector<Index>& numbers_of_planes, const std::vector<Pair>& pairs,
                    double factor) {
  Estimate least{HUGE_VAL, 0};
  std::string where;
  for (const Pair& cosines : pairs) {
    const Estimate h = plane_pair_moment(p, cosines);
    for (const Index planes : numbers_of_planes) {
      p.planes = planes;
      const Estimate soft = soft_snr(p, cosines, h);
      const double hard = hard_snr(planes, cosines);
      if (soft.value / hard >= least.value) continue;
      least = {soft.value / hard, soft.error / hard};
      where = fmt::format("P={} cosines {}, {} residuals {}", planes, cosines.first, cosines.second, cosines.residuals);
    }
  }
  const char* const divisor = p.scaling == Scaling::none ? " no divisor" : "";
  return exact({fmt::format("d=128 |q|=sqrt(128) tau={}{} {}", p.temperature, divisor, where),
                "least SNR of soft over that of hard"},
               least.value, at_least(factor, least.error));
}

std::vector<Pair> all_pairs(const std::vector<double>& falling) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < falling.size(); ++i)
    for (std::size_t j = i + 1; j < falling.size(); ++j)
      for (const double residuals : {-0.99, 0.0, 0.99}) pairs.push_back({falling[i], falling[j], residuals});
  return pairs;
}

auto soft_ranks_better(const std::vector<Pair>& pairs) {
  return [pairs](const Context&) {
    std::vector<Evidence> evidence;
    for (const Pair& pair : pairs) evidence.push_back(least_gain(in_use(8, 0.5), {8}, {pair}, 1));
    return evidence;
  };
}

// P(hard misranks) - P(soft misranks) at L = 60, a tie counting half. Of the d dimensions only the three that query and
// keys span enter the scores: the same law in three dimensions, at the temperature that leaves tau sqrt(d) as it is.
Evidence fewer_misrankings(const Context& context, Pair cosines, double gain) {
  constexpr Index kTables = 60, kPlanes = 8, kSpanned = 3;
  const double temperature = 0.5 * std::sqrt(real(kDim) / real(kSpanned));
  const Vector query = kNorm * Vector::Unit(kSpanned, 0);
  Matrix keys(2, kSpanned);
  const auto off = [](double c) { return std::sqrt(1 - c * c); };
  keys << cosines.first, off(cosines.first), 0, cosines.second, 0, off(cosines.second);
  const auto misranked = [](const Vector& scores) {
    return scores(0) < scores(1) ? 1.0 : scores(0) == scores(1) ? 0.5 : 0.0;
  };
  const Moments gains = run_trials(context.trials(16'000), Moments{}, [&](std::uint32_t trial, Moments& m) {
    const Hyperplanes planes = context.estimators.draw(context.seed, trial, kTables, kPlanes, kSpanned);
    const KeyCodes codes = context.estimators.hash(planes, keys);
    m.add(misranked(hard_scores(planes, codes, query)) -
          misranked(context.estimators.soft(planes, codes, query, {temperature})));
  });
  return mean_of_bounded({fmt::format("d=128 P=8 L=60 tau=.5 cosines {}, {}", cosines.first, cosines.second),
                          "P(hard misranks) - P(soft misranks)"},
                         gains, 2, at_least(gain), {context.error_share, 0.2});
}

// What is claimed: of pairs of these cosines at the settings in use, of one setting more at cosines .3 and .2, and of the
// misrankings. A mutant leaves out what it does not change.
struct Better {
  std::vector<double> cosines{};
  std::optional<PopulationParameters> further{};
  double factor = 1;  // of `further`
  std::optional<double> gain{};
};

auto better_in_the_bulk(const Better& claimed) {
  return [claimed](const Context& context) {
    std::vector<Evidence> evidence;
    if (!claimed.cosines.empty()) {
      for (const double temperature : {0.3, 0.5, 0.7})
        evidence.push_back(least_gain(in_use(8, temperature), {8, 10, 12}, all_pairs(claimed.cosines), 1));
    }
    if (claimed.further)
      evidence.push_back(least_gain(*claimed.further, {claimed.further->planes}, {{0.3, 0.2}}, claimed.factor));
    if (claimed.gain) evidence.push_back(fewer_misrankings(context, {0.3, 0.2}, *claimed.gain));
    return evidence;
  };
}

}  // namespace

std::vector<Statement> statements() {
  const PopulationParameters without_divisor{kNorm, 0.3, kDim, 8, Scaling::none};
  const std::vector<double> bulk{0.995, 0.99, 0.9, 0.7, 0.5, 0.3, 0.2, 0, -0.2, -0.5, -0.9};
  return {{.id = "S002-SNR",
           .title = "Soft collisions rank every pair of keys more stably than hard ones",
           .source = "paper, section 5.3",
           .wording = Wording::reading,
           .scope = kScope,
           .measure = soft_ranks_better({{0.3, 0.2}, {0.9999, 0.5}}),
           .controls = {{"pairs up to cosine .95", soft_ranks_better({{0.3, 0.2}, {0.95, 0.5}})}},
           .expected = Verdict::refuted,
           .remark =
               "\"Every pair\" is ours: section 5.3 speaks of keys of \"comparable weights\" and of top-k as a whole. "
               "For such keys soft has 3.6 times the signal-to-noise ratio of hard (cosines .3 and .2, P = 8, tau = "
               ".5). The exception is a near duplicate of the query (.75 times, for .9999 and .5): a hard collision in "
               "nearly every table is a clear signal."},
          {.id = "S002-SNR-corrected",
           .title = "Soft has the larger signal-to-noise ratio for two keys on a grid of cosines up to .995",
           .source = "paper, section 5.3, corrected",
           .scope = "the settings of Table 6, d = 128, |q| = sqrt(128); eleven cosines, residuals at -.99, 0 and .99",
           .chance = Chance::random,
           .measure = better_in_the_bulk({.cosines = bulk, .gain = 0}),
           .mutants = {{"up to cosine .999", better_in_the_bulk({.cosines = {0.999, 0.8}})},
                       {"misrankings fewer by .45 at least", better_in_the_bulk({.gain = 0.45})},
                       {"by 1.5 without the divisor sqrt(d)",
                        better_in_the_bulk({.further = without_divisor, .factor = 1.5})},
                       {"by 2 with one plane", better_in_the_bulk({.further = in_use(1, 0.5), .factor = 2})}},
           .remark =
               "Least, 1.10 times, at cosines .995 and .9 with residuals at .99, P = 8, tau = .7. Between the cosines "
               "of the grid nothing is tried."}};
}

}  // namespace skt::pair_stability_group

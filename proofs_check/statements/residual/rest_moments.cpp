#include "estimators/residual/logit_ceilings.hpp"
#include "estimators/residual/rest_sample.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "proofs_check/statements/residual/hidden_weight.hpp"

namespace skt::rest_moments_group {

extern const StatementGroup kGroup = {
    .question = "Do a few keys of the rest estimate its weight and what it moves? (Theorem 16 of this project, part a)",
    .notes = R"(S is the list, R the rest, f_j = e^{x_j - m} with m the largest logit of S, D_R = sum_R f_j,
y_S the output over S, G = sum_R f_j (v_j - y_S). n keys are drawn with replacement, key j with probability P_j.

  OWN-16a  E D^ = D_R, n Var D^ = sum f_j^2/P_j - D_R^2, n E|G^ - G|^2 = sum f_j^2 |v_j - y_S|^2/P_j - |G|^2

The proofs are in docs/bounds/residual.md.)",
    .method =
        "Draws from one query and list of each kind, uniform and weighted by ceilings; ratios of mean and exact value.",
    .power = "A mean off by 2%, a variance off by a tenth, at standard size."};

namespace {

constexpr Index kSamples = 24;
constexpr std::array kSampled{Hidden::nothing, Hidden::cluster, Hidden::needle};
constexpr std::array kSamplings{RestSampling::uniform, RestSampling::weighted};

// What a miscount makes of the sample.
enum class Slip { none, list_in_rest, one_lost, two_largest, without_replacement };

struct Sampled {
  HiddenProblem problem;
  ListedSums listed;
  std::vector<Index> rest, drawn_from;
  Vector ceilings;
  double largest = 0;  // m of the rest's weights

  Sampled(Hidden hidden, Seed seed, Slip slip) : problem(hidden_problem(hidden, seed, 0)) {
    listed = listed_sums(problem.logits, problem.instance.values, problem.list);
    rest = rest_of(problem.logits, problem.list);
    // Above the logits by up to a nat, by the key's number.
    ceilings = problem.logits;
    for (Index j = 0; j < ceilings.size(); ++j) ceilings[j] += real(j % 16) / 16;
    drawn_from = rest;
    if (slip == Slip::one_lost) drawn_from.pop_back();
    if (slip == Slip::list_in_rest) {
      drawn_from.resize(problem.logits.size());
      std::iota(drawn_from.begin(), drawn_from.end(), 0);
    }
    largest = slip == Slip::two_largest ? problem.logits.maxCoeff() : listed.largest;
  }
  RestEstimate estimate(Seed seed, RestSampling sampling, Index samples, std::uint32_t trial) const {
    const RestDraws draws =
        draw_rest(problem.logits, drawn_from, ceilings, largest, samples, sampling, {seed, 0, trial});
    return rest_estimate(draws, problem.instance.values, listed.output);
  }
};

const char* name_of(RestSampling sampling) {
  return sampling == RestSampling::uniform ? "uniform" : "weighted";
}

// Means and squared errors over the exact ones.
auto has_its_moments(Slip slip) {
  return [slip](const Context& context) {
    std::vector<Evidence> evidence;
    for (const Hidden hidden : kSampled)
      for (const RestSampling sampling : kSamplings) {
        const Sampled s(hidden, context.seed, slip);
        const RestMoments exact =
            rest_moments(s.problem.logits, s.problem.instance.values, s.rest, s.ceilings, s.listed, sampling);
        const double drawn = slip == Slip::without_replacement ? 1 - real(kSamples) / real(s.rest.size()) : 1;
        const MomentsList sums =
            run_trials(context.trials(30000), MomentsList(3), [&](std::uint32_t trial, MomentsList& m) {
              const RestEstimate one = s.estimate(context.seed, sampling, kSamples, trial);
              const double off = one.weight - exact.weight;
              m.of[0].add(one.weight / exact.weight);
              m.of[1].add(kSamples * off * off / (drawn * exact.weight_variance));
              m.of[2].add(kSamples * (one.moved - exact.moved).squaredNorm() / (drawn * exact.moved_variance));
            });
        const std::string where = fmt::format("{}, {}, n={}", name_of(hidden), name_of(sampling), kSamples);
        const std::array what{"E D^/D_R", "n E(D^ - D_R)^2 over the formula", "n E|G^ - G|^2 over the formula"};
        for (std::size_t i = 0; i < what.size(); ++i)
          evidence.push_back(
              mean({where, what[i]}, sums.of[i], equals(1),
                   {context.share(3 * std::size(kSampled) * std::size(kSamplings)), i == 0 ? 0.4 : 0.9}));
      }
    return evidence;
  };
}

constexpr const char* kSource = "docs/bounds/residual.md, ";

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "OWN-16a",
           .title = "Keys drawn from the rest estimate its weight and its pull without bias, with the variances stated",
           .source = std::string(kSource) + "16a",
           .scope = "at least one key in the list, more keys in the rest than draws",
           .chance = Chance::random,
           .measure = has_its_moments(Slip::none),
           .mutants = {{"draws with replacement taken as without: variance times 1 - n/r",
                        has_its_moments(Slip::without_replacement)},
                       {"the last key of the rest is never drawn", has_its_moments(Slip::one_lost)},
                       {"the sample can fall into the list", has_its_moments(Slip::list_in_rest)},
                       {"m over the list here, over all keys there", has_its_moments(Slip::two_largest)}}}};
}

}  // namespace skt::rest_moments_group

#include "estimators/residual/logit_ceilings.hpp"
#include "proofs_check/bounds/or_infinite.hpp"
#include "proofs_check/certificate/residual.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "proofs_check/statements/residual/hidden_weight.hpp"
#include "sim/statistics/betting.hpp"

namespace skt::residual_limits_group {

extern const StatementGroup kGroup = {
    .question =
        "How much of the softmax is outside the list at most, and how far is its output from dense attention? (Theorem "
        "16 of this project, parts c to e)",
    .notes = R"(u_j = e^{ceiling of x_j - m}, U the betting limit of the shares f_j/u_j of n draws, times sum u.

  OWN-16c  P(D_R > U) <= delta, and so P(eps > U/(D_S + U)) <= delta
  OWN-16d  |dense - y_S| <= min((|G^| + radius)/D_S, V U/(D_S + U)) with probability 1 - delta, |v_j - y_S| <= V on R
  OWN-16e  the list that grows until it is certified has eps <= target, or is everything, with probability 1 - delta

The proofs are in docs/bounds/residual.md.)",
    .method =
        "Query, keys, projections and draws afresh in each trial; what weighs most is often barred from the list. Exact "
        "where all draws miss what weighs.",
    .power = "A violation rate a third above its level, at standard size.",
    .kind = Kind::high_probability,
    .scope = "ceilings by signs, at least one key in the list",
    .chance = Chance::random};

namespace {

constexpr std::array kDeltas{0.05, 0.01};
constexpr Index kSamples = 48;

enum class Slip { none, one_lost, two_largest, wrong_range };

struct Trial {
  double residual = 0, error = 0;              // true ones
  double residual_limit = 0, error_limit = 0;  // proved ones
  double error_estimate = 0;
};

struct Drawn {
  HiddenProblem problem;
  LogitCeilings signs;
  Drawn(Hidden hidden, Seed seed, std::uint32_t trial)
      : problem(hidden_problem(hidden, seed, trial)),
        signs(problem.instance.keys, 64, ProjectionRows::orthogonal_blocks, seed, trial) {}
};

// residual_report on one list; a slip corrupts what it is given, and the truth is that of the problem.
Trial measured(const Drawn& drawn, Slip slip, double delta, RestSampling sampling, Seed seed, std::uint32_t trial) {
  const HiddenProblem& problem = drawn.problem;
  const Matrix& values = problem.instance.values;
  Vector ceilings = drawn.signs.of(problem.instance.query, kHiddenScale, kCeilingShare * delta);
  Vector logits = problem.logits;
  const ListedSums listed = listed_sums(logits, values, problem.list);
  const std::vector<Index> rest = rest_of(logits, problem.list);
  const RestMoments truth = rest_moments(logits, values, rest, logits, listed, RestSampling::weighted);
  const Index heaviest = *std::ranges::max_element(rest, {}, [&](Index j) { return logits[j]; });
  if (slip == Slip::one_lost) logits[heaviest] = -kInfinity;
  if (slip == Slip::two_largest) {
    const double shift = logits.maxCoeff() - listed.largest;
    for (const Index j : rest) logits[j] -= shift, ceilings[j] -= shift;
  }
  if (slip == Slip::wrong_range) {  // that of the others, for the key of most weight too
    double largest = -kInfinity;
    for (const Index j : rest)
      if (j != heaviest) largest = std::max(largest, logits[j]);
    ceilings.setConstant(largest);
  }
  const ResidualPlan plan{.samples = kSamples, .delta = delta, .sampling = sampling};
  const auto list_of = [&](Index) { return problem.list; };
  const ResidualReport report = *residual_report(logits, values, ceilings, 32, list_of, plan, {seed, 0, trial});
  const double all = listed.weight + truth.weight;
  return {truth.weight / all, truth.moved.norm() / all, report.limit, report.error_limit, report.error_estimate};
}

// Rounding of sums of 256 terms.
constexpr double kSlack = 1e-9;

auto limits_hold(double Trial::* truth, double Trial::* limit) {
  return [=](const Context& context) {
    std::vector<Evidence> evidence;
    for (const Hidden hidden : kHidden) {
      const std::uint64_t trials = context.trials(2000);
      const Counts above = run_trials(trials, Counts(kDeltas.size()), [&](std::uint32_t trial, Counts& c) {
        const RestSampling sampling = trial % 2 == 0 ? RestSampling::weighted : RestSampling::uniform;
        const Drawn drawn(hidden, context.seed, trial);
        for (std::size_t i = 0; i < kDeltas.size(); ++i) {
          const Trial one = measured(drawn, Slip::none, kDeltas[i], sampling, context.seed, trial);
          c.of[i] += !(one.*truth <= one.*limit * (1 + kSlack) + kSlack);
        }
      });
      for (std::size_t i = 0; i < kDeltas.size(); ++i)
        evidence.push_back(frequency({fmt::format("{}, 256 keys, list 32, n={}", name_of(hidden), kSamples),
                                      fmt::format("P(above its limit), delta={}", kDeltas[i])},
                                     above.of[i], trials, at_most(kDeltas[i]),
                                     {context.share(kHidden, kDeltas), std::max(3 * kDeltas[i], 0.06)}));
    }
    return evidence;
  };
}

auto slips(Hidden hidden, Slip slip, double Trial::* truth, double Trial::* limit) {
  // A range that is too small shows in a sample that has no key above it.
  const RestSampling sampling = slip == Slip::wrong_range ? RestSampling::uniform : RestSampling::weighted;
  return [=](const Context& context) {
    const std::uint64_t trials = context.trials(1000);
    const Counts above = run_trials(trials, Counts(1), [&](std::uint32_t trial, Counts& c) {
      const Drawn drawn(hidden, context.seed, trial);
      const Trial one = measured(drawn, slip, 0.05, sampling, context.seed, trial);
      c.of[0] += !(one.*truth <= one.*limit * (1 + kSlack) + kSlack);
    });
    return std::vector{frequency({name_of(hidden), "P(above its limit), delta=0.05"}, above.of[0], trials,
                                 at_most(0.05), {context.share(1), 1})};
  };
}

// Shares are 1 with probability p, else 0. If none of n draws is 1 the limit is that of zeros; a mean just above `factor`
// times that limit is missed with probability (1 - p)^n.
double missed_by_all(Index samples, double delta, double factor) {
  const double limit = factor * mean_limit_by_betting(std::vector<double>(samples, 0.0), delta);
  return std::pow(1 - limit, real(samples));
}
auto zeros_miss(double factor) {
  return [factor](const Context&) {
    std::vector<Evidence> evidence;
    for (const double delta : kDeltas)
      evidence.push_back(
          exact({fmt::format("n={}, delta={}", kSamples, delta), "P(all draws are 0, and the mean above)"},
                missed_by_all(kSamples, delta, factor), at_most(delta)));
    return evidence;
  };
}

std::vector<Evidence> weight_is_limited(const Context& context) {
  std::vector<Evidence> evidence = limits_hold(&Trial::residual, &Trial::residual_limit)(context);
  for (const Evidence& piece : zeros_miss(1)(context)) evidence.push_back(piece);
  return evidence;
}

// 600 keys beside the list's first: `heavy` of weight 1, which are listed last, the others of weight 0; all have the
// ceiling of weight 1. The first weighs a little less than the heavy ones, and as much as the limit of a sample of zeros
// with `zeros_delta`: a sample without a heavy key certifies eps <= 1/2, which is false.
class HeavyTwelfth {
 public:
  explicit HeavyTwelfth(double zeros_delta)
      : first_(1.02 * kOthers * mean_limit_by_betting(std::vector<double>(kSamples, 0.0), zeros_delta)),
        heavy_(static_cast<Index>(std::ceil(first_)) + 1),
        logits_(Vector::Constant(kOthers + 1, -200.0)) {
    logits_.head(heavy_).setZero();
    logits_[kOthers] = std::log(first_);
  }
  std::optional<ResidualReport> report(Index budget, const ResidualPlan& plan, const RestAddress& at) const {
    const auto list_of = [&](Index b) {
      const Index light = kOthers + 1 - heavy_;
      std::vector<Index> list;
      for (Index i = 0; i < (b > kOthers ? b : std::min(b, light)); ++i) list.push_back(kOthers - i);
      return list;
    };
    return residual_report(logits_, Matrix::Ones(kOthers + 1, 1), Vector::Zero(kOthers + 1), budget, list_of, plan, at);
  }
  bool is_short_of_target(const ResidualReport& report) const { return std::ssize(report.list) <= kOthers; }

  static constexpr Index kOthers = 600, kBudget = 4;
  static constexpr double kTarget = 0.5;

 private:
  double first_;
  Index heavy_;
  Vector logits_;
};

constexpr ResidualPlan kGrowing{.samples = kSamples, .delta = 0.05, .sampling = RestSampling::uniform, .target = {}};

Evidence certified_wrongly(const Context& context, const std::function<bool(std::uint32_t trial)>& is_wrong) {
  const std::uint64_t trials = context.trials(2000);
  const Counts wrong =
      run_trials(trials, Counts(1), [&](std::uint32_t trial, Counts& c) { c.of[0] += is_wrong(trial); });
  return frequency({"a twelfth of 600 keys weighs and is listed last, n=48", "P(certified, and eps above the target)"},
                   wrong.of[0], trials, at_most(0.05), {context.share(2), 1});
}

// Of lists that are certified with all of delta, and with the part of one stage of fifteen.
std::vector<Evidence> growing_list_keeps(const Context& context) {
  std::vector<Evidence> evidence;
  for (const double zeros_delta : {0.05, 0.003}) {
    const HeavyTwelfth problem(zeros_delta);
    evidence.push_back(certified_wrongly(context, [&](std::uint32_t trial) {
      ResidualPlan plan = kGrowing;
      plan.target = HeavyTwelfth::kTarget;
      const auto report = problem.report(HeavyTwelfth::kBudget, plan, {context.seed, trial, 0});
      return report->limit <= HeavyTwelfth::kTarget && problem.is_short_of_target(*report);
    }));
  }
  return evidence;
}

// Stage by stage, each with all of delta; it stops where `told` of the report is at most the target.
auto stages_apart(double ResidualReport::* told) {
  return [told](const Context& context) {
    const HeavyTwelfth problem(0.05);
    return std::vector{certified_wrongly(context, [&](std::uint32_t trial) {
      ResidualPlan plan = kGrowing;
      plan.delta /= 1 - kCeilingShare;
      std::uint32_t step = 0;
      for (const Index budget : budgets_tried(HeavyTwelfth::kBudget, HeavyTwelfth::kOthers + 1, true)) {
        const auto report = problem.report(budget, plan, {context.seed, trial, step++});
        if (*report.*told <= HeavyTwelfth::kTarget) return problem.is_short_of_target(*report);
      }
      return false;
    })};
  };
}

constexpr const char* kSource = "docs/bounds/residual.md, ";
constexpr const char* kNotNear =
    "The limits hold with room to spare on every kind of query: a lie must use that room first.";

}  // namespace

std::vector<Statement> statements() {
  const auto residual = &Trial::residual, residual_limit = &Trial::residual_limit;
  const auto error = &Trial::error, error_limit = &Trial::error_limit;
  return {{.id = "OWN-16c",
           .title = "The residual weight is at most its limit by a sample of the rest",
           .source = std::string(kSource) + "16c",
           .measure = weight_is_limited,
           .mutants = {{"the betting limit .94 of it", zeros_miss(0.94)},
                       {"the key of most weight in the rest is not counted",
                        slips(Hidden::needle, Slip::one_lost, residual, residual_limit)},
                       {"m over the list here, over all keys there",
                        slips(Hidden::needle, Slip::two_largest, residual, residual_limit)},
                       {"a range that is not the needle's",
                        slips(Hidden::needle, Slip::wrong_range, residual, residual_limit)}}},
          {.id = "OWN-16d",
           .title = "The output is at most its limit away from dense attention, by a sample of the rest",
           .source = std::string(kSource) + "16d",
           .measure = limits_hold(error, error_limit),
           .mutants = {{"a range that is not that of the key of most weight",
                        slips(Hidden::heavy_norms, Slip::wrong_range, error, error_limit)},
                       {"the estimate is believed", slips(Hidden::nothing, Slip::none, error, &Trial::error_estimate)}},
           .no_near_mutant = kNotNear},
          {.id = "OWN-16e",
           .title = "A list that grows until it is certified keeps its target",
           .source = std::string(kSource) + "16e",
           .scope = "ceilings that hold, stages fixed before the draws",
           .measure = growing_list_keeps,
           .mutants = {{"delta not divided among the stages", stages_apart(&ResidualReport::limit)},
                       {"Student's limit is believed", stages_apart(&ResidualReport::nominal_limit)},
                       {"the estimate is believed", stages_apart(&ResidualReport::estimate)}},
           .no_near_mutant = kNotNear}};
}

}  // namespace skt::residual_limits_group

#include "experiments/choose/choose.hpp"

#include <iterator>
#include <numeric>

#include "estimators/peers/lsh_sampling.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr double kMostDrawn = 0.2;  // of the keys, by MagicPIG: beyond that its codes are longer than the keys

struct ScoredQuery {
  Vector query;       // [dim]
  Vector own_scores;  // [keys]; empty where the caller has none
};

// A query, and what is scored for its list: itself alone, or the queries of all heads that share its KV head.
struct Asked {
  DenseQuery truth;
  std::vector<ScoredQuery> scored{};
};

// A rule on the keys of one key head.
struct BuiltRule {
  std::vector<double> bits_per_key;                            // [budgets]
  std::function<std::vector<KeptOfQuery>(const Asked&)> kept;  // [budgets]
};

Asked asked(AttendProblem& problem, const ChoosePlan& plan, const Matrix& values, Index query) {
  Asked made{dense_query(problem, values, query, plan.always)};
  const std::vector<Index> scored =
      plan.lists == Lists::head ? std::vector<Index>{query} : queries_of_group(problem, made.truth.view);
  for (const Index i : scored)
    made.scored.push_back({problem.query(i), problem.has_scores() ? problem.own_scores(i) : Vector()});
  return made;
}

BuiltRule by_scores(const ChoosePlan& plan, const Matrix& values, const std::string& rule, double bits,
                    const std::function<Vector(const ScoredQuery&)>& scores_of) {
  const auto kept = [&plan, &values, rule, scores_of](const Asked& asked) {
    const QueryView& view = asked.truth.view;
    std::vector<Vector> of_heads;
    for (const ScoredQuery& one : asked.scored) of_heads.push_back(scores_of(one).head(view.visible));
    const Vector scores = plan.lists == Lists::head
                              ? of_heads.front()
                              : kv_head_scores(rule, of_heads, std::ssize(asked.truth.query), plan.group, view.past());
    return kept_at_budgets(asked.truth, values, scores, plan.always, plan.budgets);
  };
  return {std::vector<double>(plan.budgets.size(), bits), kept};
}

KeptOfQuery kept_by_draw(const DenseQuery& truth, const Matrix& values, const LshSampler& sampler) {
  const QueryView& view = truth.view;
  LshSampler::Sample sample = sampler.sample(truth.query);
  std::erase_if(sample.keys, [&](Index key) { return !view.mask.empty() && view.mask[key] == Allowed::no; });
  sample.keys.insert(sample.keys.end(), truth.always.begin(), truth.always.end());
  std::ranges::sort(sample.keys);
  sample.keys.erase(std::unique(sample.keys.begin(), sample.keys.end()), sample.keys.end());
  for (const Index key : truth.always) sample.probability(key) = 1;
  KeptOfQuery kept = kept_of_first(truth, values, sample.keys, {std::ssize(sample.keys)}).front();
  kept.error = relative_error(truth, importance_attention(view.logits, values, sample));
  return kept;
}

BuiltRule by_draws(const ChoosePlan& plan, const HeadArrays& head) {
  BuiltRule built;
  std::vector<std::optional<LshSampler>> samplers(plan.budgets.size());  // none where it draws nothing or too much
  for (std::size_t b = 0; b < samplers.size(); ++b) {
    const double density = real(plan.budgets[b]) / real(head.keys.rows());
    if (density > 0 && density <= kMostDrawn)
      samplers[b].emplace(head.keys,
                          LshSamplingParameters{plan.hash.planes, tables_for_density(plan.hash.planes, 2, density), 2},
                          plan.seed, 0);
    built.bits_per_key.push_back(samplers[b] ? samplers[b]->bits_per_token() : KeptOfQuery::kUndefined);
  }
  built.kept = [samplers = std::move(samplers), &head](const Asked& asked) {
    std::vector<KeptOfQuery> kept;
    for (const auto& sampler : samplers)
      kept.push_back(sampler ? kept_by_draw(asked.truth, head.values, *sampler) : KeptOfQuery{});
    return kept;
  };
  return built;
}

// Refer to the plan and to the head.
std::vector<BuiltRule> rules_of_head(AttendProblem& problem, const ChoosePlan& plan, const HeadArrays& head) {
  const std::vector<Ranking> rankings = built_rules(
      plan.rules, plan.hash, {head.keys, head.values, problem.calibration(), plan.seed, 0, &plan.hyperplanes});
  auto next = rankings.begin();
  std::vector<BuiltRule> rules;
  for (const std::string& rule : plan.rules) {
    if (rule == kMagicPig) {
      rules.push_back(by_draws(plan, head));
    } else if (rule == kOwnScores) {
      rules.push_back(by_scores(plan, head.values, rule, KeptOfQuery::kUndefined,
                                [](const ScoredQuery& one) { return one.own_scores; }));
    } else {
      const auto scores_of = [scores = next->scores](const ScoredQuery& one) { return scores(one.query); };
      rules.push_back(by_scores(plan, head.values, rule, next->bits_per_token, scores_of));
      ++next;
    }
  }
  return rules;
}

void check(const AttendProblem& problem, const ChoosePlan& plan) {
  require(!plan.rules.empty() && !plan.budgets.empty(), "rankers and budgets: allowed is one of each and more");
  const auto asks_for = [&](const char* rule) { return std::ranges::count(plan.rules, rule) > 0; };
  require(plan.lists == Lists::head || !asks_for(kMagicPig),
          "rankers: {} draws its keys; with lists kv-head allowed are rankers that score all keys", kMagicPig);
  require(asks_for(kOwnScores) == problem.has_scores(),
          "rankers: {} needs an array of scores, and such an array the ranker {}", kOwnScores, kOwnScores);
}

}  // namespace

MeasuredRules measure_rules(AttendProblem& problem, const ChoosePlan& plan, const std::function<void()>& step) {
  check(problem, plan);
  MeasuredRules all;
  std::vector<Index> queries(problem.num_queries() / problem.key_heads());
  for (Index g = 0; g < problem.key_heads(); ++g) {
    const HeadArrays head = problem.head(g);
    const std::vector<BuiltRule> rules = rules_of_head(problem, plan, head);
    all.bits_per_key.clear();
    for (const BuiltRule& rule : rules) all.bits_per_key.push_back(rule.bits_per_key);
    std::iota(queries.begin(), queries.end(), g * std::ssize(queries));
    const auto prepare = [&](Index query) { return asked(problem, plan, head.values, query); };
    const auto kept = [&](const Asked& asked) {
      std::vector<KeptOfQuery> of_rules;
      for (const BuiltRule& rule : rules) std::ranges::copy(rule.kept(asked), std::back_inserter(of_rules));
      return of_rules;
    };
    std::ranges::move(kept_of_queries(queries, prepare, kept, step), std::back_inserter(all.kept));
  }
  return all;
}

}  // namespace skt

#include "experiments/choose/choose.hpp"

#include <algorithm>
#include <cmath>

#include "estimators/peers/lsh_sampling.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kMostDrawn = 0.2;  // of the keys, by MagicPIG: beyond that its codes are longer than the keys

// A query, and what is scored for its list: itself alone, or the queries of all heads that share its KV head.
struct Asked {
  DenseQuery truth;
  std::vector<Vector> queries{};
  std::vector<Vector> own_scores{};  // [keys] of each, where the caller has scores
};

Asked asked(ChooseInput& input, const ChoosePlan& plan, const Matrix& values, Index query) {
  Asked made{dense_query(input.problem, values, query, plan.sink, plan.window)};
  const std::vector<Index> scored =
      plan.lists == Lists::head ? std::vector<Index>{query} : queries_of_group(input.problem, made.truth.view);
  for (const Index i : scored) {
    made.queries.push_back(input.problem.query(i));
    if (input.own_scores) made.own_scores.emplace_back(input.own_scores->read_rows(i, 1).row(0));
  }
  return made;
}

// scores_of(h): those of the h-th scored query.
template <class ScoresOf>
Vector scores_for_list(const Asked& asked, const ChoosePlan& plan, const std::string& rule, ScoresOf scores_of) {
  if (plan.lists == Lists::head) return scores_of(0);
  const QueryView& view = asked.truth.view;
  std::vector<Vector> of_heads;
  for (std::size_t h = 0; h < asked.queries.size(); ++h) of_heads.push_back(scores_of(h).head(view.visible));
  const std::span mask = std::span(view.mask).first(view.mask.empty() ? 0 : view.visible);
  return kv_head_scores(rule, of_heads, std::ssize(asked.queries.front()), plan.group, mask);
}

struct HeadAtHand {
  HeadArrays arrays;
  std::vector<Ranking> rankings;               // of the rules that order all keys
  std::vector<std::optional<LshSampler>> pig;  // [budgets]; empty where it is not asked for or draws too much
};

KeptOfQuery kept_by_draw(const DenseQuery& truth, const Matrix& values, const LshSampler& sampler) {
  const QueryView& view = truth.view;
  LshSampler::Sample sample = sampler.sample(truth.query);
  std::vector<char> is_in(view.logits.size(), 0);
  for (const Index key : sample.keys) is_in[key] = view.mask.empty() || view.mask[key] == Allowed::yes;
  for (const Index key : truth.always) {
    is_in[key] = 1;
    sample.probability(key) = 1;
  }
  sample.keys.clear();
  for (Index key = 0; key < std::ssize(is_in); ++key)
    if (is_in[key]) sample.keys.push_back(key);
  KeptOfQuery kept = kept_of(truth, values, sample.keys);
  kept.error = relative_error(truth, importance_attention(view.logits, values, sample));
  return kept;
}

HeadAtHand head_at_hand(ChooseInput& input, const ChoosePlan& plan, Index key_head) {
  AttendProblem& problem = input.problem;
  HeadAtHand head{read_head(problem, key_head), {}, {}};
  const Hyperplanes* const given = input.hyperplanes ? &*input.hyperplanes : nullptr;
  head.rankings = built_rules(plan.rules, plan.hash,
                              {head.arrays.keys, head.arrays.values, input.calibration, plan.seed, 0, given});
  head.pig.resize(plan.budgets.size());
  if (std::find(plan.rules.begin(), plan.rules.end(), kMagicPig) == plan.rules.end()) return head;
  for (std::size_t b = 0; b < plan.budgets.size(); ++b) {
    const double density = real(plan.budgets[b]) / real(problem.num_keys());
    if (density <= 0 || density > kMostDrawn) continue;
    const Index tables = tables_for_density(plan.hash.planes, 2, density);
    head.pig[b].emplace(head.arrays.keys, LshSamplingParameters{plan.hash.planes, tables, 2}, plan.seed, 0);
  }
  return head;
}

void check(const ChooseInput& input, const ChoosePlan& plan) {
  require(!plan.rules.empty(), "rankers: allowed is one and more");
  for (const std::string& rule : plan.rules) {
    check_rule(rule);
    require(plan.lists == Lists::head || rule != kMagicPig,
            "rankers: {} draws its keys; with lists kv-head allowed are rankers that score all keys", rule);
    require(std::count(plan.rules.begin(), plan.rules.end(), rule) == 1, "rankers: {} stands twice", rule);
  }
  const bool own = std::find(plan.rules.begin(), plan.rules.end(), kOwnScores) != plan.rules.end();
  require(own == input.own_scores.has_value(), "rankers: {} needs an array of scores, and such an array the ranker {}",
          kOwnScores, kOwnScores);
  require(
      !plan.budgets.empty() && plan.budgets.front() >= 0 && std::is_sorted(plan.budgets.begin(), plan.budgets.end()),
      "budget: allowed are counts from 0 on, rising");
  require(plan.sink >= 0 && plan.window >= 0, "sink and window are {} and {}: allowed are 0 and more", plan.sink,
          plan.window);
  if (own) {
    const std::span<const Index> shape = input.problem.query_shape();
    std::vector<Index> wanted(shape.begin(), shape.end());
    wanted.push_back(input.problem.num_keys());
    require(input.own_scores->shape() == wanted, "{}: shape {}; allowed is {}, the queries' with keys for dim",
            input.own_scores->name(), bracketed(input.own_scores->shape()), bracketed(wanted));
  }
  require(input.calibration.size() == 0 || input.calibration.cols() == input.problem.dim(),
          "calibration: dim is {}; the keys have {}", input.calibration.cols(), input.problem.dim());
}

struct Nothing {
  void merge(const Nothing&) {}
};

}  // namespace

std::vector<MeasuredRule> measure_rules(ChooseInput& input, const ChoosePlan& plan, const std::function<void()>& step) {
  check(input, plan);
  AttendProblem& problem = input.problem;
  const auto budgets = plan.budgets.size();
  std::vector<MeasuredRule> rules;
  for (const std::string& rule : plan.rules)
    rules.push_back(
        {rule, std::vector<double>(budgets, std::nan("")), std::vector<KeptOfQuery>(problem.num_queries() * budgets)});
  const Index per_key_head = problem.num_queries() / problem.key_heads();
  for (Index g = 0; g < problem.key_heads(); ++g) {
    const HeadAtHand head = head_at_hand(input, plan, g);
    const auto measure = [&](const Asked& asked) {
      const DenseQuery& truth = asked.truth;
      std::size_t ranked = 0;
      for (MeasuredRule& rule : rules) {
        const auto into = rule.kept.begin() + truth.view.index * std::ssize(plan.budgets);
        if (rule.rule == kMagicPig) {
          for (std::size_t b = 0; b < budgets; ++b)
            if (head.pig[b]) into[b] = kept_by_draw(truth, head.arrays.values, *head.pig[b]);
          continue;
        }
        const Ranking* const ranking = rule.rule == kOwnScores ? nullptr : &head.rankings[ranked++];
        const Vector scores = scores_for_list(asked, plan, rule.rule, [&](std::size_t h) {
          return ranking == nullptr ? asked.own_scores[h] : ranking->scores(asked.queries[h]);
        });
        const SelectionRule selection{0, plan.sink, plan.window};
        std::ranges::copy(kept_at_budgets(truth, head.arrays.values, scores, selection, plan.budgets), into);
      }
    };
    for (Index first = g * per_key_head; first < (g + 1) * per_key_head; first += kQueriesAtOnce) {
      std::vector<Asked> all;
      for (Index i = first; i < std::min(first + kQueriesAtOnce, (g + 1) * per_key_head); ++i)
        all.push_back(asked(input, plan, head.arrays.values, i));
      run_trials(all.size(), Nothing{}, [&](std::uint32_t i, Nothing&) { measure(all[i]); }, 1);
      for (std::size_t i = 0; step && i < all.size(); ++i) step();
    }
    std::size_t ranked = 0;
    for (MeasuredRule& rule : rules)
      for (std::size_t b = 0; b < budgets; ++b) {
        if (rule.rule == kMagicPig && head.pig[b]) rule.bits_per_key[b] = head.pig[b]->bits_per_token();
        if (rule.rule == kMagicPig || rule.rule == kOwnScores) continue;
        rule.bits_per_key[b] = head.rankings[ranked].bits_per_token;
        if (b + 1 == budgets) ++ranked;
      }
  }
  return rules;
}

}  // namespace skt

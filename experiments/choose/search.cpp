#include "experiments/choose/search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "estimators/collision_scores.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr std::size_t kRedrawnSettings = 8;  // the best of many is partly lucky: the next ones are measured again too
const char* const kRules[] = {"socket", "socket-value"};

using Budgets = std::vector<Index>;

// Every tenth key more, so that the fewest keys are found to within a tenth.
Budgets tried_budgets(Index keys) {
  Budgets budgets{1};
  while (budgets.back() < keys)
    budgets.push_back(std::min(keys, std::max(budgets.back() + 1, budgets.back() * 11 / 10)));
  return budgets;
}

// Over queries, [temperatures, tables, rules, budgets].
struct Sums {
  std::vector<double> sum;
  std::vector<Index> queries;

  explicit Sums(std::size_t count) : sum(count, 0), queries(count, 0) {}
  void add(std::size_t at, double x) {
    if (std::isnan(x)) return;
    sum[at] += x;
    ++queries[at];
  }
  void merge(const Sums& later) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += later.sum[i];
      queries[i] += later.queries[i];
    }
  }
  double mean(std::size_t at) const { return sum[at] / real(queries[at]); }  // NaN without a query
};

struct HashedHead {
  const HeadArrays& arrays;
  Vector norms;
  Hyperplanes hyperplanes;
  KeyCodes codes;
};

void add_query(const SearchPlan& plan, const Budgets& budgets, const HashedHead& head, const DenseQuery& truth,
               Sums& sums) {
  std::size_t at = 0;
  for (const double temperature : plan.temperatures) {
    Vector scores = Vector::Zero(head.arrays.keys.rows());
    Index table = 0;
    for (const Index tables : plan.tables) {
      for (; table < tables; ++table)
        scores += soft_scores_of_table(head.hyperplanes, head.codes, table, truth.query, {temperature, plan.scaling});
      for (const Vector& of_rule : {scores, Vector(scores.cwiseProduct(head.norms))})
        for (const KeptOfQuery& kept :
             kept_at_budgets(truth, head.arrays.values, of_rule, {0, plan.sink, plan.window}, budgets))
          sums.add(at++, plan.target_mass ? kept.mass : kept.error);
    }
  }
}

// [planes]
std::vector<Sums> sums_of(AttendProblem& problem, const SearchPlan& plan, const Budgets& budgets,
                          const std::function<void()>& step) {
  const Sums none(plan.temperatures.size() * plan.tables.size() * std::size(kRules) * budgets.size());
  std::vector<Sums> of_planes(plan.planes.size(), none);
  for (Index g = 0; g < problem.key_heads(); ++g) {
    const std::vector<Index> queries = searched_queries(problem, plan, g);
    const HeadArrays arrays = problem.head(g);
    for (std::size_t p = 0; p < plan.planes.size(); ++p)
      for (Index draw = 0; draw < std::min(plan.draws, std::ssize(queries)); ++draw) {
        Hyperplanes hyperplanes = draw_hyperplanes(plan.seed, static_cast<std::uint32_t>(draw), plan.tables.back(),
                                                   plan.planes[p], problem.dim());
        KeyCodes codes = hash_keys(hyperplanes, arrays.keys);
        const HashedHead head{arrays, problem.value_norms(g), std::move(hyperplanes), std::move(codes)};
        std::vector<DenseQuery> truths;
        for (Index i = draw; i < std::ssize(queries); i += plan.draws) {
          truths.push_back(dense_query(problem, arrays.values, queries[i], plan.sink, plan.window));
          if (std::ssize(truths) < kQueriesAtOnce && i + plan.draws < std::ssize(queries)) continue;
          of_planes[p].merge(run_trials(
              truths.size(), none,
              [&](std::uint32_t t, Sums& sums) { add_query(plan, budgets, head, truths[t], sums); }, 1));
          for (std::size_t t = 0; step && t < truths.size(); ++t) step();
          truths.clear();
        }
      }
  }
  return of_planes;
}

// In the order of the sums of each number of planes.
std::vector<SearchedSetting> settings_of(const SearchPlan& plan) {
  std::vector<SearchedSetting> settings;
  for (const Index planes : plan.planes)
    for (const double temperature : plan.temperatures)
      for (const Index tables : plan.tables)
        for (const char* rule : kRules)
          settings.push_back({rule, planes, tables, temperature, real(planes * tables) + (rule == kRules[1] ? 16 : 0)});
  return settings;
}

// The plan of one setting at one draw of the tables; redraw 0 is the first that did not choose the setting.
SearchPlan plan_of(SearchPlan plan, const SearchedSetting& setting, Index redraw) {
  plan.planes = {setting.planes};
  plan.tables = {setting.tables};
  plan.temperatures = {setting.temperature};
  plan.draws = 1;
  plan.seed = derive_seed(plan.seed, static_cast<std::uint64_t>(redraw) + 1);
  return plan;
}

RedrawnSetting redrawn(AttendProblem& problem, const SearchPlan& plan, const std::vector<SearchedSetting>& settings,
                       std::size_t at, const std::function<void()>& step) {
  RedrawnSetting result{at, settings[at], problem.num_keys()};
  for (Index r = 0; r < plan.redraws; ++r)
    for (const SearchedSetting& found : search_settings(problem, plan_of(plan, settings[at], r), step)) {
      if (found.rule != settings[at].rule) continue;
      result.least = std::min(result.least, found.budget);
      result.mean += real(found.budget) / real(plan.redraws);
      if (found.budget <= result.most) continue;
      result.most = found.budget;
      result.setting = found;
    }
  return result;
}

// At draws behind those that chose the setting: Theorem 5 needs draws that have not been looked at.
ProvedMean proved(AttendProblem& problem, const SearchPlan& plan, const RedrawnSetting& best,
                  const std::function<void()>& step) {
  std::vector<double> means;
  for (Index r = plan.redraws; r < plan.redraws + ProvedMean::kDraws; ++r)
    means.push_back(sums_of(problem, plan_of(plan, best.setting, r), {best.most}, step)
                        .front()
                        .mean(best.setting.rule == kRules[0] ? 0 : 1));
  return {plan.target_mass ? std::ranges::min(means) : std::ranges::max(means)};
}

}  // namespace

std::vector<Index> searched_queries(const AttendProblem& problem, const SearchPlan& plan, Index key_head) {
  const Index of_head = problem.num_queries() / problem.key_heads();
  const Index count = std::clamp<Index>(plan.queries / problem.key_heads(), 1, of_head);
  std::vector<Index> queries;
  for (Index i = 0; i < count; ++i) queries.push_back(key_head * of_head + i * of_head / count);
  return queries;
}

std::vector<SearchedSetting> search_settings(AttendProblem& problem, const SearchPlan& plan,
                                             const std::function<void()>& step) {
  require(
      !plan.planes.empty() && !plan.tables.empty() && !plan.temperatures.empty() && std::ranges::is_sorted(plan.tables),
      "search: allowed are lists of planes, of rising tables and of temperatures, none empty");
  const Budgets budgets = tried_budgets(problem.num_keys());
  const std::vector<Sums> of_planes = sums_of(problem, plan, budgets, step);
  const double whole_key = 16 * real(problem.dim() + problem.value_dim()), keys = real(problem.num_keys());
  std::vector<SearchedSetting> reached, settings = settings_of(plan);
  const std::size_t a_planes = settings.size() / plan.planes.size();
  for (std::size_t s = 0; s < settings.size(); ++s)
    for (std::size_t b = 0; b < budgets.size(); ++b) {
      const double mean = of_planes[s / a_planes].mean(s % a_planes * budgets.size() + b);
      if (!(plan.target_mass ? mean >= plan.target() : mean <= plan.target())) continue;
      SearchedSetting& found = reached.emplace_back(settings[s]);
      found.budget = budgets[b];
      found.reached = mean;
      const double selected = std::min(keys, real(found.budget + plan.sink + plan.window));
      found.bits_read = found.bits_per_key + selected / keys * whole_key;
      break;
    }
  std::ranges::stable_sort(reached, {}, &SearchedSetting::bits_read);
  return reached;
}

void mark_frontier(std::vector<SearchedSetting>& settings) {
  std::vector<SearchedSetting*> by_bits;
  for (SearchedSetting& setting : settings) by_bits.push_back(&setting);
  std::ranges::stable_sort(by_bits, {}, [](const SearchedSetting* s) { return std::pair(s->bits_per_key, s->budget); });
  const SearchedSetting* last = nullptr;
  for (SearchedSetting* setting : by_bits)
    if (last == nullptr || setting->budget < last->budget) {
      setting->on_frontier = true;
      last = setting;
    }
}

std::uint64_t search_steps(const AttendProblem& problem, const SearchPlan& plan) {
  const Index searched = problem.key_heads() * std::ssize(searched_queries(problem, plan, 0));
  const Index again = static_cast<Index>(kRedrawnSettings) * plan.redraws + (plan.redraws > 0 ? ProvedMean::kDraws : 0);
  return static_cast<std::uint64_t>(searched * (std::ssize(plan.planes) + again));
}

SearchResult searched(AttendProblem& problem, const SearchPlan& plan, const std::function<void()>& step) {
  SearchResult result{plan, 16 * real(problem.dim() + problem.value_dim()), search_settings(problem, plan, step)};
  mark_frontier(result.settings);
  if (plan.redraws == 0 || result.settings.empty()) return result;
  for (std::size_t i = 0; i < std::min(kRedrawnSettings, result.settings.size()); ++i)
    result.redrawn.push_back(redrawn(problem, plan, result.settings, i, step));
  std::ranges::stable_sort(result.redrawn, {}, [&](const RedrawnSetting& s) {
    return s.setting.bits_per_key + s.mean / real(problem.num_keys()) * result.whole_key;
  });
  result.proved = proved(problem, plan, result.redrawn.front(), step);
  return result;
}

}  // namespace skt

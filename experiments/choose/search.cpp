#include "experiments/choose/search.hpp"

#include <algorithm>
#include <cmath>

#include "estimators/collision_scores.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

// Every tenth key more, so that the fewest keys are found to within a tenth.
std::vector<Index> tried_budgets(Index keys) {
  std::vector<Index> budgets{1};
  while (budgets.back() < keys)
    budgets.push_back(std::min(keys, std::max(budgets.back() + 1, budgets.back() * 11 / 10)));
  return budgets;
}

// Of one number of planes: sums over queries of the metric, [temperatures, tables, rules, budgets].
struct MetricSums {
  std::vector<double> sums;
  std::vector<Index> queries;

  explicit MetricSums(std::size_t count = 0) : sums(count, 0), queries(count, 0) {}
  void add(std::size_t at, double x) {
    if (std::isnan(x)) return;
    sums[at] += x;
    ++queries[at];
  }
  void merge(const MetricSums& later) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += later.sums[i];
      queries[i] += later.queries[i];
    }
  }
};

const char* const kRules[] = {"socket", "socket-value"};

class Grid {
 public:
  Grid(const SearchPlan& plan, std::vector<Index> budgets) : plan_(plan), budgets_(std::move(budgets)) {}

  const std::vector<Index>& budgets() const { return budgets_; }
  std::size_t size() const { return plan_.temperatures.size() * plan_.tables.size() * 2 * budgets_.size(); }
  std::size_t at(std::size_t temperature, std::size_t tables, std::size_t rule) const {
    return ((temperature * plan_.tables.size() + tables) * 2 + rule) * budgets_.size();
  }

 private:
  const SearchPlan& plan_;
  std::vector<Index> budgets_;
};

struct HashedHead {
  const HeadArrays& arrays;
  const Vector norms;
  Hyperplanes hyperplanes;
  KeyCodes codes;
};

void add_query(const SearchPlan& plan, const Grid& grid, const HashedHead& head, const DenseQuery& truth,
               MetricSums& sums) {
  for (std::size_t t = 0; t < plan.temperatures.size(); ++t) {
    Vector scores = Vector::Zero(head.arrays.keys.rows());
    Index table = 0;
    for (std::size_t l = 0; l < plan.tables.size(); ++l) {
      for (; table < plan.tables[l]; ++table)
        scores += soft_scores_of_table(head.hyperplanes, head.codes, table, truth.query,
                                       {plan.temperatures[t], plan.scaling});
      for (std::size_t r = 0; r < std::size(kRules); ++r) {
        const std::vector<KeptOfQuery> kept =
            kept_at_budgets(truth, head.arrays.values, r == 0 ? scores : scores.cwiseProduct(head.norms),
                            {0, plan.sink, plan.window}, grid.budgets());
        for (std::size_t b = 0; b < kept.size(); ++b)
          sums.add(grid.at(t, l, r) + b, plan.metric == Metric::error ? kept[b].error : kept[b].mass);
      }
    }
  }
}

void check(const SearchPlan& plan) {
  require(plan.metric != Metric::recall, "target: allowed are an error and a mass");
  require(plan.target > 0 && plan.target < 1, "target is {}: allowed is above 0 and below 1", plan.target);
  require(!plan.planes.empty() && !plan.tables.empty() && !plan.temperatures.empty() &&
              std::is_sorted(plan.tables.begin(), plan.tables.end()),
          "search: allowed are lists of planes, of rising tables and of temperatures, none empty");
}

std::vector<MetricSums> sums_of(AttendProblem& problem, const SearchPlan& plan, const Grid& grid,
                                const std::function<void()>& step) {
  std::vector<MetricSums> of_planes(plan.planes.size(), MetricSums(grid.size()));
  for (Index g = 0; g < problem.key_heads(); ++g) {
    const std::vector<Index> queries = searched_queries(problem, plan, g);
    const HeadArrays arrays = read_head(problem, g);
    const Vector norms = problem.value_norms(g);
    for (std::size_t p = 0; p < plan.planes.size(); ++p)
      for (Index draw = 0; draw < std::min(plan.draws, std::ssize(queries)); ++draw) {
        Hyperplanes hyperplanes = draw_hyperplanes(plan.seed, static_cast<std::uint32_t>(draw), plan.tables.back(),
                                                   plan.planes[p], problem.dim());
        KeyCodes codes = hash_keys(hyperplanes, arrays.keys);
        const HashedHead head{arrays, norms, std::move(hyperplanes), std::move(codes)};
        std::vector<DenseQuery> truths;
        for (Index i = draw; i < std::ssize(queries); i += plan.draws) {
          truths.push_back(dense_query(problem, arrays.values, queries[i], plan.sink, plan.window));
          if (std::ssize(truths) < kQueriesAtOnce && i + plan.draws < std::ssize(queries)) continue;
          of_planes[p].merge(run_trials(
              truths.size(), MetricSums(grid.size()),
              [&](std::uint32_t t, MetricSums& sums) { add_query(plan, grid, head, truths[t], sums); }, 1));
          for (std::size_t t = 0; step && t < truths.size(); ++t) step();
          truths.clear();
        }
      }
  }
  return of_planes;
}

}  // namespace

std::vector<Index> searched_queries(const AttendProblem& problem, const SearchPlan& plan, Index key_head) {
  const Index of_head = problem.num_queries() / problem.key_heads();
  const Index count = std::clamp<Index>(plan.queries / problem.key_heads(), 1, of_head);
  std::vector<Index> queries;
  for (Index i = 0; i < count; ++i) queries.push_back(key_head * of_head + i * of_head / count);
  return queries;
}

SearchPlan plan_of(SearchPlan plan, const SearchedSetting& setting, Seed seed) {
  plan.planes = {setting.planes};
  plan.tables = {setting.tables};
  plan.temperatures = {setting.temperature};
  plan.draws = 1;
  plan.seed = seed;
  return plan;
}

double mean_at(AttendProblem& problem, const SearchPlan& plan, const SearchedSetting& setting, Index budget, Seed seed,
               const std::function<void()>& step) {
  const SearchPlan one = plan_of(plan, setting, seed);
  const Grid grid(one, {budget});
  const MetricSums sums = sums_of(problem, one, grid, step).front();
  const std::size_t at = grid.at(0, 0, setting.rule == kRules[0] ? 0 : 1);
  return sums.sums[at] / real(sums.queries[at]);
}

std::vector<SearchedSetting> search_settings(AttendProblem& problem, const SearchPlan& plan,
                                             const std::function<void()>& step) {
  check(plan);
  const Grid grid(plan, tried_budgets(problem.num_keys()));
  const std::vector<MetricSums> of_planes = sums_of(problem, plan, grid, step);
  std::vector<SearchedSetting> reached;
  const double whole = 16 * real(problem.dim() + problem.value_dim());
  for (std::size_t p = 0; p < plan.planes.size(); ++p)
    for (std::size_t t = 0; t < plan.temperatures.size(); ++t)
      for (std::size_t l = 0; l < plan.tables.size(); ++l)
        for (std::size_t r = 0; r < std::size(kRules); ++r)
          for (std::size_t b = 0; b < grid.budgets().size(); ++b) {
            const std::size_t at = grid.at(t, l, r) + b;
            if (of_planes[p].queries[at] == 0) continue;
            const double mean = of_planes[p].sums[at] / real(of_planes[p].queries[at]);
            if (plan.metric == Metric::error ? mean > plan.target : mean < plan.target) continue;
            const double bits = real(plan.planes[p] * plan.tables[l]) + (r == 1 ? 16 : 0);
            const Index budget = grid.budgets()[b];
            const double share =
                real(std::min(problem.num_keys(), budget + plan.sink + plan.window)) / real(problem.num_keys());
            reached.push_back({kRules[r], plan.planes[p], plan.tables[l], plan.temperatures[t], budget, mean, bits,
                               bits + share * whole});
            break;
          }
  std::stable_sort(reached.begin(), reached.end(),
                   [](const SearchedSetting& a, const SearchedSetting& b) { return a.bits_read < b.bits_read; });
  return reached;
}

std::vector<SearchedSetting> frontier_of(const std::vector<SearchedSetting>& settings) {
  std::vector<SearchedSetting> by_bits = settings;
  std::stable_sort(by_bits.begin(), by_bits.end(), [](const SearchedSetting& a, const SearchedSetting& b) {
    return a.bits_per_key != b.bits_per_key ? a.bits_per_key < b.bits_per_key : a.budget < b.budget;
  });
  std::vector<SearchedSetting> frontier;
  for (const SearchedSetting& setting : by_bits)
    if (frontier.empty() || setting.budget < frontier.back().budget) frontier.push_back(setting);
  return frontier;
}

}  // namespace skt

// Which planes, tables, temperature and number of keys reach a wanted error or mass on the caller's arrays, at which cost?
//
// Every setting of the grid is measured on a number of queries: tables nest, so that one pass over the largest L gives every
// smaller one, and one order of the keys gives every budget. Of each setting the fewest keys are kept whose mean over
// queries reaches the target. The queries of a key head are dealt out over several draws of the hyperplanes, since on
// anisotropic keys one draw favours settings that need twice the keys at another. The best of many settings is chosen by
// its own result; the best ones are therefore measured at other draws, and of the one that is then named an error is proved
// for yet another draw (Theorem 5, docs/bounds/redraws.md). A setting that the search ranks wrongly would show in
// python/tests/choose_search_test.py.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "estimators/collision_scores.hpp"
#include "experiments/choose/choose.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr std::size_t kRedrawnSettings = 8;  // the best of many is partly lucky: the next ones are measured again too
// The mean over the queries at a draw of the tables that is not looked at is worse than the worst of so many fresh draws,
// which no choice has seen, with probability at most kDelta.
constexpr Index kFreshDraws = 19;
constexpr double kDelta = 1.0 / (kFreshDraws + 1);
const char* const kRules[] = {"socket", "socket-value"};

using Step = std::function<void()>;

struct Setting {
  std::string rule;
  Index planes = 0, tables = 0;
  double temperature = 0;
  double bits_per_key = 0;  // read for scoring
  Index budget = 0;         // fewest keys on top of sink and window
  double reached = 0;       // mean of the metric over queries there
  // All that a query reads, a key: bits_per_key and 16 (dim + value_dim) bits of each selected key.
  double bits_read = 0;
  bool on_frontier = false;  // no other setting has as few bits a key and fewer keys, or the other way round
};

// A setting at other draws of the tables: the fewest keys that reach the target, over the draws.
struct Redrawn {
  const Setting* of = nullptr;  // null: at the draw of the search itself
  Setting most;                 // with the most keys, and what it reads then
  Index least = 0;
  double mean = 0;
};

// Every tenth key more, so that the fewest keys are found to within a tenth.
std::vector<Index> tried_budgets(Index keys) {
  std::vector<Index> budgets{1};
  while (budgets.back() < keys)
    budgets.push_back(std::min(keys, std::max(budgets.back() + 1, budgets.back() * 11 / 10)));
  return budgets;
}

// The queries of one key head that a search measures, rising.
std::vector<Index> searched_queries(const AttendProblem& problem, const SearchPlan& plan, Index key_head) {
  const Index of_head = problem.num_queries() / problem.key_heads();
  const Index count = std::clamp<Index>(plan.queries / problem.key_heads(), 1, of_head);
  std::vector<Index> queries;
  for (Index i = 0; i < count; ++i) queries.push_back(key_head * of_head + i * of_head / count);
  return queries;
}

Index num_searched(const AttendProblem& problem, const SearchPlan& plan) {
  return problem.key_heads() * std::ssize(searched_queries(problem, plan, 0));
}

// Over queries, [temperatures, tables, rules, budgets]; NaN without a query.
Eigen::ArrayXd means_of(AttendProblem& problem, const SearchPlan& plan, Index planes, const std::vector<Index>& budgets,
                        const Step& step) {
  const Index count =
      std::ssize(plan.temperatures) * std::ssize(plan.tables) * std::ssize(kRules) * std::ssize(budgets);
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(count), defined = sum;
  for (Index g = 0; g < problem.key_heads(); ++g) {
    const std::vector<Index> queries = searched_queries(problem, plan, g);
    const HeadArrays arrays = problem.head(g);
    const Vector norms = problem.value_norms(g);
    for (Index draw = 0; draw < std::min(plan.draws, std::ssize(queries)); ++draw) {
      const Hyperplanes hyperplanes =
          draw_hyperplanes(plan.seed, static_cast<std::uint32_t>(draw), plan.tables.back(), planes, problem.dim());
      const KeyCodes codes = hash_keys(hyperplanes, arrays.keys);
      const auto prepare = [&](Index query) { return dense_query(problem, arrays.values, query, plan.always); };
      const auto kept = [&](const DenseQuery& truth) {
        std::vector<KeptOfQuery> all;
        for (const double temperature : plan.temperatures) {
          const SocketParameters socket{temperature, plan.hash.socket.scaling};
          Vector scores = Vector::Zero(arrays.keys.rows());
          Index table = 0;
          for (const Index tables : plan.tables) {
            for (; table < tables; ++table)
              scores += soft_scores_of_table(hyperplanes, codes, table, truth.query, socket);
            for (const Vector& of_rule : {scores, Vector(scores.cwiseProduct(norms))})
              std::ranges::copy(kept_at_budgets(truth, arrays.values, of_rule, plan.always, budgets),
                                std::back_inserter(all));
          }
        }
        return all;
      };
      std::vector<Index> of_draw;
      for (Index i = draw; i < std::ssize(queries); i += plan.draws) of_draw.push_back(queries[i]);
      Eigen::ArrayXd sum_of_draw = Eigen::ArrayXd::Zero(count);
      for (const auto& of_query : kept_of_queries(of_draw, prepare, kept, step))
        for (Index at = 0; at < count; ++at) {
          const double x = plan.target_mass ? of_query[at].mass : of_query[at].error;
          sum_of_draw[at] += std::isnan(x) ? 0 : x;
          defined[at] += std::isnan(x) ? 0 : 1;
        }
      sum += sum_of_draw;
    }
  }
  return sum / defined;
}

double bits_of_whole_key(const AttendProblem& problem) {
  return 16 * real(problem.dim() + problem.value_dim());
}

// Those that reach the target, by bits read; empty if none does.
std::vector<Setting> settings_that_reach(AttendProblem& problem, const SearchPlan& plan, const Step& step) {
  const std::vector<Index> budgets = tried_budgets(problem.num_keys());
  const double keys = real(problem.num_keys());
  std::vector<Setting> reached;
  for (const Index planes : plan.planes) {
    const Eigen::ArrayXd means = means_of(problem, plan, planes, budgets, step);
    auto of_setting = means.begin();
    for (const double temperature : plan.temperatures)
      for (const Index tables : plan.tables)
        for (const char* rule : kRules) {
          const auto end = of_setting + std::ssize(budgets);
          const auto first = std::find_if(of_setting, end, [&](double mean) { return plan.reaches(mean); });
          if (first != end) {
            const Index budget = budgets[first - of_setting];
            const double bits = real(planes * tables) + (rule == kRules[1] ? 16 : 0);
            const double selected = std::min(keys, real(budget + plan.always.sink + plan.always.window));
            reached.push_back({rule, planes, tables, temperature, bits, budget, *first,
                               bits + selected / keys * bits_of_whole_key(problem)});
          }
          of_setting = end;
        }
  }
  std::ranges::stable_sort(reached, {}, &Setting::bits_read);
  for (Setting& s : reached)
    s.on_frontier = std::ranges::none_of(reached, [&](const Setting& other) {
      const bool no_worse = other.bits_per_key <= s.bits_per_key && other.budget <= s.budget;
      const bool same = other.bits_per_key == s.bits_per_key && other.budget == s.budget;
      return no_worse && (!same || &other < &s);  // of several alike the first is on it
    });
  return reached;
}

// The plan of one setting at one draw of the tables; redraw 0 is the first that did not choose the setting.
SearchPlan plan_of(SearchPlan plan, const Setting& setting, Index redraw) {
  plan.planes = {setting.planes};
  plan.tables = {setting.tables};
  plan.temperatures = {setting.temperature};
  plan.draws = 1;
  plan.seed = derive_seed(plan.seed, static_cast<std::uint64_t>(redraw) + 1);
  return plan;
}

// At draws behind those that chose the setting: Theorem 5 needs draws that have not been looked at.
double proved_mean(AttendProblem& problem, const SearchPlan& plan, const Setting& best, const Step& step) {
  std::vector<double> means;
  for (Index r = plan.redraws; r < plan.redraws + kFreshDraws; ++r)
    means.push_back(
        means_of(problem, plan_of(plan, best, r), best.planes, {best.budget}, step)[best.rule == kRules[0] ? 0 : 1]);
  return plan.target_mass ? std::ranges::min(means) : std::ranges::max(means);
}

// The setting that reads least, with the mean of its fewest keys.
Redrawn best_of(AttendProblem& problem, const SearchPlan& plan, const std::vector<Setting>& settings,
                const Step& step) {
  if (plan.redraws == 0) return {nullptr, settings.front()};
  std::vector<Redrawn> again;
  for (std::size_t i = 0; i < std::min(kRedrawnSettings, settings.size()); ++i) {
    Redrawn& one = again.emplace_back(&settings[i], settings[i], problem.num_keys());
    one.most.budget = 0;
    for (Index r = 0; r < plan.redraws; ++r)
      for (const Setting& found : settings_that_reach(problem, plan_of(plan, settings[i], r), step)) {
        if (found.rule != settings[i].rule) continue;
        one.least = std::min(one.least, found.budget);
        one.mean += real(found.budget) / real(plan.redraws);
        if (found.budget > one.most.budget) one.most = found;
      }
  }
  return *std::ranges::min_element(again, {}, [&](const Redrawn& s) {
    return s.most.bits_per_key + s.mean / real(problem.num_keys()) * bits_of_whole_key(problem);
  });
}

const char* metric_words(const SearchPlan& plan) {
  return plan.target_mass ? "mean softmax mass at least" : "mean relative error at most";
}

std::string conclusion(const SearchPlan& plan, const Redrawn& best, double proved, double whole_key) {
  const Setting& s = best.most;
  const std::string reads = fmt::format("{:.0f} bits a key, where dense attention reads {:.0f}{}", s.bits_read,
                                        whole_key, s.bits_read < whole_key ? "" : ": no setting reads less than that");
  const std::string text =
      fmt::format("{} with P = {}, L = {}, tau = {:g} reads least", s.rule, s.planes, s.tables, s.temperature);
  if (best.of == nullptr)
    return text +
           fmt::format(" at this draw of the tables, with {} keys beside sink and window: {}.\n", s.budget, reads);
  return text +
         fmt::format(
             " at {} other draws of the tables: it takes {} to {} keys beside sink and window. {} keys read {}.\n"
             "Proved for yet another draw, on these queries with {} keys: a {} {:.3g} except with probability {:g} (the "
             "worst of {} fresh draws).\n",
             plan.redraws, best.least, s.budget, s.budget, reads, s.budget, metric_words(plan), proved, kDelta,
             kFreshDraws);
}

std::string readable(std::vector<Setting> told, const std::string& target) {
  std::string text = fmt::format("Fewest keys with a {}, by bits a key\n{:<14}{:>4}{:>6}{:>6}{:>10}{:>10}{:>9}{:>12}\n",
                                 target, "ranker", "P", "L", "tau", "bits/key", "keys", "reached", "bits read");
  std::ranges::stable_sort(told, {}, &Setting::bits_per_key);
  for (const Setting& s : told)
    text += fmt::format("{:<14}{:>4}{:>6}{:>6g}{:>10g}{:>10}{:>9.3g}{:>12.0f}\n", s.rule, s.planes, s.tables,
                        s.temperature, s.bits_per_key, s.budget, s.reached, s.bits_read);
  return text;
}

}  // namespace

std::uint64_t search_steps(const AttendProblem& problem, const SearchPlan& plan) {
  const Index again = static_cast<Index>(kRedrawnSettings) * plan.redraws + (plan.redraws > 0 ? kFreshDraws : 0);
  return static_cast<std::uint64_t>(num_searched(problem, plan) * (std::ssize(plan.planes) + again));
}

Chosen searched(AttendProblem& problem, const SearchPlan& plan, const Step& step) {
  require(
      !plan.planes.empty() && !plan.tables.empty() && !plan.temperatures.empty() && std::ranges::is_sorted(plan.tables),
      "search: allowed are lists of planes, of rising tables and of temperatures, none empty");
  CsvTable table({"ranker", "planes", "tables", "temperature", "budget", "reached", "bits_per_key", "bits_read_per_key",
                  "on_frontier", "redrawn_keys", "redrawn_proved", "redrawn_delta"});
  const std::string target = fmt::format("{} {:g} over {} of {} queries", metric_words(plan), plan.target(),
                                         num_searched(problem, plan), problem.num_queries());
  const std::vector<Setting> settings = settings_that_reach(problem, plan, step);
  if (settings.empty())
    return {fmt::format("No setting of the grid reaches a {}, not even with all keys.\n", target),
            {{"choose_search", table}},
            false};
  const Redrawn best = best_of(problem, plan, settings, step);
  const double proved = best.of == nullptr ? KeptOfQuery::kUndefined : proved_mean(problem, plan, best.most, step);
  std::vector<Setting> told;
  for (const Setting& s : settings) {
    const bool is_named = &s == best.of;
    if (s.on_frontier || is_named) told.push_back(s);
    table.add({s.rule, s.planes, s.tables, s.temperature, s.budget, s.reached, s.bits_per_key, s.bits_read,
               std::int64_t{s.on_frontier}, is_named ? best.most.budget : 0,
               is_named ? proved : KeptOfQuery::kUndefined, is_named ? kDelta : KeptOfQuery::kUndefined});
  }
  return {readable(told, target) + conclusion(plan, best, proved, bits_of_whole_key(problem)),
          {{"choose_search", table}}};
}

}  // namespace skt

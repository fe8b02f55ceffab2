#include "experiments/certify/certify_queries.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "estimators/error_terms/table_moments.hpp"
#include "estimators/occupancy.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

// The keys of one group at a time, hashed.
struct HashedGroup {
  std::size_t group;
  Instance instance;
  KeyCodes codes;
  Index half_space;
};

// How many queries more end within the limit, by the pace so far; the first always may begin.
Index queries_that_fit(const TimeBudget& time, double begun, std::size_t certified, Index all) {
  if (std::isinf(time.limit)) return all;
  if (certified == 0) return 1;
  const double now = time.seconds(), pace = (now - begun) / real(certified);
  return static_cast<Index>(std::min(real(all), std::max(0.0, time.limit - now) / pace));
}

}  // namespace

TimeBudget time_budget(const std::optional<double>& limit) {
  TimeBudget time;
  if (limit) time.limit = *limit;
  time.seconds = [start = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  return time;
}

std::uint64_t certify_work(const LoadedGroups& groups) {
  std::uint64_t total = 0;
  for (std::size_t g = 0; g < groups.list().size(); ++g)
    total += std::ssize(groups.list()[g].queries) * work_of_query(groups.size_of(g), groups.plan());
  return total;
}

double expected_seconds(const LoadedGroups& groups) {
  const CertifyPlan& plan = groups.plan();
  const std::size_t count = groups.list().size(),
                    timed = plan.pairs == Pairs::none ? 0 : std::min<std::size_t>(count, 4);
  PairTimes mean;
  for (std::size_t i = 0; i < timed; ++i) {
    const Instance instance = groups.first_of(i * count / timed);
    const PairTimes times = time_pairs(population_parameters(instance, plan.setting), instance);
    mean.before += times.before / real(timed);
    mean.block += times.block / real(timed);
  }
  double seconds = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const ProblemSize size = groups.size_of(g);
    const Index blocks = timed == 0 ? 0 : pair_blocks(size.keys);
    const double others = 1e-6 * real(work_of_query(size, plan) - work_of(size, plan).pair_block * blocks);
    seconds += real(groups.list()[g].queries.size()) * (mean.before + mean.block * real(blocks) + others);
  }
  return seconds;
}

// Steps of about n over the golden ratio, which leave the most even gaps, and without a common divisor reach all.
std::vector<Index> spread_order(Index n) {
  Index step = std::max<Index>(1, std::llround(real(n) * 0.6180339887));
  while (std::gcd(step, n) != 1) ++step;
  std::vector<Index> order;
  for (Index k = 0; k < n; ++k) order.push_back(k * step % n);
  return order;
}

std::vector<QueryCertificate> certify_queries(LoadedGroups& groups, const Hyperplanes& hyperplanes, Seed seed,
                                              const RedrawsOfGroups& redraws, const WorkDone& done,
                                              const TimeBudget& time) {
  std::vector<std::pair<std::size_t, std::size_t>> places;  // by query: its group, and which of it
  for (std::size_t g = 0; g < redraws.size(); ++g)
    for (std::size_t k = 0; k < redraws[g].size(); ++k) places.emplace_back(g, k);
  std::vector<QueryCertificate> results;
  std::optional<HashedGroup> hashed;
  const auto add = [&](Index i) {
    const auto [g, k] = places[i];
    const LoadedGroup& loaded = groups.at(g);
    if (!hashed || hashed->group != g) {
      const Matrix& keys = loaded.keys_and_values.keys;
      hashed = {g, loaded.keys_and_values, hash_keys(hyperplanes, keys),
                half_space_occupancy_at_least(keys, derive_seed(seed, 1))};
    }
    hashed->instance.query = loaded.queries[k];
    results.push_back({i, groups.problem().head_of(i), groups.list()[g].key_head, hashed->instance.num_keys(),
                       certify(hashed->instance, groups.plan(), loaded.targets[k], hyperplanes, hashed->codes,
                               hashed->half_space, redraws[g][k], derive_seed(seed, 3 + 2 * i), done)});
    done(work_of(groups.size_of(g), groups.plan()).query);
  };

  const double begun = time.seconds();
  const Index all = std::ssize(places);
  const auto fit = [&] { return queries_that_fit(time, begun, results.size(), all); };
  const std::vector<Index> order = spread_order(all);
  for (auto next = order.begin(); next != order.end() && fit() > 0;) {
    // In the order of the groups, to load each once. Where the time is short half of what fits, so that a pace that was
    // too quick leaves no head out.
    const Index batch = std::isinf(time.limit) ? all : (fit() + 1) / 2;
    std::vector<Index> queries(next, next + std::min(batch, order.end() - next));
    next += std::ssize(queries);
    std::ranges::sort(queries);
    for (const Index i : queries)
      if (fit() > 0) add(i);
  }
  std::ranges::sort(results, {}, &QueryCertificate::query);
  return results;
}

}  // namespace skt

#include "estimators/error_terms/table_statistics.hpp"

#include <bit>
#include <cmath>
#include <map>

#include "estimators/collision_scores.hpp"
#include "estimators/occupancy.hpp"
#include "sim/number.hpp"
#include "sim/statistics/quantiles.hpp"
#include "sim/trial_loop.hpp"

namespace skt {

void TableStatistics::merge(const TableStatistics& later) {
  keys_never_hit.merge(later.keys_never_hit);
  distinct_scores.merge(later.distinct_scores);
  distinct_hard_counts.merge(later.distinct_hard_counts);
  occupancy.insert(occupancy.end(), later.occupancy.begin(), later.occupancy.end());
}

std::uint32_t as_bfloat16(double number) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

double effective_number(const Vector& values, const std::function<std::uint32_t(double)>& key) {
  std::map<std::uint32_t, double> count;
  for (const double value : values) count[key(value)] += 1;
  double squares = 0;
  for (const auto& [equal, n] : count) squares += n * n;
  const double total = real(values.size());
  return total * total / squares;
}

TableStatistics table_statistics(const Instance& instance, const Setting& setting, Seed seed, std::uint64_t trials) {
  const auto one_trial = [&](std::uint64_t trial, TableStatistics& into) {
    const Hyperplanes hyperplanes =
        draw_hyperplanes(seed, static_cast<std::uint32_t>(trial), setting.tables, setting.planes, instance.dim());
    const KeyCodes codes = hash_keys(hyperplanes, instance.keys);
    const Vector soft = soft_scores(hyperplanes, codes, instance.query, {setting.temperature, setting.scaling});
    const Vector hard = hard_scores(hyperplanes, codes, instance.query);
    into.keys_never_hit.add((hard.array() == 0).cast<double>().mean());
    into.distinct_scores.add(effective_number(soft, as_bfloat16));
    into.distinct_hard_counts.add(effective_number(hard, [](double n) { return static_cast<std::uint32_t>(n); }));
    for (const Index fullest : fullest_buckets(codes)) into.occupancy.push_back(real(fullest));
  };
  return run_trials(trials, TableStatistics{}, one_trial, 1);
}

Index quantile_occupancy(const std::vector<double>& fullest, Index tables, double delta) {
  return std::llround(std::ceil(sample_quantile(fullest, std::pow(1 - delta, 1 / real(tables)))));
}

}  // namespace skt

#include "experiments/ranking/density_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "estimators/metrics/exact_correlation.hpp"
#include "estimators/metrics/predicted_recall.hpp"
#include "estimators/peers/bucket_attention.hpp"
#include "estimators/peers/lsh_sampling.hpp"
#include "estimators/peers/reference_rankings.hpp"
#include "experiments/families/family_word.hpp"
#include "experiments/ranking/curves.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

// The same rows in the same order in every trial of a family.
struct Accumulated {
  DensityTable table;
  void merge(const Accumulated& later) {
    if (table.rows.empty())
      table.rows = later.table.rows;
    else
      for (std::size_t i = 0; i < table.rows.size(); ++i) {
        table.rows[i].selected.merge(later.table.rows[i].selected);
        table.rows[i].recall.merge(later.table.rows[i].recall);
        table.rows[i].mass.merge(later.table.rows[i].mass);
        table.rows[i].error.merge(later.table.rows[i].error);
        table.rows[i].predicted_recall.merge(later.table.rows[i].predicted_recall);
        table.rows[i].lead.merge(later.table.rows[i].lead);
      }
    for (const auto& [name, seconds] : later.table.build_seconds) table.build_seconds[name].merge(seconds);
  }
};

// Where a ranking belongs, before anything is measured of it.
struct RowKey {
  std::string family, ranker;
  Index size = kPublishedSize;
  double density = 0;
  double bits_per_token = 0;
};

DensityRow row_of(const RowKey& key, const KeptBySelection& kept) {
  DensityRow row{.family = key.family,
                 .ranker = key.ranker,
                 .size = key.size,
                 .density = key.density,
                 .bits_per_token = key.bits_per_token,
                 .correlation = kUnknown};
  row.selected.add(kept.selected);
  row.recall.add(kept.recall);
  row.mass.add(kept.mass);
  row.error.add(kept.error);
  return row;
}

// What every ranker of a trial is measured on.
struct Trial {
  const NamedFamily& family;
  const DenseTruth& truth;
  const DensityPlan& plan;
  KeyGeometry geometry;
};

bool is_gaussian(const NamedFamily& family) {
  return family.parameters.family == InstanceFamily::gaussian;
}

// Mean of pi over the true top `count` keys.
double expected_recall(const Vector& inclusion, const DenseTruth& truth, Index count) {
  double recalled = 0;
  for (Index at = 0; at < count; ++at) recalled += inclusion(truth.order()[at]);
  return recalled / real(count);
}

void add_group(const Trial& trial, const RankerGroup& group, const RankerInput& input, Index size,
               DensityTable& table) {
  const DenseTruth& truth = trial.truth;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Ranking> rankings = group(input);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  for (const Ranking& ranking : rankings) {
    const std::vector<Index> order = order_by_score(ranking.scores(truth.instance().query), truth.tickets());
    std::optional<InclusionAt> law;
    if (size == kPublishedSize || is_gaussian(trial.family))
      law = predicted_inclusion(ranking.name, ranking.bits_per_token, trial.plan.hash, trial.geometry);
    for (const double density : trial.plan.densities) {
      const Index count = truth.keys_at(density);
      DensityRow row = row_of({trial.family.name, ranking.name, size, density, ranking.bits_per_token},
                              truth.kept_of_first(order, count, count));
      if (law) row.predicted_recall.add(expected_recall((*law)(count), truth, count));
      table.rows.push_back(std::move(row));
    }
    if (size == kPublishedSize) table.build_seconds[index_name(table.rows.back())].add(seconds.count());
  }
}

// Of one trial: what SOCKET recalls beyond each row.
void add_leads(DensityTable& table) {
  std::map<double, double> socket;
  for (const DensityRow& row : table.rows)
    if (row.ranker == "socket" && row.size == kPublishedSize) socket[row.density] = row.recall.mean();
  for (DensityRow& row : table.rows) row.lead.add(socket.at(row.density) - row.recall.mean());
}

const char* const kSampling = "magicpig";

// MagicPIG at the tables that draw the density of orthogonal keys. Beyond a fifth of the keys that takes more bits than
// the key itself at 8 planes, and the row is left out.
void add_sampling(const std::string& family, const DenseTruth& truth, const DensityPlan& plan, Seed seed,
                  std::uint32_t trial, DensityTable& table) {
  constexpr double kMostDensity = 0.2;
  const Instance& instance = truth.instance();
  for (const double density : plan.densities) {
    if (density > kMostDensity) continue;
    const LshSamplingParameters parameters{plan.hash.planes, tables_for_density(plan.hash.planes, 2, density), 2};
    const auto start = std::chrono::steady_clock::now();
    const LshSampler sampler(instance.keys, parameters, seed, trial);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const LshSampler::Sample sample = sampler.sample(instance.query);
    const auto output = importance_attention(truth.logits(), instance.values, sample);
    table.rows.push_back(row_of({family, kSampling, kPublishedSize, density, sampler.bits_per_token()},
                                truth.kept(sample.keys, truth.keys_at(density), output)));
    table.build_seconds[index_name(table.rows.back())].add(seconds.count());
  }
}

Accumulated rank_family(const DensityPlan& plan, const NamedFamily& family, Seed seed,
                        const std::function<void()>& trial_done) {
  const Index dim = family.parameters.dim;
  const auto one_trial = [&](std::uint64_t t, Accumulated& into) {
    const auto trial = static_cast<std::uint32_t>(t);
    const DenseTruth truth = drawn_truth(family.parameters, seed, trial);
    const Matrix calibration = calibration_queries(family.parameters, seed, trial);
    const RankerInput input{truth.instance().keys, truth.instance().values, calibration, seed, trial};
    const Trial common{family, truth, plan, key_geometry(truth.instance())};
    Accumulated one;
    for (const RankerGroup& group : published_rankers(plan.hash, dim)) {
      add_group(common, group, input, kPublishedSize, one.table);
    }
    for (const Index size : plan.sizes) {
      for (const RankerGroup& group : rankers_within(size, plan.hash, dim)) {
        add_group(common, group, input, size, one.table);
      }
    }
    add_sampling(family.name, truth, plan, seed, trial, one.table);
    add_leads(one.table);
    into.merge(one);
    if (trial_done) trial_done();
  };
  return run_trials(plan.trials, Accumulated{}, one_trial, 1);
}

// Oracle top-p, its mass that of the true top keys on average.
Accumulated rank_by_mass(const DensityPlan& plan, const NamedFamily& family, const DensityTable& done, Seed seed) {
  const double whole_key = 16.0 * real(family.parameters.dim);
  const auto one_trial = [&](std::uint64_t t, Accumulated& into) {
    const DenseTruth truth = drawn_truth(family.parameters, seed, static_cast<std::uint32_t>(t));
    Accumulated one;
    for (const DensityRow& row : done.rows) {
      if (row.ranker != "oracle-top-k") continue;
      const Index count = top_p_count(truth.probability(), std::min(1.0, row.mass.mean()));
      one.table.rows.push_back(row_of({family.name, "oracle-top-p", kPublishedSize, row.density, whole_key},
                                      truth.kept_of_first(truth.order(), count, truth.keys_at(row.density))));
    }
    into.merge(one);
  };
  return run_trials(plan.trials, Accumulated{}, one_trial, 1);
}

void add_correlations(const DensityPlan& plan, const NamedFamily& family, DensityTable& table) {
  if (!is_gaussian(family)) return;
  const Index dim = family.parameters.dim;
  const double query_norm = family.parameters.query_norm.value_or(std::sqrt(real(dim)));
  std::map<std::pair<std::string, double>, double> known;
  for (DensityRow& row : table.rows) {
    const auto [found, fresh] = known.try_emplace({row.ranker, row.bits_per_token}, kUnknown);
    if (fresh) {
      found->second = exact_correlation(row.ranker, row.bits_per_token, plan.hash, dim, query_norm).value_or(kUnknown);
    }
    row.correlation = found->second;
  }
}

}  // namespace

DenseTruth drawn_truth(const FamilyParameters& family, Seed seed, std::uint32_t trial) {
  Instance instance = make_instance(family, seed, trial);
  Vector tickets = random_scores(instance.num_keys(), derive_seed(seed, 1), trial);
  return {std::move(instance), std::move(tickets)};
}

std::string index_name(const DensityRow& row) {
  return row.ranker == kSampling ? fmt::format("{} at {}", row.ranker, row.density) : row.ranker;
}

void check(const DensityPlan& plan) {
  if (plan.hash.planes > kMostBucketPlanes)
    refuse("--planes is {}: with bucket-attention allowed are 1 to {}", plan.hash.planes, kMostBucketPlanes);
  if (plan.densities.empty() || plan.families.empty()) refuse("a density and a family are needed");
  for (const Index size : plan.sizes) {
    if (size < plan.hash.planes) {
      refuse("--sizes: {}: allowed are {} and more, the bits of a table", size, plan.hash.planes);
    }
  }
}

std::vector<NamedFamily> table_families(Index keys, Index dim) {
  const auto at_size = [&](InstanceFamily family) {
    FamilyParameters p;
    p.family = family;
    p.keys = keys;
    p.dim = dim;
    return p;
  };
  FamilyParameters several = at_size(InstanceFamily::needle);
  several.needles = kSeveralNeedles;
  FamilyParameters unit = at_size(InstanceFamily::gaussian), large = unit;
  unit.query_norm = 1;
  large.query_norm = 4 * std::sqrt(real(dim));
  return {{"gaussian", at_size(InstanceFamily::gaussian)},
          {"gaussian-unit-query", unit},
          {"gaussian-large-query", large},
          {"needle", at_size(InstanceFamily::needle)},
          {"needles", several},
          {"clustered", at_size(InstanceFamily::clustered)},
          {"anisotropic", at_size(InstanceFamily::anisotropic)},
          {"rotary-low-rank", at_size(InstanceFamily::rotary_low_rank)},
          {"attention-sink", at_size(InstanceFamily::attention_sink)}};
}

DensityTable density_table(const DensityPlan& plan, Seed seed, const std::function<void()>& trial_done) {
  DensityTable table;
  for (const NamedFamily& family : plan.families) {
    DensityTable of_family = rank_family(plan, family, seed, trial_done).table;
    const DensityTable by_mass = rank_by_mass(plan, family, of_family, seed).table;
    of_family.rows.insert(of_family.rows.end(), by_mass.rows.begin(), by_mass.rows.end());
    add_correlations(plan, family, of_family);
    table.rows.insert(table.rows.end(), of_family.rows.begin(), of_family.rows.end());
    for (const auto& [name, seconds] : of_family.build_seconds) table.build_seconds[name].merge(seconds);
  }
  return table;
}

}  // namespace skt

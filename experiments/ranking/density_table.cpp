#include "experiments/ranking/density_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "estimators/attention.hpp"
#include "estimators/metrics/ranking_correlation.hpp"
#include "estimators/peers/lsh_sampling.hpp"
#include "estimators/peers/reference_rankings.hpp"
#include "experiments/command/progress.hpp"
#include "experiments/ranking/predicted_recall.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr Index kCalibrationQueries = 16;

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
      }
    for (const auto& [name, seconds] : later.table.build_seconds) table.build_seconds[name].merge(seconds);
  }
};

// Keys by falling score, tied ones by falling ticket.
std::vector<Index> ranked(const Vector& scores, const Vector& tickets) {
  std::vector<Index> order(scores.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return scores(a) != scores(b) ? scores(a) > scores(b) : tickets(a) > tickets(b); });
  return order;
}

std::vector<Index> first_of(const std::vector<Index>& order, Index count) {
  return {order.begin(), order.begin() + count};
}

// One instance with its truth.
class Judge {
 public:
  Judge(const NamedFamily& family, Seed seed, std::uint32_t trial)
      : family_(family.name),
        instance_(make_instance(family.parameters, seed, trial)),
        logits_(scaled_logits(instance_.query, instance_.keys)),
        probability_(softmax(logits_).value()),
        dense_(dense_attention(instance_.query, instance_.keys, instance_.values, {}).value()),
        tickets_(random_scores(instance_.num_keys(), derive_seed(seed, 1), trial)),
        truth_(ranked(logits_, tickets_)),
        place_(static_cast<std::size_t>(instance_.num_keys())) {
    for (std::size_t at = 0; at < truth_.size(); ++at) place_[truth_[at]] = Index(at);
  }

  const Instance& instance() const { return instance_; }
  const Vector& logits() const { return logits_; }
  const Vector& probability() const { return probability_; }
  const Vector& tickets() const { return tickets_; }
  const std::vector<Index>& truth() const { return truth_; }
  Index budget(double density) const {
    const auto keys = real(instance_.num_keys());
    return std::max<Index>(1, static_cast<Index>(std::llround(density * keys)));
  }

  // Recall is of the `budget` best keys.
  DensityRow row(const std::string& ranker, Index size, double density, double bits, const std::vector<Index>& selected,
                 const std::optional<Vector>& output) const {
    DensityRow result{family_, ranker, size, density, bits, {}, {}, {}, {}, kUnknown};
    const Index wanted = budget(density);
    double found = 0, mass = 0;
    for (const Index j : selected) {
      found += place_[j] < wanted ? 1 : 0;
      mass += probability_(j);
    }
    result.selected.add(real(selected.size()) / real(instance_.num_keys()));
    result.recall.add(found / real(wanted));
    result.mass.add(mass);
    result.error.add(output ? (*output - dense_).norm() / dense_.norm() : kUnknown);
    return result;
  }

  DensityRow top_keys(const std::string& ranker, Index size, double density, double bits,
                      const std::vector<Index>& order, Index count) const {
    const std::vector<Index> selected = first_of(order, count);
    return row(ranker, size, density, bits, selected, sparse_attention(logits_, instance_.values, selected));
  }

 private:
  std::string family_;
  Instance instance_;
  Vector logits_, probability_, dense_, tickets_;
  std::vector<Index> truth_;  // keys by falling q.k
  std::vector<Index> place_;  // of each key in truth_
};

// Queries of other instances of the family; its parameters allow few keys except for the needles.
Matrix calibration_queries(FamilyParameters parameters, Seed seed, std::uint32_t trial) {
  parameters.keys = parameters.needles;
  Matrix queries(kCalibrationQueries, parameters.dim);
  for (Index i = 0; i < kCalibrationQueries; ++i) {
    const auto other = trial * static_cast<std::uint32_t>(kCalibrationQueries) + static_cast<std::uint32_t>(i);
    queries.row(i) = make_instance(parameters, derive_seed(seed, 2), other).query;
  }
  return queries;
}

void add_group(const Judge& judge, const RankerGroup& group, const RankerInput& input, Index size,
               const std::vector<double>& densities, DensityTable& table) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Ranking> rankings = group(input);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  for (const Ranking& ranking : rankings) {
    const std::vector<Index> order = ranked(ranking.scores(judge.instance().query), judge.tickets());
    for (const double density : densities) {
      table.rows.push_back(
          judge.top_keys(ranking.name, size, density, ranking.bits_per_token, order, judge.budget(density)));
    }
    if (size == kPublishedSize) table.build_seconds[index_name(table.rows.back())].add(seconds.count());
  }
}

const char* const kSampling = "magicpig";

// MagicPIG at the tables that draw the density of orthogonal keys. Beyond a fifth of the keys that takes more
// bits than the key itself at 8 planes, and the row is left out.
void add_sampling(const Judge& judge, const DensityPlan& plan, Seed seed, std::uint32_t trial, DensityTable& table) {
  constexpr double kMostDensity = 0.2;
  for (const double density : plan.densities) {
    if (density > kMostDensity) continue;
    const LshSamplingParameters parameters{plan.hash.planes, tables_for_density(plan.hash.planes, 2, density), 2};
    const auto start = std::chrono::steady_clock::now();
    const LshSampler sampler(judge.instance().keys, parameters, seed, trial);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const LshSampler::Sample sample = sampler.sample(judge.instance().query);
    table.rows.push_back(judge.row(kSampling, kPublishedSize, density, sampler.bits_per_token(), sample.keys,
                                   importance_attention(judge.logits(), judge.instance().values, sample)));
    table.build_seconds[index_name(table.rows.back())].add(seconds.count());
  }
}

Accumulated rank_family(const DensityPlan& plan, const NamedFamily& family, Seed seed, ProgressMeter& meter) {
  const Index dim = family.parameters.dim;
  const auto one_trial = [&](std::uint64_t t, Accumulated& into) {
    const auto trial = static_cast<std::uint32_t>(t);
    const Judge judge(family, seed, trial);
    const Matrix calibration = calibration_queries(family.parameters, seed, trial);
    const RankerInput input{judge.instance().keys, judge.instance().values, calibration, seed, trial};
    Accumulated one;
    for (const RankerGroup& group : published_rankers(plan.hash, dim)) {
      add_group(judge, group, input, kPublishedSize, plan.densities, one.table);
    }
    for (const Index size : plan.sizes) {
      for (const RankerGroup& group : rankers_within(size, plan.hash, dim)) {
        add_group(judge, group, input, size, plan.densities, one.table);
      }
    }
    add_sampling(judge, plan, seed, trial, one.table);
    into.merge(one);
    meter.advance();
  };
  return run_trials(plan.trials, Accumulated{}, one_trial, 1);
}

// Oracle top-p, its mass that of the true top keys on average.
Accumulated rank_by_mass(const DensityPlan& plan, const NamedFamily& family, const DensityTable& done, Seed seed) {
  const double whole_key = 16.0 * real(family.parameters.dim);
  const auto one_trial = [&](std::uint64_t t, Accumulated& into) {
    const Judge judge(family, seed, static_cast<std::uint32_t>(t));
    Accumulated one;
    for (const DensityRow& row : done.rows) {
      if (row.ranker != "oracle-top-k") continue;
      const Index count = top_p_count(judge.probability(), std::min(1.0, row.mass.mean()));
      one.table.rows.push_back(
          judge.top_keys("oracle-top-p", kPublishedSize, row.density, whole_key, judge.truth(), count));
    }
    into.merge(one);
  };
  return run_trials(plan.trials, Accumulated{}, one_trial, 1);
}

void predict_recall(const DensityPlan& plan, const NamedFamily& family, DensityTable& table) {
  if (family.parameters.family != InstanceFamily::gaussian) return;
  const Index dim = family.parameters.dim;
  const double query_norm = family.parameters.query_norm.value_or(std::sqrt(real(dim)));
  std::map<std::pair<std::string, double>, std::optional<double>> known;
  for (DensityRow& row : table.rows) {
    const auto [found, fresh] = known.try_emplace({row.ranker, row.bits_per_token});
    if (fresh) found->second = exact_correlation(row.ranker, row.bits_per_token, plan.hash, dim, query_norm);
    if (found->second) row.predicted_recall = recall_of_correlation(*found->second, row.density);
  }
}

}  // namespace

std::string index_name(const DensityRow& row) {
  return row.ranker == kSampling ? fmt::format("{} at {}", row.ranker, row.density) : row.ranker;
}

void check(const DensityPlan& plan) {
  for (const NamedFamily& family : plan.families) {
    if (family.parameters.keys < 1) refuse("--keys is {}: allowed are 1 and more", family.parameters.keys);
  }
  if (plan.trials < 2) refuse("--trials is {}: allowed are 2 and more", plan.trials);
  if (plan.densities.empty() || plan.families.empty()) refuse("a density and a family are needed");
  for (const double density : plan.densities) {
    if (!(density > 0 && density < 1)) {
      refuse("--densities: {}: allowed is above 0 and below 1", density);
    }
  }
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
  several.needles = 8;
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

DensityTable density_table(const DensityPlan& plan, Seed seed) {
  check(plan);
  ProgressMeter meter("rank by density", plan.trials * plan.families.size());
  DensityTable table;
  for (const NamedFamily& family : plan.families) {
    DensityTable of_family = rank_family(plan, family, seed, meter).table;
    const DensityTable by_mass = rank_by_mass(plan, family, of_family, seed).table;
    of_family.rows.insert(of_family.rows.end(), by_mass.rows.begin(), by_mass.rows.end());
    predict_recall(plan, family, of_family);
    table.rows.insert(table.rows.end(), of_family.rows.begin(), of_family.rows.end());
    for (const auto& [name, seconds] : of_family.build_seconds) table.build_seconds[name].merge(seconds);
  }
  return table;
}

}  // namespace skt

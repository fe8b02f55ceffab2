#include "experiments/ranking/temperatures.hpp"

#include <cmath>

#include "estimators/metrics/exact_correlation.hpp"
#include "estimators/metrics/predicted_recall.hpp"
#include "estimators/metrics/ranking_metrics.hpp"
#include "estimators/metrics/tied_ranking.hpp"
#include "experiments/ranking/curves.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

// Measured and predicted precision of one ranker at each cut.
struct Precisions {
  std::vector<double> measured, predicted;
};

// What every ranker of a trial is measured on.
struct Truths {
  std::vector<Vector> relevant;  // of each cut: 1 for the true top keys, [keys]
  KeyGeometry geometry;
};

Truths truths_of(const Instance& instance, const std::vector<Index>& cuts) {
  Truths truths{{}, key_geometry(instance)};
  const Vector scores = instance.keys * instance.query;
  for (const Index cut : cuts) truths.relevant.push_back(binary_relevance(scores, cut));
  return truths;
}

Precisions precisions_of(const std::string& ranker, const Vector& scores, const HashSettings& hash,
                         const Truths& truths, const std::vector<Index>& cuts) {
  const TieGroups ranking = tie_groups(scores);
  const InclusionAt law = predicted_inclusion(ranker, real(hash.tables * hash.planes), hash, truths.geometry).value();
  Precisions precisions;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const Vector& relevant = truths.relevant[i];
    precisions.measured.push_back(precision_over_ties(ranking, relevant, cuts[i]).average);
    precisions.predicted.push_back(law(cuts[i]).dot(relevant) / real(cuts[i]));
  }
  return precisions;
}

HashSettings settings_of(const TemperaturePlan& plan, Index planes, double temperature) {
  return {.tables = plan.tables, .planes = planes, .socket = {temperature, plan.scaling}};
}

double correlation_of(const NamedFamily& family, const std::string& ranker, const HashSettings& hash) {
  const FamilyParameters& p = family.parameters;
  if (p.family != InstanceFamily::gaussian) return kUnknown;
  const double query_norm = p.query_norm.value_or(std::sqrt(real(p.dim)));
  return exact_correlation(ranker, real(hash.tables * hash.planes), hash, p.dim, query_norm).value_or(kUnknown);
}

TemperatureTable empty_table(const TemperaturePlan& plan, const NamedFamily& family) {
  TemperatureTable empty;
  for (const Index planes : plan.planes) {
    for (const double temperature : plan.temperatures) {
      for (const char* ranker : {kSocket, "hamming", "hard-lsh"}) {
        const double correlation = correlation_of(family, ranker, settings_of(plan, planes, temperature));
        for (const Index cut : plan.cuts)
          empty.rows.push_back({family.name, planes, temperature, ranker, cut, correlation, {}, {}, {}});
      }
    }
  }
  return empty;
}

void add(const Precisions& of_ranker, const Precisions& socket, std::vector<TemperatureRow>::iterator& row) {
  for (std::size_t i = 0; i < of_ranker.measured.size(); ++i, ++row) {
    row->precision.add(of_ranker.measured[i]);
    row->predicted.add(of_ranker.predicted[i]);
    row->lead.add(socket.measured[i] - of_ranker.measured[i]);
  }
}

// In the order of empty_table.
void measure(const TemperaturePlan& plan, const Instance& instance, Seed seed, std::uint32_t trial,
             TemperatureTable& table) {
  const Truths truths = truths_of(instance, plan.cuts);
  auto row = table.rows.begin();
  for (const Index planes : plan.planes) {
    const Hyperplanes hyperplanes = draw_hyperplanes(seed, trial, plan.tables, planes, instance.dim());
    const KeyCodes codes = hash_keys(hyperplanes, instance.keys);
    const HashSettings any = settings_of(plan, planes, plan.temperatures.front());
    const Precisions hamming =
        precisions_of("hamming", hamming_scores(hyperplanes, codes, instance.query), any, truths, plan.cuts);
    const Precisions hard =
        precisions_of("hard-lsh", hard_scores(hyperplanes, codes, instance.query), any, truths, plan.cuts);
    for (const double temperature : plan.temperatures) {
      const HashSettings hash = settings_of(plan, planes, temperature);
      const Vector scores = soft_scores(hyperplanes, codes, instance.query, hash.socket);
      const Precisions soft = precisions_of(kSocket, scores, hash, truths, plan.cuts);
      for (const Precisions* ranker : {&soft, &hamming, &hard}) add(*ranker, soft, row);
    }
  }
}

}  // namespace

void TemperatureTable::merge(const TemperatureTable& later) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].precision.merge(later.rows[i].precision);
    rows[i].predicted.merge(later.rows[i].predicted);
    rows[i].lead.merge(later.rows[i].lead);
  }
}

void check(const TemperaturePlan& plan) {
  if (plan.families.empty() || plan.planes.empty() || plan.temperatures.empty() || plan.cuts.empty())
    refuse("a family, a number of planes, a temperature and a k are needed");
  for (const NamedFamily& family : plan.families) {
    for (const Index cut : plan.cuts) {
      if (cut < 1 || cut > family.parameters.keys)
        refuse("k is {}: allowed are 1 to the {} keys", cut, family.parameters.keys);
    }
  }
}

TemperatureTable temperature_table(const TemperaturePlan& plan, Seed seed, const std::function<void()>& trial_done) {
  check(plan);
  TemperatureTable table;
  for (const NamedFamily& family : plan.families) {
    const auto one_trial = [&](std::uint64_t t, TemperatureTable& into) {
      const auto trial = static_cast<std::uint32_t>(t);
      measure(plan, make_instance(family.parameters, seed, trial), seed, trial, into);
      if (trial_done) trial_done();
    };
    const TemperatureTable of_family = run_trials(plan.trials, empty_table(plan, family), one_trial, 1);
    table.rows.insert(table.rows.end(), of_family.rows.begin(), of_family.rows.end());
  }
  return table;
}

}  // namespace skt

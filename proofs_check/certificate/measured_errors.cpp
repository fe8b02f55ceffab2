#include "proofs_check/certificate/measured_errors.hpp"

#include <algorithm>

#include "estimators/attention.hpp"
#include "estimators/collision_scores.hpp"
#include "estimators/population/angular_kernel.hpp"
#include "estimators/population/weights.hpp"
#include "estimators/selection.hpp"
#include "estimators/value_sampling.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

// Redraw after redraw, each with the errors of every query.
struct ErrorsOfRedraws {
  std::vector<std::vector<DrawErrors>> of;
  void merge(const ErrorsOfRedraws& later) { of.insert(of.end(), later.of.begin(), later.of.end()); }
};

// Share of the true top keys that the selection does not hold.
double missed_share(const std::vector<Index>& top, std::vector<Index> selected) {
  std::sort(selected.begin(), selected.end());
  const Index found = std::count_if(
      top.begin(), top.end(), [&](Index key) { return std::binary_search(selected.begin(), selected.end(), key); });
  return 1 - real(found) / real(top.size());
}

}  // namespace

Targets targets_of(const Instance& instance, const Setting& setting) {
  Targets t;
  t.angular_weights = angular_weights(instance, setting.planes);
  t.population_weights = population_weights(population_parameters(instance, setting), instance).weights;
  t.population_mass = t.population_weights.sum();
  t.angular_mass = t.angular_weights.sum();
  t.population_output = weighted_output(t.population_weights, instance.values);
  t.angular_output = weighted_output(t.angular_weights, instance.values);
  t.logits = scaled_logits(instance.query, instance.keys);
  t.softmax = softmax(t.logits).value();
  t.dense_output = instance.values.transpose() * t.softmax;
  t.value_norms = row_norms(instance.values);
  t.top = select_keys(t.logits, {}, {.budget = setting.budget});
  t.longest_value = t.value_norms.maxCoeff();
  return t;
}

DrawnScores measure_draw(const Vector& query, const Matrix& values, const Setting& setting, const Targets& targets,
                         const Hyperplanes& hyperplanes, const KeyCodes& codes, Seed seed, std::uint32_t trial) {
  DrawnScores drawn;
  drawn.scores = soft_scores(hyperplanes, codes, query, {setting.temperature, setting.scaling});
  const ValueSampler sampler(drawn.scores, values);
  const Vector sample = sampler.draw(seed, trial, setting.samples);
  DrawErrors& errors = drawn.errors;
  errors.finite_tables = (sampler.mean() - targets.population_output).norm();
  errors.tables_to_angular = (sampler.mean() - targets.angular_output).norm();
  errors.sampling = (sample - sampler.mean()).norm();
  errors.total = (sample - targets.angular_output).norm();

  drawn.selected = select_keys(drawn.scores.cwiseProduct(targets.value_norms), {}, {.budget = setting.budget});
  errors.selection = (sparse_attention(targets.logits, values, drawn.selected).value() - targets.dense_output).norm();
  double kept = 0;
  for (const Index key : drawn.selected) kept += targets.softmax(key);
  errors.missed_mass = std::max(0.0, 1 - kept);
  errors.missed_top = missed_share(targets.top, drawn.selected);
  return drawn;
}

std::vector<std::vector<DrawErrors>> redraw_errors(const Matrix& keys, const Matrix& values,
                                                   const std::vector<Vector>& queries,
                                                   const std::vector<Targets>& targets, const CertifyPlan& plan,
                                                   const RedrawRange& range, Seed seed, const WorkDone& done) {
  const Setting& s = plan.setting;
  const CertifyWork work = work_of({keys.rows(), keys.cols(), values.cols()}, plan);
  const auto one_redraw = [&](std::uint64_t redraw, ErrorsOfRedraws& into) {
    const auto trial = static_cast<std::uint32_t>(range.first + redraw);
    const Hyperplanes hyperplanes = draw_hyperplanes(seed, trial, s.tables, s.planes, keys.cols());
    const KeyCodes codes = hash_keys(hyperplanes, keys);
    if (done) done(work.redraw_hash);
    std::vector<DrawErrors>& errors = into.of.emplace_back();
    for (std::size_t i = 0; i < queries.size(); ++i) {
      errors.push_back(
          measure_draw(queries[i], values, s, targets[i], hyperplanes, codes, derive_seed(seed, 1 + i), trial).errors);
      if (done) done(work.redraw_query);
    }
  };
  const ErrorsOfRedraws all = run_trials(range.count, ErrorsOfRedraws{}, one_redraw, 1);
  std::vector<std::vector<DrawErrors>> by_query(queries.size());
  for (const std::vector<DrawErrors>& redraw : all.of)
    for (std::size_t i = 0; i < redraw.size(); ++i) by_query[i].push_back(redraw[i]);
  return by_query;
}

std::vector<std::vector<DrawErrors>> redraw_errors(const Matrix& keys, const Matrix& values,
                                                   const std::vector<Vector>& queries,
                                                   const std::vector<Targets>& targets, const CertifyPlan& plan,
                                                   Seed seed, const WorkDone& done) {
  return redraw_errors(keys, values, queries, targets, plan, {0, plan.redraws}, seed, done);
}

}  // namespace skt

#include "estimators/error_terms/measured_terms.hpp"

#include <algorithm>
#include <optional>

#include "estimators/attention.hpp"
#include "estimators/collision_scores.hpp"
#include "estimators/occupancy.hpp"
#include "estimators/selection.hpp"
#include "estimators/value_sampling.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

// Tables hashed at a time: enough rows for an efficient product, and codes of 128 bytes to a key.
constexpr Index kTablesAtATime = 32;

// The scores of one draw of L tables and its fullest bucket.
struct TableDraw {
  Vector scores;  // [keys]
  Index occupancy = 0;
  double occupied_miss = 0;  // mean over the tables
};

TableDraw draw_tables(const Instance& instance, const Setting& setting, Seed seed) {
  TableDraw draw{Vector::Zero(instance.num_keys())};
  for (Index first = 0; first < setting.tables; first += kTablesAtATime) {
    const Index tables = std::min(kTablesAtATime, setting.tables - first);
    const auto block = static_cast<std::uint32_t>(first / kTablesAtATime);
    const Hyperplanes hyperplanes = draw_hyperplanes(seed, block, tables, setting.planes, instance.dim());
    const KeyCodes codes = hash_keys(hyperplanes, instance.keys);
    draw.scores += soft_scores(hyperplanes, codes, instance.query, {setting.temperature, setting.scaling});
    const BucketLoad load = bucket_load(hyperplanes, codes, instance.query, {setting.temperature, setting.scaling});
    draw.occupancy = std::max(draw.occupancy, load.fullest);
    draw.occupied_miss += load.occupied_miss * real(tables) / real(setting.tables);
  }
  return draw;
}

// What attention over the keys of highest score misses of the dense one.
class Selection {
 public:
  Selection(const Instance& instance, Index budget)
      : values_(instance.values), budget_(budget), logits_(scaled_logits(instance.query, instance.keys)) {
    probability_ = softmax(logits_).value();
    dense_ = values_.transpose() * probability_;
  }

  void add(const Vector& scores, MeasuredTerms& into) const {
    const std::vector<Index> selected = select_keys(scores, {}, {.budget = budget_});
    into.selection.add((sparse_attention(logits_, values_, selected).value() - dense_).squaredNorm());
    double mass = 0;
    for (const Index j : selected) mass += probability_(j);
    into.left_out.add((1 - mass) * (1 - mass));
  }

 private:
  const Matrix& values_;
  Index budget_;
  Vector logits_, probability_, dense_;
};

// The direction along which the bias is measured.
Vector direction_of_bias(const Vector& bias, const Matrix& values) {
  if (bias.norm() > 0) return bias.normalized();
  Index widest = 0;
  (values.colwise().maxCoeff() - values.colwise().minCoeff()).maxCoeff(&widest);
  return Vector::Unit(values.cols(), widest);
}

void add_trial(const Instance& instance, const Setting& setting, const Centre& centre, Seed seed, std::uint64_t draws,
               const std::optional<Selection>& selection, MeasuredTerms& into) {
  const TableDraw tables = draw_tables(instance, setting, seed);
  const ValueSampler sampler(tables.scores, instance.values);
  const Vector& output = sampler.mean();  // y_{tau,L}
  into.occupancy = std::max(into.occupancy, tables.occupancy);
  into.occupied_miss.add(tables.occupied_miss);
  into.sampling_expected.add(sampler.mean_squared_error(setting.samples));
  into.finite_tables.add((output - centre.population_output).squaredNorm());
  if (selection) selection->add(tables.scores, into);

  const Vector bias = centre.population_output - centre.angular_output;
  const double size = bias.norm();
  const double mass = tables.scores.sum() / real(setting.tables) / centre.population_mass;
  const double along = direction_of_bias(bias, instance.values).dot(output - centre.angular_output);
  into.bias.add(size + mass * (along - size));

  double sampling = 0, total = 0;
  for (std::uint64_t k = 0; k < draws; ++k) {
    const Vector drawn = sampler.draw(seed, static_cast<std::uint32_t>(k), setting.samples);
    sampling += (drawn - output).squaredNorm();
    total += (drawn - centre.angular_output).squaredNorm();
  }
  into.sampling.add(sampling / real(draws));
  into.total.add(total / real(draws));
}

std::optional<Selection> selection_of(const Instance& instance, const Setting& setting) {
  std::optional<Selection> selection;
  if (setting.budget > 0) selection.emplace(instance, setting.budget);
  return selection;
}

// Trial after trial.
struct EachTrial {
  std::vector<MeasuredTerms> of;
  void merge(const EachTrial& later) { of.insert(of.end(), later.of.begin(), later.of.end()); }
};

}  // namespace

void MeasuredTerms::merge(const MeasuredTerms& later) {
  sampling.merge(later.sampling);
  sampling_expected.merge(later.sampling_expected);
  finite_tables.merge(later.finite_tables);
  bias.merge(later.bias);
  total.merge(later.total);
  selection.merge(later.selection);
  left_out.merge(later.left_out);
  occupied_miss.merge(later.occupied_miss);
  occupancy = std::max(occupancy, later.occupancy);
}

MeasuredTerms measure_terms(const Instance& instance, const Setting& setting, const Centre& centre, Seed seed,
                            const Effort& effort, const TrialDone& trial_done) {
  const std::optional<Selection> selection = selection_of(instance, setting);
  const auto one_trial = [&](std::uint64_t trial, MeasuredTerms& into) {
    add_trial(instance, setting, centre, derive_seed(seed, trial), effort.draws, selection, into);
    if (trial_done) trial_done();
  };
  return run_trials(effort.trials, MeasuredTerms{}, one_trial, /*block_size=*/1);
}

std::vector<MeasuredTerms> measure_each_trial(const Instance& instance, const Setting& setting, const Centre& centre,
                                              Seed seed, std::uint64_t draws, const TrialRange& range,
                                              const TrialDone& trial_done) {
  const std::optional<Selection> selection = selection_of(instance, setting);
  const auto one_trial = [&](std::uint64_t trial, EachTrial& into) {
    add_trial(instance, setting, centre, derive_seed(seed, range.first + trial), draws, selection,
              into.of.emplace_back());
    if (trial_done) trial_done();
  };
  return run_trials(range.count, EachTrial{}, one_trial, /*block_size=*/1).of;
}

}  // namespace skt

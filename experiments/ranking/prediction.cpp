#include "experiments/ranking/prediction.hpp"

#include <array>
#include <cmath>

#include "estimators/metrics/kept_by_selection.hpp"
#include "estimators/metrics/ranking_metrics.hpp"
#include "estimators/metrics/tied_ranking.hpp"
#include "estimators/population/weights.hpp"
#include "estimators/weighted_output.hpp"
#include "experiments/ranking/curves.hpp"
#include "experiments/ranking/density_table.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr PredictedQuantity kQuantities[] = {PredictedQuantity::precision, PredictedQuantity::missed_mass,
                                             PredictedQuantity::output_error};

// The scores of all kinds from one draw of tables.
class DrawnScores {
 public:
  DrawnScores(const PredictionSetting& setting, const Instance& instance, Seed seed, std::uint32_t trial)
      : hyperplanes_(draw_hyperplanes(seed, trial, setting.hash.tables, setting.hash.planes, instance.dim())),
        codes_(hash_keys(hyperplanes_, instance.keys)),
        socket_(setting.hash.socket) {}

  Vector of(PredictedScore score, const Instance& instance) const {
    if (score == PredictedScore::hard) return hard_scores(hyperplanes_, codes_, instance.query);
    const Vector soft = soft_scores(hyperplanes_, codes_, instance.query, socket_);
    return score == PredictedScore::soft ? soft : soft.cwiseProduct(row_norms(instance.values));
  }

 private:
  Hyperplanes hyperplanes_;
  KeyCodes codes_;
  SocketParameters socket_;
};

struct Measured {
  double precision = 0, missed_mass = 0, squared_error = 0;
};

Measured measure(const DenseTruth& truth, const Vector& relevant, const Vector& scores, const TieGroups& ranking,
                 Index cut) {
  const std::vector<Index> order = order_by_score(scores, truth.tickets());
  const double dense_norm = (truth.instance().values.transpose() * truth.probability()).norm();
  const double error = truth.kept_of_first(order, cut, cut).error * dense_norm;
  return {precision_over_ties(ranking, relevant, cut).average,
          truth.probability().dot((1 - inclusion_probability(ranking, cut).array()).matrix()), error * error};
}

void add(double predicted, double measured, PredictionRow& row) {
  row.predicted.add(predicted);
  row.measured.add(measured);
  row.difference.add(predicted - measured);
}

// In the order of empty_result.
void run_trial(const PredictionSetting& setting, Seed seed, std::uint32_t trial, PredictionResult& into) {
  const DenseTruth truth = drawn_truth(setting.family, seed, trial);
  const Instance& instance = truth.instance();
  const HashSettings& hash = setting.hash;
  const PopulationParameters parameters =
      population_parameters(instance, hash.planes, hash.socket.temperature, hash.socket.scaling);
  const DrawnScores tables(setting, instance, seed, trial);
  const Vector true_scores = instance.keys * instance.query;
  auto row = into.rows.begin();
  for (const PredictedScore score : setting.scores) {
    const auto predictions = predict_selections(instance, parameters, hash.tables, setting.cuts, score);
    const Vector scores = tables.of(score, instance);
    const TieGroups ranking = tie_groups(scores);
    for (std::size_t i = 0; i < setting.cuts.size(); ++i) {
      const Index cut = setting.cuts[i];
      const PredictedSelection& predicted = predictions[i];
      const Measured seen = measure(truth, binary_relevance(true_scores, cut), scores, ranking, cut);
      add(predicted.recall, seen.precision, *row++);
      add(predicted.missed_mass, seen.missed_mass, *row++);
      add(predicted.output_error * predicted.output_error, seen.squared_error, *row++);
    }
  }
}

bool is_squared(const PredictionRow& row) {
  return row.quantity == PredictedQuantity::output_error;
}

// d sqrt(x) / sqrt(x) = dx / (2 x).
double relative_root(double change, const PredictionRow& row) {
  return change / (2 * row.measured.mean());
}

}  // namespace

std::string name_of(PredictedQuantity quantity) {
  return std::array{"precision", "missed-mass", "output-error"}.at(static_cast<std::size_t>(quantity));
}

std::string name_of(PredictedScore score) {
  return std::array{"soft", "soft-times-norm", "hard"}.at(static_cast<std::size_t>(score));
}

double PredictionRow::predicted_value() const {
  return is_squared(*this) ? std::sqrt(predicted.mean()) : predicted.mean();
}

double PredictionRow::measured_value() const {
  return is_squared(*this) ? std::sqrt(measured.mean()) : measured.mean();
}

double PredictionRow::difference_value() const {
  return is_squared(*this) ? relative_root(difference.mean(), *this) : difference.mean();
}

double PredictionRow::difference_deviation() const {
  const double deviation = difference.deviation_of_mean();
  return is_squared(*this) ? relative_root(deviation, *this) : deviation;
}

bool PredictionRow::within_claim() const {
  const double claimed = quantity == PredictedQuantity::precision     ? 0.02
                         : quantity == PredictedQuantity::missed_mass ? 0.01
                                                                      : 0.05;
  return std::abs(difference_value()) <= claimed;
}

void PredictionResult::merge(const PredictionResult& later) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].predicted.merge(later.rows[i].predicted);
    rows[i].measured.merge(later.rows[i].measured);
    rows[i].difference.merge(later.rows[i].difference);
  }
}

PredictionResult empty_result(const PredictionSetting& setting) {
  PredictionResult empty{setting, {}};
  for (const PredictedScore score : setting.scores)
    for (const Index cut : setting.cuts)
      for (const PredictedQuantity quantity : kQuantities) empty.rows.push_back({score, cut, quantity, {}, {}, {}});
  return empty;
}

void check(const PredictionPlan& plan) {
  for (const PredictionSetting& setting : plan.settings) {
    const Index keys = setting.family.keys;
    if (setting.cuts.empty() || setting.scores.empty()) refuse("{}: a k and a score are needed", setting.name);
    for (const Index cut : setting.cuts) {
      if (cut < 1 || cut > keys) refuse("{}: k is {}: allowed are 1 to the {} keys", setting.name, cut, keys);
    }
  }
}

std::vector<PredictionResult> compare_predictions(const PredictionPlan& plan, Seed seed,
                                                  const std::function<void()>& trial_done) {
  check(plan);
  std::vector<PredictionResult> results;
  for (const PredictionSetting& setting : plan.settings) {
    const auto one_trial = [&](std::uint64_t t, PredictionResult& into) {
      run_trial(setting, seed, static_cast<std::uint32_t>(t), into);
      if (trial_done) trial_done();
    };
    results.push_back(run_trials(setting.trials, empty_result(setting), one_trial, 1));
  }
  return results;
}

}  // namespace skt

// How far is the prediction of a selection from what drawn tables select (estimators/metrics/selection_prediction.hpp)?
//
// Each trial draws an instance and its tables; the prediction knows the instance and not the tables. Of the top k keys
// by the soft score, by the soft score times the value's norm and by hard counts: precision against q.k (averaged over
// the orders of tied keys), missed softmax mass (likewise) and the error of the output, each predicted and measured, and
// the mean of the paired differences with its standard error. The settings are those of Figure 2 and five families at
// production size. A prediction that looked at the drawn tables would show as a difference of zero in every trial.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "estimators/metrics/selection_prediction.hpp"
#include "estimators/peers/rankers.hpp"
#include "sim/families.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {

enum class PredictedQuantity { precision, missed_mass, output_error };
std::string name_of(PredictedQuantity quantity);
std::string name_of(PredictedScore score);

struct PredictionSetting {
  std::string name;
  FamilyParameters family;
  HashSettings hash;
  std::vector<Index> cuts;  // k, each 1 .. keys
  std::vector<PredictedScore> scores;
  std::uint64_t trials = 256;
};

struct PredictionPlan {
  std::vector<PredictionSetting> settings;
};

// Squares for the output error, whose root mean square is predicted; the quantity itself for the others.
struct PredictionRow {
  PredictedScore score = PredictedScore::soft;
  Index cut = 0;
  PredictedQuantity quantity = PredictedQuantity::precision;
  Moments predicted{}, measured{};  // over trials
  Moments difference{};             // predicted less measured, paired

  // In the unit of the quantity. The output error's difference is relative to what is measured, to first order.
  double predicted_value() const;
  double measured_value() const;
  double difference_value() const;
  double difference_deviation() const;  // standard error
  bool within_claim() const;            // |difference| at most .02, .01 and 5%
};

struct PredictionResult {
  PredictionSetting setting;
  std::vector<PredictionRow> rows;
  void merge(const PredictionResult& later);  // of the same setting
};

// InputError for a cut outside 1 .. keys or an empty list.
void check(const PredictionPlan& plan);

// Every row of a setting, before any trial.
PredictionResult empty_result(const PredictionSetting& setting);

// One result a setting, in order, the same by itself and among others. trial_done is called after each trial of a
// setting, from the thread that ran it. InputError for a plan that fails the check.
std::vector<PredictionResult> compare_predictions(const PredictionPlan& plan, Seed seed,
                                                  const std::function<void()>& trial_done = {});

}  // namespace skt

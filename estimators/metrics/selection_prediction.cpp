#include "estimators/metrics/selection_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimators/attention.hpp"
#include "estimators/population/half_angle.hpp"
#include "estimators/population/population.hpp"
#include "estimators/prediction/soft_inclusion.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// What the selection is measured by.
struct Dense {
  Vector probability;        // softmax, [keys]
  Vector output;             // [value_dim]
  std::vector<Index> order;  // keys by falling q.k, ties by index
};

Dense dense_of(const Instance& instance) {
  const Vector logits = scaled_logits(instance.query, instance.keys);
  Dense dense{softmax(logits).value(), {}, std::vector<Index>(logits.size())};
  dense.output = instance.values.transpose() * dense.probability;
  std::iota(dense.order.begin(), dense.order.end(), Index{0});
  std::stable_sort(dense.order.begin(), dense.order.end(), [&](Index a, Index b) { return logits[a] > logits[b]; });
  return dense;
}

double root_mean_square_error(const Instance& instance, const Dense& dense, const Vector& inclusion) {
  const Vector kept = inclusion.cwiseProduct(dense.probability);
  const double mass = kept.sum();
  const Vector centre = instance.values.transpose() * kept / mass;
  double variance = 0;
  for (Index j = 0; j < kept.size(); ++j) {
    const double share = kept[j] * (1 - inclusion[j]) * dense.probability[j];
    variance += share * (instance.values.row(j).transpose() - centre).squaredNorm();
  }
  return std::sqrt((centre - dense.output).squaredNorm() + variance / (mass * mass));
}

PredictedSelection selection_of(const Instance& instance, const Dense& dense, Vector inclusion, Index budget) {
  PredictedSelection predicted;
  double recalled = 0;
  for (Index at = 0; at < budget; ++at) recalled += inclusion[dense.order[at]];
  predicted.recall = recalled / real(budget);
  predicted.missed_mass = std::clamp(dense.probability.dot((1 - inclusion.array()).matrix()), 0.0, 1.0);
  predicted.output_error = root_mean_square_error(instance, dense, inclusion);
  predicted.inclusion = std::move(inclusion);
  return predicted;
}

Vector hard_chances(const Vector& cosines, Index planes) {
  return cosines.unaryExpr([planes](double rho) { return angular_weight(planes, Cosine::of(rho)).value; });
}

InclusionAt inclusion_of(const Instance& instance, const PopulationParameters& parameters, Index tables,
                         PredictedScore score) {
  const Vector cosines = key_cosines(instance);
  switch (score) {
    case PredictedScore::soft:
      return soft_inclusion(cosines, Vector::Ones(cosines.size()), parameters, tables);
    case PredictedScore::soft_times_norm:
      return soft_inclusion(cosines, row_norms(instance.values), parameters, tables);
    case PredictedScore::hard:
      return [chances = hard_chances(cosines, parameters.planes), tables](Index budget) {
        return inclusion_by_counts(chances, tables, budget);
      };
  }
  refuse("predicted score: not one of the enumeration");
}

}  // namespace

Vector key_cosines(const Instance& instance) {
  const Vector direction = unit_or_zero(instance.query, "query");
  Vector cosines(instance.num_keys());
  for (Index j = 0; j < cosines.size(); ++j) {
    cosines[j] = std::clamp(unit_or_zero(instance.keys.row(j), "a key").dot(direction), -1.0, 1.0);
  }
  return cosines;
}

std::vector<PredictedSelection> predict_selections(const Instance& instance, const PopulationParameters& parameters,
                                                   Index tables, const std::vector<Index>& budgets,
                                                   PredictedScore score) {
  require(instance.num_keys() > 0, "prediction of a selection: no key: allowed are instances with keys");
  require(tables >= 1, "tables is {}: allowed are 1 and more", tables);
  require(parameters.dim == instance.dim(), "dim of the parameters is {}: allowed is that of the keys, {}",
          parameters.dim, instance.dim());
  const Dense dense = dense_of(instance);
  const InclusionAt inclusion = inclusion_of(instance, parameters, tables, score);
  std::vector<PredictedSelection> predicted;
  for (const Index budget : budgets) predicted.push_back(selection_of(instance, dense, inclusion(budget), budget));
  return predicted;
}

PredictedSelection predict_selection(const Instance& instance, const PopulationParameters& parameters, Index tables,
                                     Index budget, PredictedScore score) {
  return std::move(predict_selections(instance, parameters, tables, {budget}, score).front());
}

}  // namespace skt

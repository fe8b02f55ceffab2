#include "proofs_check/certificate/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimators/metrics/selection_prediction.hpp"
#include "estimators/occupancy.hpp"
#include "estimators/tables/table_sums.hpp"
#include "estimators/weighted_output.hpp"
#include "proofs_check/bounds/a_priori_bounds.hpp"
#include "proofs_check/bounds/bias_bounds.hpp"
#include "proofs_check/bounds/drawn_table_bounds.hpp"
#include "proofs_check/bounds/redraws.hpp"
#include "proofs_check/bounds/sampling_bounds.hpp"
#include "proofs_check/bounds/selection/missed_mass_bound.hpp"
#include "proofs_check/bounds/selection_bounds.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

class Certifier {
 public:
  Certifier(const Instance& instance, const CertifyPlan& plan, const Targets& targets, const Hyperplanes& hyperplanes,
            const KeyCodes& codes, Index half_space, Seed seed, const WorkDone& done)
      : instance_(instance),
        plan_(plan),
        setting_(plan.setting),
        t_(targets),
        hyperplanes_(hyperplanes),
        codes_(codes),
        half_space_(half_space),
        seed_(seed),
        done_(done),
        tables_(real(plan.setting.tables)),
        parameters_(population_parameters(instance, plan.setting)),
        drawn_(measure_draw(instance.query, instance.values, plan.setting, targets, hyperplanes, codes, seed, 0)),
        sums_(table_sums(hyperplanes, codes, instance.query, instance.values,
                         {plan.setting.temperature, plan.setting.scaling})),
        law_(sampling_law(drawn_.scores, instance.values)) {}

  Certificate all(const std::vector<DrawErrors>& redraws) {
    result_.longest_value = t_.longest_value;
    result_.dense_norm = t_.dense_output.norm();
    result_.query_norm = instance_.query.norm();
    result_.effective_rank = std::numeric_limits<double>::quiet_NaN();
    bias_ = (t_.population_output - t_.angular_output).norm();
    measured();
    without_chance();
    if (plan_.pairs == Pairs::exact) {
      apriori_ = a_priori_bounds(instance_, plan_, sums_, derive_seed(seed_, 1), done_);
      result_.effective_rank = apriori_->at.effective_rank();
    }
    for (const double delta : deltas()) from_drawn_tables(delta);
    if (apriori_) {
      for (const double delta : deltas()) before_drawing(delta);
    }
    before_selecting();
    estimates();
    predictions();
    for (const double delta : deltas()) redrawn(redraws, delta);
    printed();
    if (plan_.target)
      result_.needs =
          smallest_counts(*plan_.target, plan_, apriori_ ? &*apriori_ : nullptr, law_, bias_, instance_.num_keys());
    return result_;
  }

 private:
  void add(const std::string& term, Basis basis, const std::string& name, double delta, double value) {
    result_.numbers.push_back({term, basis, name, delta, value});
  }

  // For each query, and where several share the tables for all of them together.
  std::vector<double> deltas() const {
    if (plan_.queries == 1) return {plan_.delta};
    return {plan_.delta, plan_.delta / real(plan_.queries)};
  }

  void measured() {
    for (const auto& [term, value] : kFunctionals) add(term, Basis::measured, "this draw", 0, drawn_.errors.*value);
    add("bias", Basis::measured, "exact", 0, bias_);
    add("angular-to-dense", Basis::measured, "exact", 0, (t_.angular_output - t_.dense_output).norm());
  }

  // Nothing in these is random, given the tables.
  void without_chance() {
    const SelectionBounds selection = selection_bounds(t_.softmax, instance_.values, drawn_.selected);
    add("top-m", Basis::certified, "Theorem 10(i)", 0, selection.by_farthest);
    add("top-m", Basis::certified, "Theorem 10(ii)", 0, selection.by_covariance);
    add("bias", Basis::certified, "Theorem 8(i)", 0,
        bias_bound_by_chi_square(t_.angular_weights, t_.population_weights, instance_.values));
  }

  void from_drawn_tables(double delta) {
    if (apriori_) {
      const double certified = certified_bound(sums_, apriori_->at, delta);
      add("finite-tables", Basis::certified, "Theorem 1(b)", delta, certified);
      add("finite-tables", Basis::certified, "Theorem 2", delta,
          exponential_bound(sums_, t_.population_output, apriori_->at, delta));
      add("tables-to-angular", Basis::certified, "Theorem 1(b) and bias", delta, certified + bias_);
    }
    const double half = delta / 2;
    add("sampling", Basis::certified, "Theorem 7(a)", delta, sampling_error_bound(law_, setting_.samples, delta));
    const double exponential = exponential_sampling_bound(law_, setting_.samples, half, half);
    add("sampling", Basis::certified, "Theorem 7(c)", delta, exponential);
    const Vector offset = law_.mean - t_.angular_output;
    add("total", Basis::certified, "Theorem 9(b)", delta, total_error_bound_at(offset, law_, setting_.samples, delta));
    add("total", Basis::certified, "Theorem 7(c) and the offset", delta, exponential + offset.norm());
    if (apriori_) {
      const double radius = certified_bound(sums_, apriori_->at, kTablesShareOfTotal * delta) + bias_;
      add("total", Basis::certified, "Theorem 9(a)", delta,
          total_error_bound(radius, law_, setting_.samples, delta_of_samples(delta)));
    }
  }

  // "the same and bias" takes the least of the radii before it, each at what fresh tables leave of delta.
  void before_drawing(double delta) {
    if (apriori_->fresh)
      add("finite-tables", Basis::expected, "Corollary 4(ii)", delta, apriori_->by_fresh(tables_, delta));
    add("finite-tables", Basis::expected, "Corollary 3, kurtosis by 4(i)", delta,
        apriori_->by_kurtosis(tables_, delta));
    add("finite-tables", Basis::expected, "Chebyshev", delta, apriori_->by_chebyshev(tables_, delta));
    add("tables-to-angular", Basis::expected, "the same and bias", delta, apriori_->certified(tables_, delta) + bias_);
  }

  // Of the selection by score times value norm.
  void before_selecting() {
    const std::vector<double> at = deltas(),
                              missed = missed_mass_bounds(instance_, parameters_, t_.softmax, t_.value_norms,
                                                          setting_.tables, setting_.budget, at);
    for (std::size_t i = 0; i < at.size(); ++i) {
      add("missed-mass", Basis::expected, "Theorem 15", at[i], missed[i]);
      add("top-m", Basis::expected, "Theorem 15 and 10(ii)", at[i],
          error_of_missed_mass(t_.softmax, instance_.values, missed[i]));
    }
  }

  void estimates() {
    const double delta = plan_.delta;
    add("finite-tables", Basis::estimated, "Theorem 1(b), covariance estimated", delta, estimated_bound(sums_, delta));
    if (apriori_)
      add("finite-tables", Basis::estimated, "Corollary 3, kurtosis estimated", delta,
          apriori_->estimated(tables_, delta));
  }

  void predictions() {
    if (apriori_)
      add("finite-tables", Basis::predicted, "root mean square, limit in L", 0,
          std::sqrt(apriori_->at.trace / tables_));
    add("finite-tables", Basis::predicted, "root mean square, approximation 6", 0,
        approximate_table_error(instance_, parameters_, t_.population_weights, tables_));
    add("sampling", Basis::predicted, "root mean square, exact given the tables", 0,
        std::sqrt(std::max(0.0, law_.covariance.trace()) / real(setting_.samples)));
    const PredictedSelection selection =
        predict_selection(instance_, parameters_, setting_.tables, setting_.budget, PredictedScore::soft_times_norm);
    add("top-m", Basis::predicted, "root mean square, approximation 12", 0, selection.output_error);
    add("missed-mass", Basis::predicted, "approximation 12", 0, selection.missed_mass);
    add("missed-top", Basis::predicted, "approximation 12", 0, 1 - selection.recall);
  }

  void redrawn(const std::vector<DrawErrors>& redraws, double delta) {
    // For all queries together delta/n wants more redraws than there may be.
    if (redraws.empty() || (delta < plan_.delta && real(redraws.size() + 1) * delta < 1)) return;
    for (const auto& [term, value] : kFunctionals) {
      std::vector<double> errors;
      for (const DrawErrors& draw : redraws) errors.push_back(draw.*value);
      add(term, Basis::redrawn, "Theorem 5", delta, redraw_bound(std::move(errors), delta));
    }
  }

  void printed() {
    const BucketLoad load =
        bucket_load(hyperplanes_, codes_, instance_.query, {setting_.temperature, setting_.scaling});
    result_.occupancy_drawn = load.fullest;
    result_.occupancy_sure = std::max({load.fullest, half_space_, (instance_.num_keys() + 1) / 2});
    const double delta = plan_.delta, samples = real(setting_.samples);
    BoundConstants c{.occupancy = real(load.fullest),
                     .angular_mass = t_.angular_mass,
                     .population_mass = t_.population_mass,
                     .spectral_norm = spectral_norm(instance_.values),
                     .epsilon = epsilon(parameters_).value};
    const double repaired = repaired_bias_bound(load.occupied_miss, t_.population_mass, t_.longest_value);
    add("sampling", Basis::printed, "Lemma 10", delta, sampling_bound(c, samples, delta));
    for (const auto& [reading, occupancy] : {std::pair("B of the drawn tables", c.occupancy),
                                             std::pair("B that can hold surely", real(result_.occupancy_sure))}) {
      c.occupancy = occupancy;
      const std::string of = std::string(", ") + reading;
      add("finite-tables", Basis::printed, "Lemma 9" + of, delta, finite_table_bound(c, tables_, delta));
      add("bias", Basis::printed, "Lemma 11" + of, 0, bias_bound(c));
      add("total", Basis::printed, "Theorem 3" + of, delta,
          end_to_end_bound(c, tables_, samples, delta / 2, delta / 2).total());
    }
    add("bias", Basis::estimated, "Lemma 11 repaired", 0, repaired);
  }

  const Instance& instance_;
  const CertifyPlan& plan_;
  const Setting& setting_;
  const Targets& t_;
  const Hyperplanes& hyperplanes_;
  const KeyCodes& codes_;
  Index half_space_;
  Seed seed_;
  const WorkDone& done_;
  double tables_;
  PopulationParameters parameters_;
  DrawnScores drawn_;
  TableSums sums_;
  SamplingLaw law_;
  double bias_ = 0;
  std::optional<AprioriBounds> apriori_;
  Certificate result_;
};

}  // namespace

std::string name_of(Basis basis) {
  switch (basis) {
    case Basis::measured:
      return "measured";
    case Basis::certified:
      return "certified";
    case Basis::expected:
      return "expected";
    case Basis::redrawn:
      return "redrawn";
    case Basis::estimated:
      return "estimated";
    case Basis::predicted:
      return "predicted";
    case Basis::printed:
      return "printed";
  }
  return "";
}

std::vector<std::string> certified_terms() {
  return {"finite-tables",    "bias",  "tables-to-angular", "sampling",  "total",
          "angular-to-dense", "top-m", "missed-mass",       "missed-top"};
}

Certificate certify(const Instance& instance, const CertifyPlan& plan, const Targets& targets,
                    const Hyperplanes& hyperplanes, const KeyCodes& codes, Index half_space,
                    const std::vector<DrawErrors>& redraws, Seed seed, const WorkDone& done) {
  check(plan);
  return Certifier(instance, plan, targets, hyperplanes, codes, half_space, seed, done).all(redraws);
}

}  // namespace skt

#include "experiments/certify/certify_request.hpp"

#include "experiments/attend/variants.hpp"
#include "experiments/command/fields.hpp"

namespace skt {
namespace {

const Words<Pairs> kPairs = {{"exact", Pairs::exact}, {"none", Pairs::none}};

}  // namespace

void add_fields(Fields& fields, CertifyRequest& r) {
  CertifyPlan& plan = r.plan;
  add_array_fields(fields, r.files, Batches::of_one);
  add_table_fields(fields, r.tables, r.planes);
  fields.add("temperature", &plan.setting.temperature, "Temperature tau, above 0").above(0);
  fields.add("scaling", plan.setting.scaling, kScalings, "Divisor of tanh(Wq)");
  fields
      .add("budget", &r.budget,
           "Keys M that exact attention sees: a count, or with a decimal point a fraction of the keys")
      .counts_keys();
  fields.add("samples", &r.samples, "Samples M of the estimator T, given like --budget [--budget]").counts_keys();
  fields.add("delta", &plan.delta, "Probability that a bound is exceeded, above 0 and below 1").above(0, 1);
  fields
      .add(
          "target-error", &plan.target,
          "Target error, in the unit of the values: reports the smallest L and M that reach it except with probability "
          "delta")
      .above(0);
  fields.add("pairs", plan.pairs, kPairs,
             "exact: moments of a table over all pairs of keys, O(keys^2), which every proved bound on the tables "
             "needs;\nnone: only sampling, selection, redraws and estimates");
  fields.add("redraws", &plan.redraws, "Redraws of all tables, for Theorem 5: at least 1/delta - 1; 0: none")
      .from(0, kMostTrials);
  fields
      .add("fresh-tables", &plan.fresh_tables,
           "Single tables drawn in addition, for Corollary 4(ii): about 10 L/delta; 0: none")
      .from(0, kMostTrials);
  fields
      .add(
          "time-limit", &r.time_limit,
          "Seconds after which no more query is begun: as many as are done by then are told, at least one, spread over "
          "heads and queries")
      .above(0)
      .changes_no_result();
}

CertifyPlan CertifyRequest::plan_for(const AttendProblem& problem, const Hyperplanes& used) const {
  CertifyPlan made = plan;
  made.setting.tables = used.tables;
  made.setting.planes = used.planes;
  made.setting.budget = budget_of(budget, problem.num_keys());
  made.setting.samples = samples.empty() ? made.setting.budget : budget_of(samples, problem.num_keys(), "--samples");
  made.queries = problem.num_queries();
  check(made);
  return made;
}

}  // namespace skt

#include "experiments/certify/certify_request.hpp"

#include "experiments/attend/variants.hpp"
#include "experiments/command/fields.hpp"

namespace skt {
namespace {

const Words<Pairs> kPairs = {{"exact", Pairs::exact}, {"none", Pairs::none}};

void add_files(Fields& fields, AttendFiles& files) {
  fields
      .add("queries", &files.queries,
           "q.npy or FILE.safetensors[:NAME], [queries, dim] or [heads, queries, dim]; float16, bfloat16, float32, "
           "float64")
      .needed();
  fields.add("keys", &files.keys, "k.npy [keys, dim] or [key_heads, keys, dim]; types as --queries").needed();
  fields.add("values", &files.values, "v.npy [keys, value_dim] or [key_heads, keys, value_dim]").needed();
  fields.add("hyperplanes", &files.hyperplanes,
             "w.npy [tables, planes, dim]; the bounds hold if these were drawn from N(0,1), independently of all other "
             "inputs; by default drawn from --seed");
  fields.add("mask", &files.mask,
             "m.npy [keys], [queries, keys] or [heads, queries, keys]: bool, or floating point to be added to the "
             "logits, where 0 or more allows a key");
}

}  // namespace

void add_fields(Fields& fields, CertifyRequest& r) {
  CertifyPlan& plan = r.plan;
  add_files(fields, r.files);
  fields.add("tables", &r.tables, "Tables L").from(1, kMostTables).usually(fmt::format("{}", kDefaultTables));
  fields.add("planes", &r.planes, fmt::format("Planes P per table, 1 to {}", kMaxPlanes))
      .from(1, kMaxPlanes)
      .usually(fmt::format("{}", kDefaultPlanes));
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

Hyperplanes CertifyRequest::hyperplanes(AttendProblem& problem, Seed seed) const {
  if (problem.has_hyperplanes()) return problem.hyperplanes(tables, planes);
  return draw_hyperplanes(seed, 0, tables.value_or(kDefaultTables), planes.value_or(kDefaultPlanes), problem.dim());
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

#include "experiments/error_curves/audit_request.hpp"

#include "experiments/command/fields.hpp"
#include "experiments/command/words.hpp"
#include "proofs_check/bounds/fresh_tables.hpp"
#include "sim/learned_heads.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

const Words<AuditPart> kParts = {{"all", AuditPart::all}, {"bounds", AuditPart::bounds}};

}  // namespace

void add_fields(Fields& fields, AuditRequest& r) {
  AuditPlan& plan = r.plan;
  fields.add("planes", &plan.planes, "Planes P, e.g. 8,10,12 (Table 6)").from(1, kMaxPlanes);
  fields.add("temperatures", &plan.temperatures, "Temperatures tau, e.g. 0.3,0.5,0.7 (Table 6)").above(0);
  fields.add("tables", &plan.tables, "Tables L").from(1, kMostTables);
  fields.add("samples", &plan.samples, "Samples M; 0: a tenth of the keys").from(0, kMostSamples);
  add_families(fields, r.families, r.of_family, "Instance: " + family_words());
  fields.add("keys", &r.of_family.keys, "Keys N; time grows as N^2").from(2).usually("4096");
  fields.add("dim", &r.of_family.dim, "Dimension d").from(1).usually("128");
  fields.add("query-norm", &r.query_norm, "Norm of the query; 0: as drawn").from(0);
  fields.add("needle-cosine", &plan.family.needle_cosine, "Cosine between needle and query")
      .from(-1, 1)
      .used_with("families", kFamiliesWithNeedle);
  fields.add("scaling", plan.scaling, kScalings, "Divisor of tanh(Wq)");
  fields.add("delta", &plan.delta, "Probability that the bound may fail").above(0, 1).used_with("part", {"all"});
  fields
      .add("target", &plan.target,
           "Target error as a share of the longest value; reports the L, M and tau that the theorem needs for it")
      .above(0)
      .used_with("part", {"all"});
  fields.add("trials", &plan.trials, "Draws of the tables").from(2, kMostTrials).used_with("part", {"all"});
  fields.add("part", r.part, kParts,
             "all, or bounds: compares the printed, the repaired and our bounds with the true quantile of each error");
  fields.add("bound-delta", &plan.bound_delta, "Probability delta of each bound compared")
      .above(0, 1)
      .used_with("bound-draws");
  fields.add("bound-draws", &plan.bound_draws, "Draws of the tables and of T for the true quantiles; 0: no comparison")
      .from(0, kMostTrials);
  fields
      .add("fresh-tables", &plan.fresh_tables,
           "Tables drawn in addition, to certify the tail of a single table's error (Corollary 4)")
      .from(kLeastFreshTables, kMostTrials)
      .used_with("bound-draws");
}

AuditPlan plan_of(const AuditRequest& request, Seed seed) {
  require(request.families.size() == 1, "--families: {} given: allowed is one; run an audit for each",
          request.families.size());
  AuditPlan plan = request.plan;
  plan.family = of_first_trial(with_family(plan.family, request.families.front(), request.of_family), seed);
  if (request.query_norm != 0) plan.family.query_norm = request.query_norm;
  check(plan, request.part);
  return plan;
}

}  // namespace skt

// `socketlab sweep` and `socketlab audit`: the tables that the commands write, as columns.
#include "experiments/command/scaling_option.hpp"
#include "experiments/error_curves/audit_parts.hpp"
#include "experiments/error_curves/audit_rows.hpp"
#include "experiments/error_curves/sweep_parts.hpp"
#include "experiments/error_curves/sweep_request.hpp"
#include "experiments/error_curves/sweep_rows.hpp"
#include "experiments/families/family_word.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/tables.hpp"
#include "sim/learned_heads.hpp"
#include "sim/require.hpp"

namespace skt::python {
namespace {

template <class T>
T given(const nb::dict& options, const char* name) {
  return nb::cast<T>(nb::object(options[name]));
}

Scaling scaling_of(const nb::dict& options) {
  return scaling_named(given<std::string>(options, "scaling"));
}

FamilyRequest family_request(const nb::dict& options) {
  return {given<std::optional<Index>>(options, "keys"), given<std::optional<Index>>(options, "dim"),
          given<std::string>(options, "learned")};
}

SweepRequest sweep_request(const nb::dict& options) {
  SweepRequest request;
  request.axis = given<std::string>(options, "axis");
  request.axis2 = given<std::string>(options, "axis2");
  request.values2 = given<std::vector<double>>(options, "values2");
  request.families = given<std::vector<std::string>>(options, "families");
  request.query_norm = given<double>(options, "query_norm");
  SweepPlan& plan = request.plan;
  plan.values = given<std::vector<double>>(options, "values");
  request.of_families = family_request(options);
  plan.family.needle_cosine = given<double>(options, "needle_cosine");
  plan.setting.planes = given<Index>(options, "planes");
  plan.setting.tables = given<Index>(options, "tables");
  plan.setting.samples = given<Index>(options, "samples");
  plan.setting.temperature = given<double>(options, "temperature");
  plan.setting.scaling = scaling_of(options);
  plan.setting.budget = given<Index>(options, "budget");
  plan.density = given<double>(options, "density");
  plan.key_norm_spread = given<double>(options, "key_norm_spread");
  plan.effort.trials = given<std::uint64_t>(options, "trials");
  plan.effort.draws = given<std::uint64_t>(options, "draws");
  plan.delta = given<double>(options, "delta");
  plan.family_error = given<double>(options, "family_error");
  return request;
}

nb::tuple sweep(const nb::dict& options, std::uint64_t seed, int threads, const nb::object& progress) {
  const SweepRequest request = sweep_request(options);
  const std::vector<SweepResult> sweeps = run_long(threads, progress, [request, seed](Progress& reached) {
    const std::vector<SweepPlan> plans = plans_of(request, Seed{seed});
    const std::vector<Part> parts = sweep_parts(plans, Seed{seed}, adding_to(reached));
    reached.expect(total_work(parts));
    return assemble_sweeps(plans, Seed{seed}, results_of(parts, reached));
  });
  return nb::make_tuple(columns_of(sweep_table(sweeps)), columns_of(slope_table(sweeps)), refuted_intervals(sweeps));
}

AuditPart audit_part(const std::string& word) {
  if (word == "all") return AuditPart::all;
  require(word == "bounds", "--part {}: allowed are all, bounds", word);
  return AuditPart::bounds;
}

AuditPlan audit_plan(const nb::dict& options, Seed seed) {
  AuditPlan plan;
  plan.family.needle_cosine = given<double>(options, "needle_cosine");
  plan.family =
      of_first_trial(with_family(plan.family, given<std::string>(options, "family"), family_request(options)), seed);
  if (const auto norm = given<double>(options, "query_norm"); norm != 0) plan.family.query_norm = norm;
  plan.planes = given<std::vector<Index>>(options, "planes");
  plan.temperatures = given<std::vector<double>>(options, "temperatures");
  plan.tables = given<Index>(options, "tables");
  plan.samples = given<Index>(options, "samples");
  plan.scaling = scaling_of(options);
  plan.delta = given<double>(options, "delta");
  plan.target = given<double>(options, "target");
  plan.trials = given<std::uint64_t>(options, "trials");
  plan.bound_delta = given<double>(options, "bound_delta");
  plan.bound_draws = given<std::uint64_t>(options, "bound_draws");
  plan.fresh_tables = given<Index>(options, "fresh_tables");
  return plan;
}

nb::tuple audit(const nb::dict& options, std::uint64_t seed, int threads, const nb::object& progress) {
  const AuditPlan plan = audit_plan(options, Seed{seed});
  const AuditPart part = audit_part(given<std::string>(options, "part"));
  const Audit made = run_long(threads, progress, [plan, part, seed](Progress& reached) {
    const std::vector<Part> parts = audit_parts(plan, part, Seed{seed}, adding_to(reached));
    reached.expect(total_work(parts));
    return assemble_audit(plan, part, Seed{seed}, results_of(parts, reached));
  });
  const bool all = part == AuditPart::all;
  return nb::make_tuple(all ? columns_of(audit_table(made)) : nb::dict(),
                        all ? columns_of(audit_bound_table(made)) : nb::dict(),
                        plan.bound_draws > 0 ? columns_of(bound_ratio_table(made)) : nb::dict(), refuted_bounds(made));
}

}  // namespace

void bind_sweep(nb::module_& module) {
  module.def("axes", &axis_names);
  module.def("sweep", &sweep, nb::arg("options"), nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none());
  module.def("audit", &audit, nb::arg("options"), nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace skt::python

// `socketlab sweep` and `socketlab audit`: the tables that the commands write, as columns.
#include "experiments/error_curves/audit_parts.hpp"
#include "experiments/error_curves/audit_rows.hpp"
#include "experiments/error_curves/requests.hpp"
#include "experiments/error_curves/sweep_parts.hpp"
#include "experiments/error_curves/sweep_rows.hpp"
#include "experiments/families/learned_file.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"
#include "python/bindings/tables.hpp"

namespace skt::python {
namespace {

// The caller's arrays as heads of the family learned, copied; null without arrays.
std::shared_ptr<const LearnedHeads> heads_of(const GivenArrays& arrays) {
  if (arrays.empty()) return nullptr;
  AttendProblem problem(tensors_of(arrays));
  problem.check_elements();
  return learned_heads_of(problem, "arrays in memory");
}

nb::tuple sweep(const GivenArrays& arrays, const nb::dict& options, std::uint64_t seed, int threads,
                const nb::object& progress) {
  auto request = request_of<SweepRequest>(options);
  request.of_families.learned_heads = heads_of(arrays);
  const std::vector<SweepResult> sweeps = run_long(threads, progress, [request, seed](Progress& reached) {
    const std::vector<SweepPlan> plans = plans_of(request, Seed{seed});
    const std::vector<Part> parts = sweep_parts(plans, Seed{seed}, adding_to(reached));
    reached.expect(total_work(parts));
    return assemble_sweeps(plans, Seed{seed}, results_of(parts, reached));
  });
  return nb::make_tuple(columns_of(sweep_table(sweeps)), columns_of(slope_table(sweeps)), refuted_intervals(sweeps));
}

nb::tuple audit(const GivenArrays& arrays, const nb::dict& options, std::uint64_t seed, int threads,
                const nb::object& progress) {
  auto request = request_of<AuditRequest>(options);
  request.of_family.learned_heads = heads_of(arrays);
  const AuditPart part = request.part;
  const AuditPlan plan = plan_of(request, Seed{seed});
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
  define(module, "sweep", &sweep);
  define(module, "audit", &audit);
}

}  // namespace skt::python

// `socketlab sweep` and `socketlab audit`: the tables that the commands write, as their text.
#include "experiments/error_curves/audit_parts.hpp"
#include "experiments/error_curves/audit_rows.hpp"
#include "experiments/error_curves/requests.hpp"
#include "experiments/error_curves/sweep_parts.hpp"
#include "experiments/error_curves/sweep_rows.hpp"
#include "python/bindings/heard.hpp"
#include "python/bindings/options.hpp"

namespace skt::python {
namespace {

nb::tuple sweep(const nb::dict& options, std::uint64_t seed, int threads, const nb::object& progress) {
  const auto request = request_of<SweepRequest>(options);
  const std::vector<SweepResult> sweeps = heard(threads, progress, [request, seed](Hearing& hearing) {
    const std::vector<SweepPlan> plans = plans_of(request, Seed{seed});
    const std::vector<Part> parts = sweep_parts(plans, Seed{seed}, work_heard_by(hearing));
    hearing.expect(total_work(parts));
    return assemble_sweeps(plans, Seed{seed}, run_heard(parts, hearing));
  });
  return nb::make_tuple(sweep_table(sweeps).text(), slope_table(sweeps).text(), refuted_intervals(sweeps));
}

nb::tuple audit(const nb::dict& options, std::uint64_t seed, int threads, const nb::object& progress) {
  const auto request = request_of<AuditRequest>(options);
  const AuditPart part = request.part;
  const AuditPlan plan = plan_of(request, Seed{seed});
  const Audit made = heard(threads, progress, [plan, part, seed](Hearing& hearing) {
    const std::vector<Part> parts = audit_parts(plan, part, Seed{seed}, work_heard_by(hearing));
    hearing.expect(total_work(parts));
    return assemble_audit(plan, part, Seed{seed}, run_heard(parts, hearing));
  });
  const bool all = part == AuditPart::all;
  return nb::make_tuple(all ? audit_table(made).text() : "", all ? audit_bound_table(made).text() : "",
                        plan.bound_draws > 0 ? bound_ratio_table(made).text() : "", refuted_bounds(made));
}

}  // namespace

void bind_sweep(nb::module_& module) {
  module.def("axes", &axis_names);
  module.def("sweep", &sweep, nb::arg("options"), nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none());
  module.def("audit", &audit, nb::arg("options"), nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace skt::python

// `socketlab certify` on arrays in memory; the certificate comes as the text of certificate.json.
#include "experiments/attend/choices.hpp"
#include "experiments/attend/variants.hpp"
#include "experiments/certify/certify_queries.hpp"
#include "python/bindings/given_problem.hpp"
#include "sim/require.hpp"

namespace skt::python {
namespace {

const Words<Pairs> kPairs = {{"exact", Pairs::exact}, {"none", Pairs::none}};

// But for tables and planes, which the hyperplanes have.
CertifyPlan plan_of(const nb::dict& options, const AttendProblem& problem) {
  CertifyPlan plan;
  const std::string budget = *option<std::string>(options, "budget");
  const std::string samples = option<std::string>(options, "samples").value_or(budget);
  plan.setting.temperature = *option<double>(options, "temperature");
  plan.setting.scaling = meant_by(kScalings, "scaling", *option<std::string>(options, "scaling"));
  plan.setting.budget = budget_of(budget, problem.num_keys());
  plan.setting.samples = budget_of(samples, problem.num_keys(), "--samples");
  plan.delta = *option<double>(options, "delta");
  plan.target = option<double>(options, "target_error");
  plan.pairs = meant_by(kPairs, "pairs", *option<std::string>(options, "pairs"));
  plan.redraws = *option<Index>(options, "redraws");
  plan.fresh_tables = *option<Index>(options, "fresh_tables");
  plan.queries = problem.num_queries();
  return plan;
}

std::string certify(const AnyArray& queries, const AnyArray& keys, const AnyArray& values,
                    const std::optional<AnyArray>& hyperplanes, const std::optional<AnyArray>& mask,
                    const nb::dict& options, std::uint64_t seed, int threads) {
  AttendProblem problem(tensors_of({queries, keys, values, hyperplanes, std::nullopt, mask}));
  CertifyPlan plan = plan_of(options, problem);
  const auto tables = option<Index>(options, "tables"), planes = option<Index>(options, "planes");
  return unlocked(threads, [&] {
    const Hyperplanes used = problem.has_hyperplanes()
                                 ? problem.hyperplanes(tables, planes)
                                 : draw_hyperplanes(Seed{seed}, 0, tables.value_or(kCertifyTables),
                                                    planes.value_or(kCertifyPlanes), problem.dim());
    plan.setting.tables = used.tables;
    plan.setting.planes = used.planes;
    check(plan);
    problem.check_elements();
    LoadedGroups groups(problem, plan);
    const RedrawsOfGroups redraws = assemble_redraws(groups, run_in_order(redraw_parts(groups, Seed{seed})));
    return certificate_json(plan, certify_queries(groups, used, Seed{seed}, redraws, [](std::uint64_t) {})).dump();
  });
}

}  // namespace

void bind_certify(nb::module_& module) {
  module.def("certify", &certify, nb::arg("queries"), nb::arg("keys"), nb::arg("values"), nb::arg("hyperplanes").none(),
             nb::arg("mask").none(), nb::arg("options"), nb::arg("seed"), nb::arg("threads"));
}

}  // namespace skt::python

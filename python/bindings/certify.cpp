// `socketlab certify` on arrays in memory; the certificate comes as the text of certificate.json.
#include <memory>

#include "experiments/attend/choices.hpp"
#include "experiments/attend/variants.hpp"
#include "experiments/certify/certify_queries.hpp"
#include "python/bindings/given_problem.hpp"
#include "python/bindings/long_call.hpp"
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

// What the caller asks for beside the plan.
struct Wanted {
  std::optional<Index> tables, planes;
  Seed seed;
};

std::string certificate_of(AttendProblem& problem, CertifyPlan plan, const Wanted& wanted, Progress& reached) {
  const Hyperplanes used = problem.has_hyperplanes()
                               ? problem.hyperplanes(wanted.tables, wanted.planes)
                               : draw_hyperplanes(wanted.seed, 0, wanted.tables.value_or(kCertifyTables),
                                                  wanted.planes.value_or(kCertifyPlanes), problem.dim());
  plan.setting.tables = used.tables;
  plan.setting.planes = used.planes;
  check(plan);
  problem.check_elements();
  LoadedGroups groups(problem, plan);
  const std::vector<Part> parts = redraw_parts(groups, wanted.seed, adding_to(reached));
  reached.expect(total_work(parts) + certify_work(groups));
  const RedrawsOfGroups redraws = assemble_redraws(groups, results_of(parts, reached));
  const auto done = [&](std::uint64_t work) {
    look_for_stop();
    reached.add(work);
  };
  return certificate_json(plan, certify_queries(groups, used, wanted.seed, redraws, done)).dump();
}

std::string certify(const AnyArray& queries, const AnyArray& keys, const AnyArray& values,
                    const std::optional<AnyArray>& hyperplanes, const std::optional<AnyArray>& mask,
                    const nb::dict& options, std::uint64_t seed, int threads, const nb::object& progress) {
  const GivenArrays given{queries, keys, values, hyperplanes, std::nullopt, mask};
  const auto problem = std::make_shared<AttendProblem>(tensors_of(given));
  const CertifyPlan plan = plan_of(options, *problem);
  const Wanted wanted{option<Index>(options, "tables"), option<Index>(options, "planes"), Seed{seed}};
  // The arrays go along: the problem reads their memory.
  return run_long(threads, progress, [given, problem, plan, wanted](Progress& reached) {
    return certificate_of(*problem, plan, wanted, reached);
  });
}

}  // namespace

void bind_certify(nb::module_& module) {
  module.def("certify", &certify, nb::arg("queries"), nb::arg("keys"), nb::arg("values"), nb::arg("hyperplanes").none(),
             nb::arg("mask").none(), nb::arg("options"), nb::arg("seed"), nb::arg("threads"),
             nb::arg("progress").none());
}

}  // namespace skt::python

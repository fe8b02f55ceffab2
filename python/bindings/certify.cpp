// `socketlab certify` on arrays in memory; the certificate comes as the text of certificate.json, with the summary.
#include <memory>

#include "experiments/certify/certify_queries.hpp"
#include "experiments/certify/certify_request.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"

namespace skt::python {
namespace {

std::pair<std::string, std::string> certificate_of(AttendProblem& problem, const CertifyRequest& request, Seed seed,
                                                   Progress& reached) {
  const TimeBudget time = time_budget(request.time_limit);
  const Hyperplanes used = problem.hyperplanes(request.tables, request.planes, seed);
  const CertifyPlan plan = request.plan_for(problem, used);
  problem.check_elements();
  LoadedGroups groups(problem, plan);
  const std::vector<Part> parts = redraw_parts(groups, seed, adding_to(reached));
  reached.expect(total_work(parts) + certify_work(groups));
  const RedrawsOfGroups redraws = assemble_redraws(groups, results_of(parts, reached));
  const auto done = [&](std::uint64_t work) { reached.step(work); };
  const std::vector<QueryCertificate> results = certify_queries(groups, used, seed, redraws, done, time);
  return {certificate_json(plan, results).dump(), summary(plan, results, time.seconds())};
}

std::pair<std::string, std::string> certify(const GivenArrays& arrays, const nb::dict& options, std::uint64_t seed,
                                            int threads, const nb::object& progress) {
  const auto problem = std::make_shared<AttendProblem>(tensors_of(arrays));
  const auto request = request_of<CertifyRequest>(options, arrays);
  // The arrays go along: the problem reads their memory.
  return run_long(threads, progress, [arrays, problem, request, seed](Progress& reached) {
    return certificate_of(*problem, request, Seed{seed}, reached);
  });
}

}  // namespace

void bind_certify(nb::module_& module) {
  define(module, "certify", &certify);
}

}  // namespace skt::python

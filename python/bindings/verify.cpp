// `socketlab verify`: the lines of verdicts.jsonl, and what stands beside them.
#include <algorithm>

#include "experiments/verify/kill_matrix.hpp"
#include "experiments/verify/verdict_table.hpp"
#include "experiments/verify/verify_fields.hpp"
#include "experiments/verify/verify_parts.hpp"
#include "proofs_check/names.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "proofs_check/statements.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"
#include "python/bindings/tables.hpp"

namespace skt::python {
namespace {

std::vector<StatementResult> verified(const RunSettings& settings, Progress& reached) {
  const std::vector<Statement> all = all_statements();
  const std::vector<Part> parts = statement_parts(all, settings);
  reached.expect(total_work(parts));
  return statement_results(all, settings, results_of(parts, reached));
}

nb::tuple verify(const nb::dict& options, std::uint64_t seed, int threads, const nb::object& progress) {
  const auto request = request_of<StatementsRequest>(options);
  const RunSettings settings{.seed = {seed},
                             .profile = named<Profile>(request.profile),
                             .fault = request.fault,
                             .only = request.only,
                             .version = SKT_VERSION,
                             .mutants = request.no_lies ? Mutants::left_out : Mutants::measured};
  const auto results =
      run_long(threads, progress, [settings](Progress& reached) { return verified(settings, reached); });
  nb::list rows;
  for (const StatementResult& result : results) rows.append(to_row(result).dump());
  return nb::make_tuple(rows, columns_of(kill_table(results)), verdict_table(results),
                        std::all_of(results.begin(), results.end(), as_expected));
}

}  // namespace

void bind_verify(nb::module_& module) {
  module.def("verify", &verify, nb::arg("options"), nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace skt::python

// `socketlab choose` on arrays in memory: the tables as columns.
#include "experiments/choose/choose_request.hpp"
#include "experiments/choose/search_rows.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"
#include "python/bindings/tables.hpp"

namespace skt::python {
namespace {

struct Chosen {
  std::string text;
  CsvTable table, differences{{}}, queries{{}};
};

Chosen chosen(const ChooseRequest& request, AttendTensors tensors, std::optional<TensorFile> scores,
              std::optional<TensorFile> calibration, Seed seed, Progress& reached) {
  AttendProblem problem(std::move(tensors), Batches::merged);
  problem.check_elements();
  const auto step = [&] {
    look_for_stop();
    reached.add(1);
  };
  if (request.search) {
    const SearchPlan plan = search_plan(request, seed);
    reached.expect(search_steps(problem, plan, request.redraws));
    const SearchResult result = searched(problem, plan, request.redraws, step);
    return {readable(result), search_table(result)};
  }
  reached.expect(static_cast<std::uint64_t>(problem.num_queries()));
  const ChoosePlan plan = choose_plan(request, problem, seed);
  ChooseInput input = choose_input(request, problem, std::move(scores), std::move(calibration));
  const std::vector<MeasuredRule> measured = measure_rules(input, plan, step);
  const Comparison comparison = compared(measured, plan.budgets, request.family_error);
  return {readable(comparison), rules_table(comparison), differences_table(comparison),
          queries_table(measured, plan.budgets)};
}

nb::tuple choose(const AnyArray& queries, const AnyArray& keys, const AnyArray& values,
                 const std::optional<AnyArray>& hyperplanes, const std::optional<AnyArray>& mask,
                 const std::optional<AnyArray>& scores, const std::optional<AnyArray>& calibration,
                 const nb::dict& options, std::uint64_t seed, int threads, const nb::object& progress) {
  const GivenArrays given{queries, keys, values, hyperplanes, std::nullopt, mask};
  auto request = request_of<ChooseRequest>(options, &given);
  if (scores) request.scores = "scores";
  AttendTensors tensors = tensors_of(given);
  tensors.mask_true = request.files.mask_true;
  tensors.causal = request.files.causal;
  const auto opened = [](const std::optional<AnyArray>& array, const char* name) {
    return array ? std::optional<TensorFile>(tensor_of(*array, name)) : std::nullopt;
  };
  // The arrays go along: the tensors read their memory.
  const auto compute = [given, scores, calibration, request, seed](AttendTensors& read, std::optional<TensorFile>& own,
                                                                   std::optional<TensorFile>& learns,
                                                                   Progress& reached) {
    return chosen(request, std::move(read), std::move(own), std::move(learns), Seed{seed}, reached);
  };
  const Chosen made = run_long(
      threads, progress,
      [compute, read = std::move(tensors), own = opened(scores, "scores"), learns = opened(calibration, "calibration")](
          Progress& reached) mutable { return compute(read, own, learns, reached); });
  return nb::make_tuple(made.text, columns_of(made.table), columns_of(made.differences), columns_of(made.queries));
}

}  // namespace

void bind_choose(nb::module_& module) {
  module.def("rankers", &rule_names);
  module.def("choose", &choose, nb::arg("queries"), nb::arg("keys"), nb::arg("values"), nb::arg("hyperplanes").none(),
             nb::arg("mask").none(), nb::arg("scores").none(), nb::arg("calibration").none(), nb::arg("options"),
             nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace skt::python

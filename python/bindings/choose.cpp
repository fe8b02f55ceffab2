// `socketlab choose` on arrays in memory: the tables as text, which Python reads as columns.
#include "experiments/choose/choose_request.hpp"
#include "experiments/choose/search_rows.hpp"
#include "python/bindings/heard.hpp"
#include "python/bindings/options.hpp"

namespace skt::python {
namespace {

struct Texts {
  std::string readable, table, differences, queries;
};

Texts chosen(const ChooseRequest& request, AttendTensors tensors, std::optional<TensorFile> scores,
             std::optional<TensorFile> calibration, Seed seed, Hearing& hearing) {
  AttendProblem problem(std::move(tensors), Batches::merged);
  problem.check_elements();
  const auto step = [&] {
    hearing.look();
    hearing.add(1);
  };
  if (request.search) {
    const SearchPlan plan = search_plan(request, seed);
    hearing.expect(search_steps(problem, plan, request.redraws));
    const SearchResult result = searched(problem, plan, request.redraws, step);
    return {readable(result), search_table(result).text(), "", ""};
  }
  hearing.expect(static_cast<std::uint64_t>(problem.num_queries()));
  const ChoosePlan plan = choose_plan(request, problem, seed);
  ChooseInput input = choose_input(request, problem, std::move(scores), std::move(calibration));
  const std::vector<MeasuredRule> measured = measure_rules(input, plan, step);
  const Comparison comparison = compared(measured, plan.budgets, request.family_error);
  return {readable(comparison), rules_table(comparison).text(), differences_table(comparison).text(),
          queries_table(measured, plan.budgets).text()};
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
                                                                   std::optional<TensorFile>& learns, Hearing& hearing) {
    return chosen(request, std::move(read), std::move(own), std::move(learns), Seed{seed}, hearing);
  };
  const Texts texts = heard(
      threads, progress,
      [compute, read = std::move(tensors), own = opened(scores, "scores"),
       learns = opened(calibration, "calibration")](Hearing& hearing) mutable { return compute(read, own, learns, hearing); });
  return nb::make_tuple(texts.readable, texts.table, texts.differences, texts.queries);
}

}  // namespace

void bind_choose(nb::module_& module) {
  module.def("rankers", &rule_names);
  module.def("choose", &choose, nb::arg("queries"), nb::arg("keys"), nb::arg("values"), nb::arg("hyperplanes").none(),
             nb::arg("mask").none(), nb::arg("scores").none(), nb::arg("calibration").none(), nb::arg("options"),
             nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace skt::python

// `socketlab choose` on arrays in memory: its text, and its tables as columns by the names of their files.
#include "experiments/choose/choose.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"
#include "python/bindings/tables.hpp"

namespace skt::python {
namespace {

nb::tuple choose(const GivenArrays& arrays, const nb::dict& options, std::uint64_t seed, int threads,
                 const nb::object& progress) {
  const auto request = request_of<ChooseRequest>(options, arrays);
  const auto problem = std::make_shared<AttendProblem>(tensors_of(arrays, request.files), Batches::merged);
  // The arrays go along: the problem reads their memory.
  const Chosen made = run_long(threads, progress, [arrays, problem, request, seed](Progress& reached) {
    problem->check_elements();
    return chosen(
        request, *problem, Seed{seed}, [&](std::uint64_t steps) { reached.expect(steps); }, [&] { reached.step(); });
  });
  nb::dict tables;
  for (const auto& [name, table] : made.tables) tables[name.c_str()] = columns_of(table);
  return nb::make_tuple(made.text, tables);
}

}  // namespace

void bind_choose(nb::module_& module) {
  module.def("rankers", &rule_names);
  define(module, "choose", &choose);
}

}  // namespace skt::python

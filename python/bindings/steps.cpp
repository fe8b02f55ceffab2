// Which decode steps does gpu-check ask for, and what must each select?
//
// Inputs are those of the grid's cases. Scores lie in the intervals of gpu/check/references/score_bounds.hpp for who
// hashes himself, with what the fp16 sums of gpu/functors/half_score.hpp add where the interface allows them. It would
// be wrong if a step of the project's own library left them: python/tests/gpu_device_test.py.
#include "gpu/check/cases/grid.hpp"
#include "gpu/check/references/score_bounds.hpp"
#include "gpu/check/references/scoring_inputs.hpp"
#include "python/bindings/allowed_keys.hpp"
#include "python/bindings/arrays.hpp"
#include "sim/require.hpp"

namespace skt::python {
namespace {

// Texts of the grid's decode steps, without those that differ from another in their pages alone, lists of kv heads, and
// sequences that are attended to whole.
std::vector<std::string> decode_cases(const std::string& grid, std::uint64_t seed, std::int64_t most_keys) {
  std::vector<std::string> texts;
  for (const gpu::CheckCase& c : gpu::grid_by_name(grid, seed)) {
    const bool is_usual = !c.paged() && !c.shares_lists() && c.dense == 0;
    if (c.operation == gpu::Operation::decode_step && is_usual && c.keys <= most_keys) texts.push_back(c.text());
  }
  return texts;
}

// The used part of a cache [kv rows, capacity, dim].
std::vector<float> used_part(const gpu::CheckCase& c, const std::vector<float>& cache) {
  std::vector<float> used;
  for (std::int64_t row = 0; row < c.kv_rows(); ++row) {
    const auto begin = cache.begin() + row * c.capacity * c.dim;
    used.insert(used.end(), begin, begin + c.keys * c.dim);
  }
  return used;
}

// Low and high [rows, keys]. The grid's decode steps have the paper's arithmetic, which cannot fail: no error leaves
// the threads.
void fill_bounds(const gpu::CheckCase& c, const gpu::Problem& problem, Matrix& low, Matrix& high) {
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    const std::vector<gpu::ScoreInterval> intervals = gpu::score_intervals(c, problem, row);
    for (std::int64_t key = 0; key < c.keys; ++key) {
      low(row, key) = intervals[key].low;
      high(row, key) = intervals[key].high;
    }
  }
}

nb::dict sizes_of(const gpu::CheckCase& c) {
  nb::dict all;
  all["text"] = c.text();
  all["dtype"] = std::string(gpu::name_of(c.type));
  all["planes"] = c.planes;
  all["budget"] = c.budget;
  all["sink"] = c.sink;
  all["window"] = c.window;
  all["temperature"] = c.temperature;
  return all;
}

// What a decode step reads, the twin's index of it, and the bounds of its scores.
nb::dict decode_case(const std::string& text, int threads) {
  const gpu::CheckCase given = gpu::CheckCase::parse(text);
  require(given.operation == gpu::Operation::decode_step && given.profile == gpu::Profile::paper,
          "case: operation={},profile={}: allowed is operation=decode-step,profile=paper",
          gpu::name_of(given.operation), gpu::name_of(given.profile));
  require(given.inputs != gpu::InputKind::huge && given.inputs != gpu::InputKind::non_finite,
          "case: inputs={}: steps are checked for finite sums only", gpu::name_of(given.inputs));
  require(!given.shares_lists() && given.dense == 0, "case: lists={},dense={}: allowed is lists=head,dense=0",
          gpu::name_of(given.lists), given.dense);
  gpu::CheckCase c = given;
  c.operation = gpu::Operation::score_packed;  // how a step scores: from half-tables, in fp16 where heads share keys
  Matrix low(c.rows(), c.keys), high(c.rows(), c.keys);
  gpu::Problem problem;
  const gpu::ScoringInputs inputs = unlocked(threads, [&] {
    problem = gpu::make_problem(c);
    fill_bounds(c, problem, low, high);
    return gpu::scoring_inputs(c, problem);
  });
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const std::vector<std::size_t> cache = {size(c.batch), size(c.kv_heads), size(c.keys), size(c.dim)};
  nb::dict all = sizes_of(given);
  all["queries"] = handed(std::move(problem.queries), {size(c.batch), size(c.heads), size(c.dim)});
  all["keys"] = handed(used_part(c, problem.keys), cache);
  all["values"] = handed(used_part(c, problem.values), cache);
  all["hyperplanes"] = handed(std::move(problem.hyperplanes), {size(c.tables), size(c.planes), size(c.dim)});
  all["allowed"] = handed(allowed_keys(c, problem), {size(c.batch), size(c.heads), size(c.keys)});
  all["codes"] = handed(std::vector(inputs.codes), {size(c.batch), size(c.kv_heads), size(c.tables), size(c.keys)});
  all["norms"] = handed(std::vector(inputs.norms), {size(c.batch), size(c.kv_heads), size(c.keys)});
  all["low"] = handed(std::move(low));
  all["high"] = handed(std::move(high));
  return all;
}

}  // namespace

void bind_steps(nb::module_& module) {
  module.def("decode_cases", &decode_cases, nb::arg("grid"), nb::arg("seed"), nb::arg("most_keys"));
  module.def("decode_case", &decode_case, nb::arg("text"), nb::arg("threads"));
}

}  // namespace skt::python

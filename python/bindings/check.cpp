// The derived bounds of gpu/check/references for arrays of the caller, and the intervals that judge a mean.
#include "estimators/soft_buckets.hpp"
#include "gpu/check/cases/grid.hpp"
#include "gpu/check/references/attention.hpp"
#include "gpu/check/references/score_bounds.hpp"
#include "gpu/functors/half_table.hpp"
#include "python/bindings/allowed_keys.hpp"
#include "python/bindings/arrays.hpp"
#include "sim/require.hpp"
#include "sim/statistics/intervals.hpp"

namespace skt::python {
namespace {

using gpu::TableEntries;
using gpu::TermSums;

// Low and high [rows, keys] of the scores over these inputs; a row of tables reads the codes of key row row / group.
nb::tuple score_bounds(const ArrayOf<float, 3>& tables, const ArrayOf<std::int16_t, 3>& codes,
                       const ArrayOf<float, 2>& norms, int planes, bool halves, bool half_sums, int threads) {
  const Index rows = size_of(tables, 0), count = size_of(tables, 1), entries = size_of(tables, 2);
  const Index key_rows = size_of(codes, 0), keys = size_of(codes, 2);
  require(planes >= 1 && planes <= 16, "planes is {}: allowed are 1 to 16", planes);
  const Index expected = halves ? gpu::half_table_entries(planes) : Index{1} << planes;
  require(entries == expected, "tables: {} entries to a table; of {} planes allowed are {}", entries, planes, expected);
  require(size_of(codes, 1) == count, "codes: {} tables; the tables of the query have {}", codes.shape(1), count);
  require(size_of(norms, 0) == key_rows && size_of(norms, 1) == keys, "norms: shape [{}, {}]; the codes have [{}, {}]",
          norms.shape(0), norms.shape(1), key_rows, keys);
  for (std::size_t i = 0; i < codes.size(); ++i)
    require(planes == 16 || (codes.data()[i] >= 0 && codes.data()[i] >> planes == 0),
            "codes: {} stands there; of {} planes allowed are 0 to {}", codes.data()[i], planes, (1 << planes) - 1);
  require(key_rows >= 1 && rows % key_rows == 0, "tables: {} rows; allowed are multiples of the {} of the codes", rows,
          key_rows);
  Matrix low(rows, keys), high(rows, keys);
  unlocked(threads, [&] {
    for (Index row = 0; row < rows; ++row) {
      const Index key_row = row / (rows / key_rows);
      std::vector<std::int16_t> of_key(count);
      for (Index key = 0; key < keys; ++key) {
        for (Index l = 0; l < count; ++l) of_key[l] = codes.data()[(key_row * count + l) * keys + key];
        const double sum = gpu::exact_score_sum(std::span(tables.data() + row * count * entries, count * entries),
                                                of_key, planes, halves ? TableEntries::halves : TableEntries::buckets);
        const gpu::ScoreInterval interval = gpu::summed_score_interval(sum, norms.data()[key_row * keys + key], count,
                                                                       half_sums ? TermSums::f16 : TermSums::f32);
        low(row, key) = interval.low;
        high(row, key) = interval.high;
      }
    }
  });
  return nb::make_tuple(handed(std::move(low)), handed(std::move(high)));
}

// Texts of the grid's cases of this operation, without pages, lists of kv heads and inputs whose sums need not be finite.
std::vector<std::string> grid_cases(const std::string& grid, const std::string& operation, std::uint64_t seed,
                                    std::int64_t most_keys) {
  std::vector<std::string> texts;
  for (const gpu::CheckCase& c : gpu::grid_by_name(grid, seed)) {
    const bool finite = c.inputs != gpu::InputKind::huge && c.inputs != gpu::InputKind::non_finite;
    const bool is_usual = finite && !c.paged() && !c.shares_lists();
    if (gpu::name_of(c.operation) == operation && is_usual && c.keys <= most_keys) texts.push_back(c.text());
  }
  return texts;
}

// What a scoring kernel reads in a case of gpu-check, its mask among it, and the bounds of its scores [rows, keys].
nb::dict scoring_case(const std::string& text) {
  const gpu::CheckCase c = gpu::CheckCase::parse(text);
  c.require_valid();
  require(c.inputs != gpu::InputKind::huge && c.inputs != gpu::InputKind::non_finite,
          "case: inputs={}: scores are checked for finite sums only", gpu::name_of(c.inputs));
  require(!c.shares_lists(), "case: lists=kv-head: allowed is head");
  Matrix low(c.rows(), c.keys), high(c.rows(), c.keys);
  std::vector<std::uint8_t> allowed;
  gpu::ScoringInputs inputs = unlocked(0, [&] {
    const gpu::Problem problem = gpu::make_problem(c);
    allowed = allowed_keys(c, problem);
    gpu::ScoringInputs made = gpu::scoring_inputs(c, problem);
    for (Index row = 0; row < c.rows(); ++row) {
      const std::vector<gpu::ScoreInterval> intervals = gpu::score_intervals(c, problem, made, row);
      for (Index key = 0; key < c.keys; ++key) {
        low(row, key) = intervals[key].low;
        high(row, key) = intervals[key].high;
      }
    }
    return made;
  });
  const bool halves = gpu::scores_packed_codes(c);
  std::vector<float>& tables = halves ? inputs.half_tables : inputs.probabilities;
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const std::size_t entries = tables.size() / size(c.rows() * c.tables);
  nb::dict all;
  all["text"] = c.text();
  all["planes"] = c.planes;
  all["halves"] = halves;
  all["tables"] = handed(std::move(tables), {size(c.rows()), size(c.tables), entries});
  all["codes"] = handed(std::move(inputs.codes), {size(c.kv_rows()), size(c.tables), size(c.keys)});
  all["norms"] = handed(std::move(inputs.norms), {size(c.kv_rows()), size(c.keys)});
  all["allowed"] = handed(std::move(allowed), {size(c.rows()), size(c.keys)});
  all["low"] = handed(std::move(low));
  all["high"] = handed(std::move(high));
  return all;
}

// Of one row: output, its tolerance, log-sum-exp and its tolerance.
nb::tuple attention_bounds(const Numbers& query, const Rows& keys, const Rows& values, Index longest_list) {
  const gpu::AttentionReference reference = unlocked(0, [&] {
    return gpu::attention_reference({seen(query), seen(keys), seen(values)},
                                    scaling_factor(Scaling::inverse_sqrt_dim, size_of(keys, 1)), longest_list,
                                    gpu::fp32_units(size_of(keys, 1)));
  });
  return nb::make_tuple(handed(reference.output), handed(reference.tolerance), reference.log_sum_exp,
                        reference.log_tolerance);
}

std::pair<double, double> mean_interval(std::uint64_t count, double mean, double deviation, std::optional<double> range,
                                        double error) {
  const SampleSummary samples{count, mean, deviation * deviation};
  const Interval interval = range ? empirical_bernstein(samples, *range, error) : student(samples, error);
  return {interval.lo, interval.hi};
}

}  // namespace

void bind_check(nb::module_& module) {
  module.def("score_bounds", &score_bounds, nb::arg("tables"), nb::arg("codes"), nb::arg("norms"), nb::arg("planes"),
             nb::arg("halves"), nb::arg("half_sums"), nb::arg("threads"));
  module.def("grid_cases", &grid_cases, nb::arg("grid"), nb::arg("operation"), nb::arg("seed"), nb::arg("most_keys"));
  module.def("scoring_case", &scoring_case, nb::arg("text"));
  module.def("attention_bounds", &attention_bounds, nb::arg("query"), nb::arg("keys"), nb::arg("values"),
             nb::arg("longest_list"));
  module.def("mean_interval", &mean_interval, nb::arg("count"), nb::arg("mean"), nb::arg("deviation"),
             nb::arg("range").none(), nb::arg("error"));
}

}  // namespace skt::python

#include "gpu/bench/inputs.hpp"

#include "gpu/bench/bench_kernels.hpp"

namespace skt::gpu {
namespace {

constexpr float kQueryDeviation = 3;

const Library& library() {
  static const Library own = built_in_library();
  return own;
}

}  // namespace

CheckCase case_of(const BenchShape& shape) {
  CheckCase c;
  c.batch = shape.batch;
  c.heads = shape.heads;
  c.kv_heads = shape.kv_heads;
  c.keys = shape.keys;
  c.fit_capacity();
  c.dim = 128;
  c.tables = shape.tables;
  c.planes = shape.planes;
  c.budget = shape.keys / shape.sparsity;
  c.sink = shape.sink;
  c.window = shape.window;
  return c;
}

InputSet::InputSet(const CheckCase& of, const float* hyperplanes, std::uint64_t seed)
    : c(of),
      problem(c),
      index(c),
      stages(c),
      probabilities((c.rows() * c.tables << c.planes) * element_bytes(SKT_F32)),
      replica_scores(stages.scores.size()),
      workspace(decode_step_workspace(library(), c)),
      places(places_of(problem, index)),
      half_tables(half_table_arguments(c, problem, stages.halves)),
      score_buckets(score_buckets_arguments(c, problem, index, probabilities, replica_scores)),
      score_packed(score_packed_arguments(c, problem, index, stages.halves, stages.scores.data())),
      select(select_arguments(c, stages.scores.data(), stages.selected, stages.counts)),
      attention(attention_arguments(c, problem, stages.selected, stages.counts)),
      step(decode_arguments(c, problem, index, workspace, stages.output)) {
  const std::int64_t rows = c.kv_rows() * c.capacity;
  fill_normal_bf16(problem.queries.data(), c.rows() * c.dim, kQueryDeviation, 3 * seed, nullptr);
  fill_normal_bf16(problem.keys.data(), rows * c.dim, 1, 3 * seed + 1, nullptr);
  fill_normal_bf16(problem.values.data(), rows * c.dim, 1, 3 * seed + 2, nullptr);
  places.hyperplanes = half_tables.hyperplanes = step.hyperplanes = hyperplanes;
  buckets = half_tables;
  buckets.probabilities = probabilities.data();
  buckets.form = SKT_BUCKETS;
  attention.output = stages.output.data();
  attention.workspace = workspace.data();
  attention.workspace_bytes = workspace.size();
  write_index(library(), c, IndexCall::hash_keys, places, {.count = c.keys});
  build_index({.count = c.keys}, nullptr);
}

void InputSet::build_index(const skt_written& asked, cudaStream_t stream) {
  write_index(library(), c, IndexCall::build_index, places, asked, stream);
}

CachedBytes::CachedBytes(const InputSet& set, const float* scales)
    : keys(set.problem.keys.size() / 2), values(keys.size()), attention(set.attention), step(set.step) {
  cast_to_e4m3(keys.data(), set.problem.keys.data(), keys.size(), kBenchScale, nullptr);
  cast_to_e4m3(values.data(), set.problem.values.data(), values.size(), kBenchScale, nullptr);
  attention.cache = step.cache = {.keys = keys.data(),
                                  .values = values.data(),
                                  .cache_form = SKT_CACHE_E4M3,
                                  .key_scales = scales,
                                  .value_scales = scales};
}

}  // namespace skt::gpu

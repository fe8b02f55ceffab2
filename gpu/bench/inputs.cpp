#include "gpu/bench/inputs.hpp"

#include <cmath>

#include "gpu/bench/bench_kernels.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr float kTemperature = 0.5f;
constexpr float kQueryDeviation = 3;

skt_shape shape_of(const BenchShape& s, const Sizes& z) {
  return {.batch = s.batch,
          .heads = s.heads,
          .kv_heads = s.kv_heads,
          .query_rows = 1,
          .capacity = z.capacity,
          .dim = kBenchDim,
          .tables = s.tables,
          .planes = s.planes};
}

skt_decode_step_args sizes_of_step(const BenchShape& s, const Sizes& z) {
  const auto scale = static_cast<float>(1 / std::sqrt(real(kBenchDim)));
  return {.shape = shape_of(s, z),
          .sequences = {.used = s.keys},
          .list = {.budget = z.budget, .sink = s.sink, .window = s.window},
          .scale = scale,
          .temperature = kTemperature,
          .logit_scale = scale,
          .type = SKT_BF16};
}

std::int64_t step_workspace(const BenchShape& s, const Sizes& z) {
  const skt_decode_step_args step = sizes_of_step(s, z);
  std::int64_t bytes = 0;
  skt_error error = {};
  require(skt_decode_step_workspace_bytes(&step, &bytes, &error), error);
  return bytes;
}

}  // namespace

InputSet::InputSet(const BenchShape& shape, const Sizes& sizes, const float* hyperplanes, std::uint64_t seed)
    : queries(sizes.rows * kBenchDim),
      keys(sizes.kv_rows * sizes.capacity * kBenchDim),
      values(sizes.kv_rows * sizes.capacity * kBenchDim),
      codes(sizes.kv_rows * shape.tables * sizes.capacity),
      packed(sizes.code_bytes / 4),
      norms(sizes.kv_rows * sizes.capacity),
      halves(sizes.rows * shape.tables * sizes.entries),
      probabilities(sizes.rows * shape.tables << shape.planes),
      scores(sizes.rows * sizes.capacity),
      replica_scores(sizes.rows * sizes.capacity),
      output(sizes.rows * kBenchDim),
      selected(sizes.rows * sizes.list),
      counts(sizes.rows),
      workspace(step_workspace(shape, sizes)) {
  fill_normal_bf16(queries.data(), queries.size(), kQueryDeviation, 3 * seed, nullptr);
  fill_normal_bf16(keys.data(), keys.size(), 1, 3 * seed + 1, nullptr);
  fill_normal_bf16(values.data(), values.size(), 1, 3 * seed + 2, nullptr);
  step = sizes_of_step(shape, sizes);
  step.queries = queries.data();
  step.cache = {.keys = keys.data(), .values = values.data()};
  step.hyperplanes = hyperplanes;
  step.packed = packed.data();
  step.norms = norms.data();
  step.output = output.data();
  step.workspace = workspace.data();
  step.workspace_bytes = workspace.size();
  call(skt_hash_keys,
       {.keys = keys.data(),
        .hyperplanes = hyperplanes,
        .codes = codes.data(),
        .shape = step.shape,
        .written = {.count = shape.keys},
        .key_type = SKT_BF16},
       nullptr);
  index = {.keys = keys.data(),
           .hyperplanes = hyperplanes,
           .packed = packed.data(),
           .values = values.data(),
           .norms = norms.data(),
           .shape = step.shape,
           .written = {.count = shape.keys},
           .type = SKT_BF16};
  call(skt_build_index, index, nullptr);
  append = index;
  append.written = {.first = shape.keys - 1, .count = 1};
  half_tables = {.queries = queries.data(),
                 .hyperplanes = hyperplanes,
                 .probabilities = halves.data(),
                 .shape = step.shape,
                 .scale = step.scale,
                 .temperature = kTemperature,
                 .query_type = SKT_BF16,
                 .form = SKT_HALF_TABLES};
  buckets = half_tables;
  buckets.probabilities = probabilities.data();
  buckets.form = SKT_BUCKETS;
  score_buckets = {.probabilities = probabilities.data(),
                   .codes = codes.data(),
                   .norms = norms.data(),
                   .scores = replica_scores.data(),
                   .shape = step.shape,
                   .used = shape.keys,
                   .norm_type = SKT_F16};
  score_packed = {.half_tables = halves.data(),
                  .packed = packed.data(),
                  .norms = norms.data(),
                  .scores = scores.data(),
                  .shape = step.shape,
                  .sequences = step.sequences};
  select = {.scores = scores.data(),
            .selected = selected.data(),
            .counts = counts.data(),
            .shape = step.shape,
            .sequences = step.sequences,
            .list = step.list};
  attention = {.queries = queries.data(),
               .cache = step.cache,
               .selected = selected.data(),
               .counts = counts.data(),
               .output = output.data(),
               .workspace = workspace.data(),
               .workspace_bytes = workspace.size(),
               .shape = step.shape,
               .list = sizes.list,
               .logit_scale = step.scale,
               .type = SKT_BF16};
}

CachedBytes::CachedBytes(const InputSet& set, const float* scales)
    : keys(set.keys.size()), values(set.values.size()), attention(set.attention), step(set.step) {
  cast_to_e4m3(keys.data(), set.keys.data(), keys.size(), kBenchScale, nullptr);
  cast_to_e4m3(values.data(), set.values.data(), values.size(), kBenchScale, nullptr);
  attention.cache = step.cache = {.keys = keys.data(),
                                  .values = values.data(),
                                  .cache_form = SKT_CACHE_E4M3,
                                  .key_scales = scales,
                                  .value_scales = scales};
}

}  // namespace skt::gpu

#include "gpu/bench/inputs.hpp"

#include <cmath>

#include "gpu/bench/bench_kernels.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr float kTemperature = 0.5f;
constexpr float kQueryDeviation = 3;

skt_decode_step_args sizes_of_step(const BenchShape& s, const Sizes& z) {
  skt_decode_step_args step = {};
  step.batch = s.batch;
  step.heads = s.heads;
  step.kv_heads = s.kv_heads;
  step.capacity = z.capacity;
  step.used = s.keys;
  step.dim = kBenchDim;
  step.tables = s.tables;
  step.planes = s.planes;
  step.budget = z.budget;
  step.sink = s.sink;
  step.window = s.window;
  step.scale = static_cast<float>(1 / std::sqrt(real(kBenchDim)));
  step.temperature = kTemperature;
  step.logit_scale = step.scale;
  step.type = SKT_BF16;
  return step;
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
  call(skt_hash_keys,
       {keys.data(), hyperplanes, codes.data(), shape.batch, shape.kv_heads, sizes.capacity, 0, shape.keys, kBenchDim,
        shape.tables, shape.planes, SKT_BF16, nullptr},
       nullptr);
  index = {keys.data(),
           hyperplanes,
           packed.data(),
           values.data(),
           norms.data(),
           shape.batch,
           shape.kv_heads,
           sizes.capacity,
           0,
           shape.keys,
           kBenchDim,
           shape.tables,
           shape.planes,
           SKT_BF16,
           nullptr,
           nullptr,
           0,
           0,
           0,
           0,
           0,
           0};
  call(skt_build_index, index, nullptr);
  append = index;
  append.first = shape.keys - 1;
  append.count = 1;
  step = sizes_of_step(shape, sizes);
  step.queries = queries.data();
  step.keys = keys.data();
  step.values = values.data();
  step.hyperplanes = hyperplanes;
  step.packed = packed.data();
  step.norms = norms.data();
  step.output = output.data();
  step.workspace = workspace.data();
  step.workspace_bytes = workspace.size();
  half_tables = {queries.data(), hyperplanes,     halves.data(), shape.batch, shape.heads,
                 kBenchDim,      shape.tables,    shape.planes,  step.scale,  kTemperature,
                 SKT_BF16,       SKT_HALF_TABLES, SKT_F32,       nullptr,     nullptr};
  buckets = half_tables;
  buckets.probabilities = probabilities.data();
  buckets.form = SKT_BUCKETS;
  score_buckets = {probabilities.data(),
                   codes.data(),
                   norms.data(),
                   nullptr,
                   replica_scores.data(),
                   nullptr,
                   shape.batch,
                   shape.heads,
                   shape.kv_heads,
                   sizes.capacity,
                   shape.keys,
                   shape.tables,
                   shape.planes,
                   0,
                   SKT_F32,
                   SKT_F16};
  score_packed = {halves.data(),
                  packed.data(),
                  norms.data(),
                  nullptr,
                  scores.data(),
                  shape.batch,
                  shape.heads,
                  shape.kv_heads,
                  sizes.capacity,
                  shape.keys,
                  shape.tables,
                  shape.planes,
                  0,
                  SKT_SOFT_COLLISION,
                  nullptr,
                  nullptr,
                  0,
                  0,
                  0,
                  0,
                  nullptr,
                  0,
                  0,
                  0,
                  0,
                  SKT_F32};
  select = {scores.data(),
            selected.data(),
            counts.data(),
            sizes.rows,
            sizes.capacity,
            shape.keys,
            sizes.budget,
            shape.sink,
            shape.window,
            nullptr,
            0,
            0,
            0,
            SKT_F32};
  attention = {queries.data(),
               keys.data(),
               values.data(),
               selected.data(),
               counts.data(),
               output.data(),
               nullptr,
               workspace.data(),
               workspace.size(),
               shape.batch,
               shape.heads,
               shape.kv_heads,
               sizes.capacity,
               kBenchDim,
               sizes.list,
               step.scale,
               SKT_BF16,
               nullptr,
               0,
               0,
               0,
               0,
               0,
               0,
               SKT_CACHE_OF_TYPE,
               nullptr,
               nullptr,
               nullptr,
               0};
}

CachedBytes::CachedBytes(const InputSet& set, const float* scales)
    : keys(set.keys.size()), values(set.values.size()), attention(set.attention), step(set.step) {
  cast_to_e4m3(keys.data(), set.keys.data(), keys.size(), kBenchScale, nullptr);
  cast_to_e4m3(values.data(), set.values.data(), values.size(), kBenchScale, nullptr);
  const auto take = [&](auto& args) {
    args.keys = keys.data();
    args.values = values.data();
    args.cache_form = SKT_CACHE_E4M3;
    args.key_scales = args.value_scales = scales;
  };
  take(attention);
  take(step);
}

}  // namespace skt::gpu

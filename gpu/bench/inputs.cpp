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

InputSet::InputSet(const BenchShape& s, const Sizes& z, const float* hyperplanes, std::uint64_t seed)
    : queries(z.rows * kBenchDim),
      keys(z.kv_rows * z.capacity * kBenchDim),
      values(z.kv_rows * z.capacity * kBenchDim),
      codes(z.kv_rows * s.tables * z.capacity),
      packed(z.code_bytes / 4),
      norms(z.kv_rows * z.capacity),
      halves(z.rows * s.tables * z.entries),
      probabilities(z.rows * s.tables << s.planes),
      scores(z.rows * z.capacity),
      replica_scores(z.rows * z.capacity),
      output(z.rows * kBenchDim),
      selected(z.rows * z.list),
      counts(z.rows),
      workspace(step_workspace(s, z)) {
  fill_normal_bf16(queries.data(), queries.size(), kQueryDeviation, 3 * seed, nullptr);
  fill_normal_bf16(keys.data(), keys.size(), 1, 3 * seed + 1, nullptr);
  fill_normal_bf16(values.data(), values.size(), 1, 3 * seed + 2, nullptr);
  call(skt_hash_keys,
       {keys.data(), hyperplanes, codes.data(), s.batch, s.kv_heads, z.capacity, 0, s.keys, kBenchDim, s.tables,
        s.planes, SKT_BF16},
       nullptr);
  index = {keys.data(), hyperplanes, packed.data(), values.data(), norms.data(), s.batch,  s.kv_heads,
           z.capacity,  0,           s.keys,        kBenchDim,     s.tables,     s.planes, SKT_BF16};
  call(skt_build_index, index, nullptr);
  append = index;
  append.first = s.keys - 1;
  append.count = 1;
  step = sizes_of_step(s, z);
  step.queries = queries.data();
  step.keys = keys.data();
  step.values = values.data();
  step.hyperplanes = hyperplanes;
  step.packed = packed.data();
  step.norms = norms.data();
  step.output = output.data();
  step.workspace = workspace.data();
  step.workspace_bytes = workspace.size();
  half_tables = {queries.data(), hyperplanes, halves.data(), s.batch,  s.heads,         kBenchDim, s.tables,
                 s.planes,       step.scale,  kTemperature,  SKT_BF16, SKT_HALF_TABLES, SKT_F32,   nullptr};
  buckets = half_tables;
  buckets.probabilities = probabilities.data();
  buckets.form = SKT_BUCKETS;
  score_buckets = {probabilities.data(),
                   codes.data(),
                   norms.data(),
                   nullptr,
                   replica_scores.data(),
                   nullptr,
                   s.batch,
                   s.heads,
                   s.kv_heads,
                   z.capacity,
                   s.keys,
                   s.tables,
                   s.planes,
                   0,
                   SKT_F32,
                   SKT_F16};
  score_packed = {halves.data(), packed.data(), norms.data(), nullptr,  scores.data(), s.batch, s.heads,
                  s.kv_heads,    z.capacity,    s.keys,       s.tables, s.planes,      0,       SKT_SOFT_COLLISION};
  select = {scores.data(), selected.data(), counts.data(), z.rows, z.capacity, s.keys, z.budget, s.sink, s.window};
  attention = {queries.data(),
               keys.data(),
               values.data(),
               selected.data(),
               counts.data(),
               output.data(),
               nullptr,
               workspace.data(),
               workspace.size(),
               s.batch,
               s.heads,
               s.kv_heads,
               z.capacity,
               kBenchDim,
               z.list,
               step.scale,
               SKT_BF16,
               nullptr,
               0,
               0,
               0,
               0,
               0,
               0};
}

}  // namespace skt::gpu

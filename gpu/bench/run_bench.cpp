// Inputs: Gaussian keys, values and hyperplanes; Gaussian queries of deviation 3, so that logits have
// deviation 3 and attention goes to few keys. Several sets of everything that a step reads, together several
// times the L2, so that no stage finds its inputs there unless the stage before left them. Scores timed by
// themselves are written to one place by all sets, as the layers of a model share a workspace, and for them
// and the step L2 keeps up to 24 MB of scores. The floor counts each input and output byte once, at the
// bandwidth of a device-to-device copy timed the same way; the keys and values of a list once for each query
// head, for heads that share a kv head have lists of their own.
#include "gpu/bench/run_bench.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "gpu/bench/against_dense.hpp"
#include "gpu/bench/bench_kernels.hpp"
#include "gpu/bench/timed_graph.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr std::int64_t kDim = 128;
constexpr float kTemperature = 0.5f;
constexpr float kQueryDeviation = 3;
// Of codes in all sets together: the L2 of an H200 has 60 MB. Fewer only where 64 sets have less.
constexpr std::int64_t kPastCacheBytes = 256 << 20;
constexpr std::int64_t kMostSets = 64;
constexpr std::int64_t kMostKeptBytes = 24 << 20;  // 37 of 60 MB slowed everything else by up to a fifth
constexpr std::int64_t kCopiedBytes = 1 << 30;     // of which the launch is no part

template <class Arguments>
void call(int (*operation)(const Arguments*, cudaStream_t, skt_error*), const Arguments& arguments,
          cudaStream_t stream) {
  skt_error error = {};
  require(operation(&arguments, stream, &error), error);
}

struct Sizes {
  explicit Sizes(const BenchShape& s)
      : capacity((s.keys + kTileKeys - 1) / kTileKeys * kTileKeys),
        rows(s.batch * s.heads),
        kv_rows(s.batch * s.kv_heads),
        words(words_per_key(s.tables, s.planes)),
        entries(half_table_entries(static_cast<int>(s.planes))),
        budget(s.keys / s.sparsity),
        list(s.sink + budget + s.window),
        code_bytes(kv_rows * capacity * words * 4) {}

  std::int64_t capacity, rows, kv_rows, words, entries, budget, list, code_bytes;
};

// Everything one step reads, and room for what each stage writes.
struct InputSet {
  InputSet(const BenchShape& shape, const Sizes& sizes, const float* hyperplanes, std::uint64_t seed);

  DeviceArray<std::uint16_t> queries, keys, values;  // bf16 bits
  DeviceArray<std::int16_t> codes;
  DeviceArray<std::uint32_t> packed;
  DeviceArray<std::uint16_t> norms;
  DeviceArray<float> halves, probabilities, scores, replica_scores, output;
  DeviceArray<std::int32_t> selected, counts;
  DeviceArray<std::byte> workspace;

  skt_build_index_args index = {}, append = {};
  skt_soft_buckets_args buckets = {}, half_tables = {};
  skt_score_buckets_args score_buckets = {};
  skt_score_packed_args score_packed = {};
  skt_select_keys_args select = {};
  skt_sparse_attention_args attention = {};
  skt_decode_step_args step = {};
};

skt_decode_step_args sizes_of_step(const BenchShape& s, const Sizes& z) {
  skt_decode_step_args step = {};
  step.batch = s.batch;
  step.heads = s.heads;
  step.kv_heads = s.kv_heads;
  step.capacity = z.capacity;
  step.used = s.keys;
  step.dim = kDim;
  step.tables = s.tables;
  step.planes = s.planes;
  step.budget = z.budget;
  step.sink = s.sink;
  step.window = s.window;
  step.scale = static_cast<float>(1 / std::sqrt(real(kDim)));
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

InputSet::InputSet(const BenchShape& s, const Sizes& z, const float* hyperplanes, std::uint64_t seed)
    : queries(z.rows * kDim),
      keys(z.kv_rows * z.capacity * kDim),
      values(z.kv_rows * z.capacity * kDim),
      codes(z.kv_rows * s.tables * z.capacity),
      packed(z.code_bytes / 4),
      norms(z.kv_rows * z.capacity),
      halves(z.rows * s.tables * z.entries),
      probabilities(z.rows * s.tables << s.planes),
      scores(z.rows * z.capacity),
      replica_scores(z.rows * z.capacity),
      output(z.rows * kDim),
      selected(z.rows * z.list),
      counts(z.rows),
      workspace(step_workspace(s, z)) {
  fill_normal_bf16(queries.data(), queries.size(), kQueryDeviation, 3 * seed, nullptr);
  fill_normal_bf16(keys.data(), keys.size(), 1, 3 * seed + 1, nullptr);
  fill_normal_bf16(values.data(), values.size(), 1, 3 * seed + 2, nullptr);
  call(skt_hash_keys,
       {keys.data(), hyperplanes, codes.data(), s.batch, s.kv_heads, z.capacity, 0, s.keys, kDim, s.tables, s.planes,
        SKT_BF16},
       nullptr);
  index = {keys.data(), hyperplanes, packed.data(), values.data(), norms.data(), s.batch,  s.kv_heads,
           z.capacity,  0,           s.keys,        kDim,          s.tables,     s.planes, SKT_BF16};
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
  half_tables = {queries.data(), hyperplanes, halves.data(), s.batch,  s.heads,         kDim,    s.tables,
                 s.planes,       step.scale,  kTemperature,  SKT_BF16, SKT_HALF_TABLES, SKT_F32, nullptr};
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
               kDim,
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

class Bench {
 public:
  Bench(const BenchShape& shape, std::uint64_t seed)
      : shape_(shape), sizes_(shape), hyperplanes_(shape.tables * shape.planes * kDim), sink_(4) {
    fill_normal_f32(hyperplanes_.data(), hyperplanes_.size(), seed, nullptr);
    const std::int64_t wanted = kPastCacheBytes / sizes_.code_bytes + 2;
    for (std::int64_t set = 0; set < std::min(wanted, kMostSets); ++set) {
      sets_.push_back(std::make_unique<InputSet>(shape, sizes_, hyperplanes_.data(), seed + 1 + std::uint64_t(set)));
    }
    require(cudaDeviceSynchronize(), "inputs");
  }

  std::vector<BenchRow> run() {
    const Sizes& z = sizes_;
    const std::int64_t keys = shape_.keys;
    const std::int64_t hyperplane_bytes = shape_.tables * shape_.planes * kDim * 4;
    const std::int64_t score_bytes = z.rows * keys * 4;
    const std::int64_t packed_bytes = z.kv_rows * keys * (4 * z.words + 2);
    const std::int64_t gather_bytes = z.rows * z.list * kDim * 2 * 2;
    const std::int64_t index_bytes = z.kv_rows * (4 * z.words + 2 + 2 * 2 * kDim);  // of one key of each row
    copy();
    stage("read-codes", z.code_bytes,
          [&](InputSet& in, cudaStream_t stream) { read_only(in.packed.data(), z.code_bytes, sink_.data(), stream); });
    stage("half-tables", hyperplane_bytes + z.rows * shape_.tables * z.entries * 4,
          [](InputSet& in, cudaStream_t stream) { call(skt_soft_buckets, in.half_tables, stream); });
    const std::int64_t scores_kept = z.rows * z.capacity * 4;
    keep_in_cache(scores_kept);
    stage("score-packed", packed_bytes + score_bytes, [&](InputSet& in, cudaStream_t stream) {
      skt_score_packed_args to_one_place = in.score_packed;
      to_one_place.scores = sets_[0]->scores.data();
      call(skt_score_packed, to_one_place, stream);
    });
    // The selection wants every set's own scores.
    for (const auto& set : sets_) call(skt_score_packed, set->score_packed, nullptr);
    keep_in_cache(0);
    stage("select-keys", score_bytes + z.rows * z.list * 4,
          [](InputSet& in, cudaStream_t stream) { call(skt_select_keys, in.select, stream); });
    stage("sparse-attention", gather_bytes,
          [](InputSet& in, cudaStream_t stream) { call(skt_sparse_attention, in.attention, stream); });
    keep_in_cache(scores_kept);
    stage("decode-step", packed_bytes + gather_bytes + hyperplane_bytes,
          [](InputSet& in, cudaStream_t stream) { call(skt_decode_step, in.step, stream); });
    keep_in_cache(0);
    const Accuracy accuracy = against_dense(sets_[0]->step, sets_[0]->attention);
    rows_.back().output_error = accuracy.output_error;
    rows_.back().softmax_mass = accuracy.softmax_mass;
    stage("replica-buckets", hyperplane_bytes + (z.rows * shape_.tables * 4 << shape_.planes),
          [](InputSet& in, cudaStream_t stream) { call(skt_soft_buckets, in.buckets, stream); });
    stage("replica-score", z.kv_rows * keys * (2 * shape_.tables + 2) + score_bytes,
          [](InputSet& in, cudaStream_t stream) { call(skt_score_buckets, in.score_buckets, stream); });
    // Last: it loads the tensor cores for a second at the longest caches, and the clock falls.
    stage("build-index", keys * index_bytes + hyperplane_bytes,
          [](InputSet& in, cudaStream_t stream) { call(skt_build_index, in.index, stream); });
    stage("append-token", index_bytes + hyperplane_bytes,
          [](InputSet& in, cudaStream_t stream) { call(skt_build_index, in.append, stream); });
    return rows_;
  }

 private:
  // From here on L2 keeps that many bytes of scores (skt_score_packed in gpu/socketlab_gpu.h), and none that
  // it kept before; 0: none.
  static void keep_in_cache(std::int64_t bytes) {
    int device = 0;
    int most = 0;
    require(cudaGetDevice(&device), "device");
    require(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, device), "L2 that persists");
    if (most == 0) return;
    const std::int64_t kept = std::min({bytes, kMostKeptBytes, std::int64_t{most}});
    require(cudaDeviceSynchronize(), "what is written before");
    require(cudaCtxResetPersistingL2Cache(), "L2 that persists");
    require(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<std::size_t>(kept)), "L2 that persists");
  }

  void copy() {
    DeviceArray<std::byte> source(kCopiedBytes);
    DeviceArray<std::byte> target(kCopiedBytes);
    add("device-copy", 2 * kCopiedBytes, timed_graph(1, [&](int, cudaStream_t stream) {
          copy_only(target.data(), source.data(), kCopiedBytes, stream);
        }));
  }

  template <class Launch>
  void stage(const char* name, std::int64_t floor_bytes, Launch&& launch) {
    add(name, floor_bytes, timed_graph(static_cast<int>(sets_.size()), [&](int set, cudaStream_t stream) {
          launch(*sets_[set], stream);
        }));
  }

  void add(const char* name, std::int64_t floor_bytes, const std::vector<double>& times) {
    BenchRow row;
    row.shape = shape_;
    row.stage = name;
    row.median_us = times[times.size() / 2];
    row.fastest_us = times.front();
    row.slowest_us = times.back();
    row.repetitions = static_cast<int>(times.size());
    row.floor_bytes = floor_bytes;
    if (rows_.empty()) bytes_per_us_ = real(floor_bytes) / row.median_us;  // the copy comes first
    row.floor_us = real(floor_bytes) / bytes_per_us_;
    rows_.push_back(row);
  }

  BenchShape shape_;
  Sizes sizes_;
  DeviceArray<float> hyperplanes_;
  DeviceArray<std::uint32_t> sink_;
  std::vector<std::unique_ptr<InputSet>> sets_;
  std::vector<BenchRow> rows_;
  double bytes_per_us_ = 0;
};

}  // namespace

std::vector<BenchRow> run_bench(const BenchShape& shape, std::uint64_t seed) {
  return Bench(shape, seed).run();
}

}  // namespace skt::gpu

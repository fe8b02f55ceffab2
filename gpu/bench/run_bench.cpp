// Several sets of everything that a step reads, together several times the L2, so that no stage finds its inputs there
// unless the stage before left them. Scores timed by themselves are written to one place by all sets, as the layers of
// a model share a workspace, and for them and the step L2 keeps up to 24 MB of scores. The floor counts each input and
// output byte once, at the bandwidth of a device-to-device copy timed the same way; the keys and values of a list once
// for each query head, for heads that share a kv head have lists of their own.
#include "gpu/bench/run_bench.hpp"

#include <algorithm>
#include <memory>

#include "gpu/bench/against_dense.hpp"
#include "gpu/bench/bench_kernels.hpp"
#include "gpu/bench/inputs.hpp"
#include "gpu/bench/timed_graph.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

// Of codes in all sets together: the L2 of an H200 has 60 MB. Fewer only where 64 sets have less.
constexpr std::int64_t kPastCacheBytes = 256 << 20;
constexpr std::int64_t kMostSets = 64;
constexpr std::int64_t kMostKeptBytes = 24 << 20;  // 37 of 60 MB slowed everything else by up to a fifth
constexpr std::int64_t kCopiedBytes = 1 << 30;     // of which the launch is no part

class Bench {
 public:
  Bench(const BenchShape& shape, std::uint64_t seed)
      : shape_(shape), c_(case_of(shape)), hyperplanes_(shape.tables * shape.planes * c_.dim), sink_(4) {
    fill_normal_f32(hyperplanes_.data(), hyperplanes_.size(), seed, nullptr);
    const std::int64_t wanted = kPastCacheBytes / code_bytes() + 2;
    for (std::int64_t set = 0; set < std::min(wanted, kMostSets); ++set) {
      sets_.push_back(std::make_unique<InputSet>(c_, hyperplanes_.data(), seed + 1 + set));
    }
    require(cudaDeviceSynchronize(), "inputs");
  }

  std::vector<BenchRow> run() {
    const std::int64_t keys = c_.keys, rows = c_.rows();
    const std::int64_t hyperplane_bytes = c_.tables * c_.planes * c_.dim * 4;
    const std::int64_t score_bytes = rows * keys * 4;
    const std::int64_t packed_bytes = c_.kv_rows() * keys * (4 * words() + 2);
    const std::int64_t gather_bytes = rows * c_.list() * c_.dim * 2 * 2;
    const std::int64_t index_bytes = c_.kv_rows() * (4 * words() + 2 + 2 * 2 * c_.dim);  // of one key of each row
    copy();
    stage("read-codes", code_bytes(), [&](InputSet& in, cudaStream_t stream) {
      read_only(in.index.packed.data(), code_bytes(), sink_.data(), stream);
    });
    stage("half-tables", hyperplane_bytes + half_table_floats(c_) * 4,
          [](InputSet& in, cudaStream_t stream) { call(skt_soft_buckets, in.half_tables, stream); });
    const std::int64_t scores_kept = rows * c_.capacity * 4;
    keep_in_cache(scores_kept);
    stage("score-packed", packed_bytes + score_bytes, [&](InputSet& in, cudaStream_t stream) {
      skt_score_packed_args to_one_place = in.score_packed;
      to_one_place.scores = sets_[0]->stages.scores.data();
      call(skt_score_packed, to_one_place, stream);
    });
    // The selection wants every set's own scores.
    for (const auto& set : sets_) call(skt_score_packed, set->score_packed, nullptr);
    keep_in_cache(0);
    stage("select-keys", score_bytes + rows * c_.list() * 4,
          [](InputSet& in, cudaStream_t stream) { call(skt_select_keys, in.select, stream); });
    stage("sparse-attention", gather_bytes,
          [](InputSet& in, cudaStream_t stream) { call(skt_sparse_attention, in.attention, stream); });
    keep_in_cache(scores_kept);
    stage("decode-step", packed_bytes + gather_bytes + hyperplane_bytes,
          [](InputSet& in, cudaStream_t stream) { call(skt_decode_step, in.step, stream); });
    keep_in_cache(0);
    judge_last(sets_[0]->step);
    keep_in_cache(scores_kept);
    // The same step where the device alone knows the length, of all sequences the same.
    const DeviceArray<std::int32_t> lengths(std::vector<std::int32_t>(shape_.batch, static_cast<std::int32_t>(keys)));
    stage("decode-step-lengths", packed_bytes + gather_bytes + hyperplane_bytes,
          [&](InputSet& in, cudaStream_t stream) {
            skt_decode_step_args step = in.step;
            step.sequences.lengths = lengths.data();
            call(skt_decode_step, step, stream);
          });
    keep_in_cache(0);
    over_bytes(packed_bytes + hyperplane_bytes, gather_bytes / 2, scores_kept);
    stage("replica-buckets", hyperplane_bytes + (rows * c_.tables * 4 << c_.planes),
          [](InputSet& in, cudaStream_t stream) { call(skt_soft_buckets, in.buckets, stream); });
    stage("replica-score", c_.kv_rows() * keys * (2 * c_.tables + 2) + score_bytes,
          [](InputSet& in, cudaStream_t stream) { call(skt_score_buckets, in.score_buckets, stream); });
    // Last: it loads the tensor cores for a second at the longest caches, and the clock falls.
    stage("build-index", keys * index_bytes + hyperplane_bytes,
          [&](InputSet& in, cudaStream_t stream) { in.build_index({.count = keys}, stream); });
    stage("append-token", index_bytes + hyperplane_bytes,
          [&](InputSet& in, cudaStream_t stream) { in.build_index({.first = keys - 1, .count = 1}, stream); });
    return rows_;
  }

 private:
  std::int64_t words() const { return words_per_key(c_.tables, c_.planes); }
  std::int64_t code_bytes() const { return c_.kv_rows() * c_.capacity * words() * 4; }

  // From here on L2 keeps that many bytes of scores (skt_score_packed in gpu/socketlab_gpu.h), and none that it kept
  // before; 0: none.
  static void keep_in_cache(std::int64_t bytes) {
    int device = 0;
    int most = 0;
    require(cudaGetDevice(&device), "device");
    require(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, device), "L2 that persists");
    if (most == 0) return;
    const std::int64_t kept = std::min({bytes, kMostKeptBytes, std::int64_t{most}});
    require(cudaDeviceSynchronize(), "what is written before");
    require(cudaCtxResetPersistingL2Cache(), "L2 that persists");
    require(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, kept), "L2 that persists");
  }

  // Attention and the step of the same lists over a cache of e4m3, and how far its output is from dense attention in bf16.
  void over_bytes(std::int64_t index_bytes, std::int64_t gather_bytes, std::int64_t scores_kept) {
    const DeviceArray<float> scales(std::vector<float>(shape_.kv_heads, kBenchScale));
    std::vector<std::unique_ptr<CachedBytes>> caches;
    for (const auto& set : sets_) caches.push_back(std::make_unique<CachedBytes>(*set, scales.data()));
    require(cudaDeviceSynchronize(), "bytes");
    const int sets = static_cast<int>(caches.size());
    add("sparse-attention-e4m3", gather_bytes, timed_graph(sets, [&](int set, cudaStream_t stream) {
          call(skt_sparse_attention, caches[set]->attention, stream);
        }));
    keep_in_cache(scores_kept);
    add("decode-step-e4m3", index_bytes + gather_bytes,
        timed_graph(sets, [&](int set, cudaStream_t stream) { call(skt_decode_step, caches[set]->step, stream); }));
    keep_in_cache(0);
    judge_last(caches[0]->step);
  }

  // How far the output of the step that was timed last is from dense attention.
  void judge_last(const skt_decode_step_args& step) {
    const Accuracy accuracy = against_dense(step, sets_[0]->attention);
    rows_.back().output_error = accuracy.output_error;
    rows_.back().softmax_mass = accuracy.softmax_mass;
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
  CheckCase c_;
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

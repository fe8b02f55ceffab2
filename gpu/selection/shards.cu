// How does a rank take its part in a selection over the keys of all ranks? The method: gpu/selection/shards.cuh.
#include "gpu/selection/shards.cuh"

#include <algorithm>

#include "gpu/selection/spread.cuh"

namespace skt::gpu {
namespace {

struct CountArguments {
  ShardInputs shard;
  std::int32_t* counts;  // out: [rows, kShardBins]
};

__device__ inline void count_candidates(const Share<float>& share, const Batch<float>& first_batch,
                                        std::uint32_t* bins) {
  share.for_each_candidate(first_batch, [&](std::uint32_t key) { atomicAdd(&bins[shard_bin(key)], 1u); });
}

// Of a warp's share, the open keys that the threshold's interval still holds.
__device__ inline void count_open(const Share<float>& share, const Threshold& threshold, const KeyBits& bits,
                                  std::uint32_t* bins) {
  if (!threshold.is_divisible()) return;
  const int shift = shard_shift(threshold.width);
  for_each_word(share, bits, [&](int i) {
    for_each_open(share, bits, i, [&](std::uint32_t key, std::uint32_t) {
      if (threshold.contains(key)) atomicAdd(&bins[(key - threshold.base) >> shift], 1u);
    });
  });
}

// Grid: [cluster, rows]. A block has room for the bits of its share of the keys.
template <int digit>
__global__ void __launch_bounds__(kSelectThreads, 2) count_shard_kernel(CountArguments kernel) {
  launch_next_kernel();
  extern __shared__ __align__(16) std::byte memory[];
  SelectionShared& shared = *reinterpret_cast<SelectionShared*>(memory);
  wait_for_previous_kernel();
  const ShardKeys keys = shard_keys(kernel.shard);
  const KeyBits marked = keys.marked(kernel.shard);
  Batch<float> batch = {};
  if constexpr (digit < 2) batch = keys.share.load(keys.share.begin);
  const Threshold threshold = by_digits_before(kernel.shard, digit, shared.threshold);
  std::uint32_t* bins = shared.threshold.bins[0];
  clear(bins);
  if constexpr (digit == 0) {
    if (threshold.is_divisible()) count_candidates(keys.share, batch, bins);
  } else if constexpr (digit == 1) {
    const KeyBits bits = keys.bits_at(reinterpret_cast<Word*>(memory + sizeof(SelectionShared)));
    mark_share(keys.share, batch, threshold, bits);
    for_each_word(keys.share, bits, [&](int i) { marked.word[i] = bits.word[i]; });
    count_open(keys.share, threshold, bits, bins);
  } else {
    count_open(keys.share, threshold, marked, bins);
  }
  const uint4 counts = sum_of_cluster(bins);
  cluster_arrive();
  if (cluster_rank() == 0) {
    reinterpret_cast<uint4*>(kernel.counts + std::int64_t{blockIdx.y} * kShardBins)[my_bins()] = counts;
  }
  cluster_wait();  // no block leaves while another reads its shared memory
}

struct SelectArguments {
  ShardInputs shard;
  LastCounts last;
  skt_select_keys_args list;  // what write_row reads of it
};

// Of the keys that the first digit left open those above the threshold are selected, and those below it not; of a
// warp's share. A threshold as wide as the first digit left it has nothing more to say.
__device__ inline void settle_open(const Share<float>& share, const Threshold& threshold, const KeyBits& bits) {
  if (threshold.width > kShardBinBits) return;
  for_each_word(share, bits, [&](int i) {
    Word word = bits.word[i];
    for_each_open(share, bits, i, [&](std::uint32_t key, std::uint32_t bit) {
      if (threshold.contains(key)) return;
      word.tied &= ~bit;
      if (threshold.is_above(key)) word.certain |= bit;
    });
    bits.word[i] = word;
  });
  warp_barrier();
}

// Grid: [cluster, rows]. A block has room for the bits of its share of the keys.
__global__ void __launch_bounds__(kSelectThreads, 2) select_shard_kernel(SelectArguments kernel) {
  launch_next_kernel();
  extern __shared__ __align__(16) std::byte memory[];
  SelectionShared& shared = *reinterpret_cast<SelectionShared*>(memory);
  wait_for_previous_kernel();
  const ShardKeys keys = shard_keys(kernel.shard);
  const KeyBits bits = keys.bits_at(reinterpret_cast<Word*>(memory + sizeof(SelectionShared)));
  const KeyBits marked = keys.marked(kernel.shard);
  if (threadIdx.x == 0) shared.marks.here = {0, 0};
  for_each_word(keys.share, bits, [&](int i) { bits.word[i] = marked.word[i]; });
  const Threshold wide = by_digits_before(kernel.shard, kShardDigits - 1, shared.threshold);
  const Threshold threshold = settled_threshold(wide, kernel.last, shared.threshold);
  block_barrier();
  settle_open(keys.share, threshold, bits);
  count_and_gather(keys.share, false, bits, shared.marks);
  cluster_show();
  exchange(false, shared);
  const std::int64_t room = length_of_list(kernel.list.list);
  if (shared.row_total.selected(threshold.need) <= room) {
    write_row(kernel.list, blockIdx.y, bits, threshold, nullptr, shared);
  } else {  // the counts are not those of the ranks: no list, rather than one beside its room
    block_barrier();
    if (threadIdx.x == 0) shared.row_total = {0, 0};
    block_barrier();
    write_row(kernel.list, blockIdx.y, {bits.word, 0, bits.first_key}, nothing_but_forced(), nullptr, shared);
  }
  cluster_wait();  // no block leaves while another reads its shared memory
}

void validate_shard(const skt_shard& of, Validation& check) {
  check.query_heads(of.shape);
  check.one_query_row(of.shape);
  check.capacity(of.shape);
  check.in_range("keys", of.keys, 0, of.shape.capacity);
  check.in_range("first", of.first, 0, kLargestInt - (check.failed() ? 0 : of.keys));
  check.in_range("used", of.sequences.used, 0, kLargestInt);
  check.in_range("dense_up_to", of.sequences.dense_up_to, 0, 0);
  check.list(of.list);
  check.pointer("scores", of.scores);
  check.pointer("counts", of.counts);
  check.pointer("marks", of.marks);
  check.optional_pointer("lengths", of.sequences.lengths, 4);
}

Validation validate(const skt_count_shard_args& args, skt_error* error) {
  Validation check(error);
  validate_shard(args.shard, check);
  check.in_range("digit", args.digit, 0, kShardDigits - 1);
  if (args.digit == kShardDigits - 1) check.pointer("last_counts", args.last_counts);
  return check;
}

constexpr std::int64_t kMostRanks = 1024;

Validation validate(const skt_select_shard_args& args, skt_error* error) {
  Validation check(error);
  validate_shard(args.shard, check);
  check.in_range("ranks", args.ranks, 1, kMostRanks);
  check.in_range("rank", args.rank, 0, check.failed() ? args.rank : args.ranks - 1);
  check.pointer("last_counts", args.last_counts);
  check.pointer("selected", args.selected);
  check.pointer("list_counts", args.list_counts, 4);
  return check;
}

template <class Arguments>
int launch_spread(void (*kernel)(Arguments), const RowsToSpread& of, const Arguments& arguments, CUstream_st* stream,
                  skt_error* error) {
  Launch shape;
  if (const cudaError_t status = choose_spread<float>(kernel, of, shape); status != cudaSuccess) {
    return cuda_failure(status, error);
  }
  return launch(kernel, shape, stream, arguments, error);
}

}  // namespace

int launch_count_scores(const skt_score_packed_args& args, CUstream_st* stream, skt_error* error) {
  // The sequence from the rank's first key on: so its lengths are given.
  const bool shared = args.lists == SKT_LIST_OF_KV_HEAD;
  ShardInputs shard = {};
  shard.scores = static_cast<const float*>(args.scores);
  shard.rows = args.shape.batch * (shared ? args.shape.kv_heads : args.shape.heads);
  shard.capacity = args.shape.capacity;
  shard.keys = to_int(args.sequences.used);
  shard.used = to_int(std::max<std::int64_t>(args.whole - args.first, 0));
  shard.sink = to_int(std::max<std::int64_t>(args.list.sink - args.first, 0));
  shard.window = to_int(args.list.window);
  shard.budget = 1;  // some, so that there is something to count for
  shard.lengths = args.sequences.lengths;
  shard.heads = to_int(shared ? args.shape.kv_heads : args.shape.heads);
  return launch_spread(count_shard_kernel<0>, RowsToSpread{shard.rows, args.sequences.used}, {shard, args.counts},
                       stream, error);
}

}  // namespace skt::gpu

using namespace skt::gpu;

int skt_count_shard(const skt_count_shard_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed()) return check.code();
  const int digit = to_int(args->digit);
  const RowsToSpread of = {all_rows(args->shard.shape), args->shard.keys};
  std::int32_t* counts =
      digit == kShardDigits - 1 ? args->last_counts : args->shard.counts + digit * of.rows * kShardBins;
  const CountArguments kernel = {shard_inputs(args->shard), counts};
  if (digit == 2) return launch_spread(count_shard_kernel<2>, of, kernel, stream, error);
  if (digit == 1) return launch_spread(count_shard_kernel<1>, of, kernel, stream, error);
  return launch_spread(count_shard_kernel<0>, of, kernel, stream, error);
}

int skt_select_shard(const skt_select_shard_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed()) return check.code();
  const skt_shard& shard = args->shard;
  const RowsToSpread of = {all_rows(shard.shape), shard.keys};
  const LastCounts last = {args->last_counts, of.rows, to_int(args->rank), to_int(args->ranks)};
  const skt_select_keys_args list = {.selected = args->selected, .counts = args->list_counts, .list = shard.list};
  return launch_spread(select_shard_kernel, of, {shard_inputs(shard), last, list}, stream, error);
}

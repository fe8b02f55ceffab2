// How does a rank take its part in a selection over the keys of all ranks? The method: gpu/selection/shards.cuh.
#include "gpu/selection/shards.cuh"

#include "gpu/selection/spread.cuh"

namespace skt::gpu {
namespace {

struct CountArguments {
  ShardInputs shard;
  std::int32_t* counts;  // out: [rows, shard_bins(digit)]
  int digit;
};

// Grid: [cluster, rows].
__global__ void __launch_bounds__(kSelectThreads, 2) count_shard_kernel(CountArguments kernel) {
  launch_next_kernel();
  extern __shared__ __align__(16) std::byte memory[];
  SelectionShared& shared = *reinterpret_cast<SelectionShared*>(memory);
  wait_for_previous_kernel();
  const Share share = shard_keys(kernel.shard).share;
  const Batch batch = share.load(share.begin);
  const Threshold threshold = by_digits_before(kernel.shard, kernel.digit, shared.threshold);
  const int shift = shard_shift(kernel.digit);
  std::uint32_t* bins = shared.threshold.bins[0];
  clear(bins);
  if (threshold.is_divisible()) {
    share.for_each_candidate(batch, [&](std::uint32_t key) {
      if (threshold.contains(key)) atomicAdd(&bins[(key - threshold.base) >> shift], 1u);
    });
  }
  const uint4 counts = sum_of_cluster(bins);
  cluster_arrive();
  const int all = shard_bins(kernel.digit);
  if (cluster_rank() == 0 && my_bins() < all / 4) {
    reinterpret_cast<uint4*>(kernel.counts + std::int64_t{blockIdx.y} * all)[my_bins()] = counts;
  }
  cluster_wait();  // no block leaves while another reads its shared memory
}

struct SelectArguments {
  ShardInputs shard;
  LastCounts last;
  skt_select_keys_args list;  // what write_row reads of it
};

// Grid: [cluster, rows]. A block has room for the bits of its share of the keys.
__global__ void __launch_bounds__(kSelectThreads, 2) select_shard_kernel(SelectArguments kernel) {
  launch_next_kernel();
  extern __shared__ __align__(16) std::byte memory[];
  SelectionShared& shared = *reinterpret_cast<SelectionShared*>(memory);
  wait_for_previous_kernel();
  const ShardKeys keys = shard_keys(kernel.shard);
  const KeyBits bits = {reinterpret_cast<Word*>(memory + sizeof(SelectionShared)),
                        (keys.block.end - keys.block.begin + 31) / 32, keys.block.begin};
  if (threadIdx.x == 0) shared.marks.here = {0, 0};
  const Batch batch = keys.share.load(keys.share.begin);
  Threshold threshold = settled_threshold(kernel.shard, kernel.last, shared.threshold);
  block_barrier();
  mark_share(keys.share, batch, threshold, bits);
  count_and_gather(keys.share, false, bits, shared.marks);
  exchange(false, shared);
  const std::int64_t room = kernel.list.sink + kernel.list.budget + kernel.list.window;
  if (shared.row_total.selected(threshold.need) <= room) {
    write_row(kernel.list, bits, threshold.need, shared);
  } else {  // the counts are not those of the ranks: no list, rather than one beside its room
    block_barrier();
    if (threadIdx.x == 0) shared.row_total = {0, 0};
    block_barrier();
    write_row(kernel.list, {bits.word, 0, bits.first_key}, 0, shared);
  }
  cluster_wait();  // no block leaves while another reads its shared memory
}

template <class Arguments>
void validate_shard(const Arguments& args, Validation& check) {
  check.in_range("rows", args.rows, 1, 65535);
  check.cache(args.capacity);
  check.in_range("keys", args.keys, 0, args.capacity);
  check.in_range("first", args.first, 0, kLargestInt - (check.failed() ? 0 : args.keys));
  check.in_range("used", args.used, 0, kLargestInt);
  check.list(args.budget, args.sink, args.window);
  check.sparsity(args.sparsity);
  check.pointer("scores", args.scores);
  check.pointer("counts", args.counts);
  check.optional_pointer("lengths", args.lengths, 4);
  if (args.lengths != nullptr) {
    check.in_range("rows_per_length", args.rows_per_length, 1, args.rows);
    if (!check.failed()) check.multiple_of("rows", args.rows, args.rows_per_length);
  }
}

Validation validate(const skt_count_shard_args& args, skt_error* error) {
  Validation check(error);
  validate_shard(args, check);
  check.in_range("digit", args.digit, 0, kShardDigits - 1);
  if (args.digit == kShardDigits - 1) check.pointer("last_counts", args.last_counts);
  return check;
}

constexpr std::int64_t kMostRanks = 1024;

Validation validate(const skt_select_shard_args& args, skt_error* error) {
  Validation check(error);
  validate_shard(args, check);
  check.in_range("ranks", args.ranks, 1, kMostRanks);
  check.in_range("rank", args.rank, 0, check.failed() ? args.rank : args.ranks - 1);
  check.pointer("last_counts", args.last_counts);
  check.pointer("selected", args.selected);
  check.pointer("list_counts", args.list_counts, 4);
  return check;
}

template <class Arguments, class Shard>
int launch_spread(void (*kernel)(Arguments), const Shard& args, const Arguments& arguments, CUstream_st* stream,
                  skt_error* error) {
  Launch shape;
  if (const cudaError_t status = choose_spread(kernel, {args.rows, args.keys}, shape); status != cudaSuccess) {
    return cuda_failure(status, error);
  }
  return launch(kernel, shape, stream, arguments, error);
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_count_shard(const skt_count_shard_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed()) return check.code();
  const int digit = to_int(args->digit);
  std::int32_t* counts = digit == kShardDigits - 1 ? args->last_counts : args->counts + digit * args->rows * kShardBins;
  return launch_spread(count_shard_kernel, *args, {shard_inputs(*args), counts, digit}, stream, error);
}

int skt_select_shard(const skt_select_shard_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed()) return check.code();
  const LastCounts last = {args->last_counts, args->rows, to_int(args->rank), to_int(args->ranks)};
  skt_select_keys_args list = {};
  list.selected = args->selected;
  list.counts = args->list_counts;
  list.budget = args->budget;
  list.sink = args->sink;
  list.window = args->window;
  return launch_spread(select_shard_kernel, *args, {shard_inputs(*args), last, list}, stream, error);
}

// How do the keys and values of a list come to a warp? By rounds of asynchronous copies of 16 bytes into its ring in
// shared memory: 2 KB of keys, of e4m3 1 KB, and as much of values to a round, in the order of the list.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstddef>
#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/device/element.cuh"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

// Copies the first `read` of 16 bytes, and zeros behind. (The intrinsic of cuda_pipeline_primitives.h branches where
// the number differs between lanes.)
__device__ inline void copy_async(std::byte* to_shared, const std::byte* from_global, int read) {
  const unsigned address = __cvta_generic_to_shared(to_shared);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(address), "l"(from_global), "r"(read)
               : "memory");
}

// Until all rounds but the `left` started last have come; of what the lane copied itself.
template <int left>
__device__ __forceinline__ void wait_for_rounds(unsigned site = __builtin_LINE()) {
  delay_here(site);
  __pipeline_wait_prior(left);
  delay_here(~site);
}

// `ring_bytes`: of a warp, stages of a round each. `exchanges`: a row's pieces are exchanged among themselves, so that lanes
// that read the same piece of several rows, which are 256 or 128 bytes apart, find them in different banks: of keys the halves
// of every 128 bytes where the row is odd, of values piece p is at p ^ 2 t in rows 2 t and 2 t + 1 of each 8. Rows of
// 64 bytes stay as they are.
template <class Element, int dim, int ring_bytes_, bool exchanges_ = false>
struct RowLayout {
  static constexpr bool exchanges = exchanges_ && dim * int{sizeof(Element)} >= 128;
  static constexpr int ring_bytes = ring_bytes_;
  static constexpr int bytes = dim * int{sizeof(Element)};
  static constexpr int pieces = bytes / 16;  // of a row
  // Of a round, to a lane. More of e4m3 would be more coordinates of the query than its registers hold, and of rows of
  // 32 bytes more keys than a warp has lanes.
  static constexpr int lane_pieces = sizeof(Element) == 1 ? 2 : 4;
  static constexpr int round_bytes = lane_pieces * 32 * 16;  // of keys, and of values
  static constexpr int keys = round_bytes / bytes;           // to a round
  static constexpr int stages = ring_bytes / (2 * round_bytes);

  // By what the byte in a row is exchanged.
  __device__ static int of_key(int row) { return exchanges ? row % 2 * 64 : 0; }
  __device__ static int of_value(int row) { return exchanges ? row / 2 % 4 * 32 : 0; }
};

// Where the rows of a kv head begin, and where key `token` lies behind: in row `token`, or by its page.
struct Rows {
  const std::byte* keys;
  const std::byte* values;
  const std::int32_t* table = nullptr;  // of the sequence; null: no pages
  int page_shift = 0;
  int page_stride = 0;
  int token_stride = 0;

  __device__ int row_of(int token) const {
    if (table == nullptr) return token;
    const int in_page = token & ((1 << page_shift) - 1);
    return table[token >> page_shift] * page_stride + in_page * token_stride;
  }
};

// Of a sequence and kv head, in rows of so many bytes.
__device__ inline Rows cache_rows_of(const skt_sparse_attention_args& args, int sequence, int kv_head, int bytes) {
  const bool paged = args.paged.block_table != nullptr;
  const std::int64_t kv_row = std::int64_t{sequence} * args.shape.kv_heads + kv_head;
  const std::int64_t first = (paged ? kv_head * args.paged.head_stride : kv_row * args.shape.capacity) * bytes;
  Rows rows = {static_cast<const std::byte*>(args.cache.keys) + first,
               static_cast<const std::byte*>(args.cache.values) + first};
  if (paged) {
    rows.table = args.paged.block_table + sequence * args.paged.blocks;
    rows.page_shift = 31 - __clz(static_cast<int>(args.paged.page_size));
    rows.page_stride = static_cast<int>(args.paged.page_stride);
    rows.token_stride = static_cast<int>(args.paged.token_stride);
  }
  return rows;
}

// A lane copies piece `lane` of every 32 of a round, whichever rows they belong to. The entries of several rounds, one
// to a lane, are read two such batches ahead, so that a block table can be read in between.
template <class Layout>
class Ring {
 public:
  // The rounds first, first + step, .. of the list; a round is Layout::keys entries. The first are read before it is
  // known how many entries there are: the memory holds `reserved`. Without a list entry i is key i.
  __device__ Ring(std::byte* memory, const Rows& rows, const std::int32_t* list, int reserved, int first, int step)
      : memory_(memory),
        rows_(rows),
        list_(list),
        next_((first + lane() / Layout::keys * step) * Layout::keys + lane() % Layout::keys),
        batch_step_(kBatch * step * Layout::keys),
        next_token_(next_ < reserved ? token_at(next_) : 0) {
    rows_.keys += lane() % Layout::pieces * 16;
    rows_.values += lane() % Layout::pieces * 16;
  }
  // Nothing may be started before it.
  __device__ void set_end(int end) {
    end_ = end;
    next_row_ = row_of_next();
    next_batch();
    next_token_ = next_ < end_ ? token_at(next_) : 0;
  }
  // Starts the copies of the next round; behind the end an empty one. Rows behind the end become zeros.
  __device__ void start() {
    if (in_batch_ == 32) next_batch();
    if (live_ >> in_batch_ != 0) {
      std::byte* stage = memory_ + start_slot_ * 2 * Layout::round_bytes;
#pragma unroll
      for (int i = 0; i < Layout::lane_pieces; ++i) {
        const int position = in_batch_ + (i * 32 + lane()) / Layout::pieces;
        const int column = i * 32 % Layout::pieces * 16;  // beside the lane's own
        const std::int64_t row = __shfl_sync(~0u, row_, position);
        const int read = live_ >> position & 1 ? 16 : 0;
        const int place = (i * 32 + lane()) * 16;
        const int in_round = place / Layout::bytes;
        std::byte* const value = stage + Layout::round_bytes + (place ^ Layout::of_value(in_round));
        copy_async(stage + (place ^ Layout::of_key(in_round)), rows_.keys + row * Layout::bytes + column, read);
        copy_async(value, rows_.values + row * Layout::bytes + column, read);
      }
    }
    delay_here();
    __pipeline_commit();
    delay_here();
    if (in_batch_ == kBatch / 4 * Layout::keys) {
      next_row_ = row_of_next();
      next_token_ = next_ + batch_step_ < end_ ? token_at(next_ + batch_step_) : 0;
    }
    in_batch_ += Layout::keys;
    start_slot_ = start_slot_ + 1 == kStages ? 0 : start_slot_ + 1;
  }
  // The oldest round started, once it has come: keys in order, then values.
  __device__ const std::byte* take() {
    wait_for_rounds<kStages - 2>();  // all but the rounds after it
    warp_barrier();                  // of every lane; and every lane has done with the round before
    const std::byte* stage = memory_ + take_slot_ * 2 * Layout::round_bytes;
    take_slot_ = take_slot_ + 1 == kStages ? 0 : take_slot_ + 1;
    return stage;
  }

 private:
  static constexpr int kBatch = 32 / Layout::keys;  // rounds
  static constexpr int kStages = Layout::stages;

  __device__ static int lane() { return threadIdx.x % 32; }
  __device__ int token_at(int entry) const { return list_ == nullptr ? entry : list_[entry]; }
  __device__ int row_of_next() const { return next_ < end_ ? rows_.row_of(next_token_) : 0; }
  __device__ void next_batch() {
    in_batch_ = 0;
    live_ = __ballot_sync(~0u, next_ < end_);
    row_ = next_row_;
    next_ += batch_step_;
  }

  std::byte* memory_;
  Rows rows_;
  const std::int32_t* list_;
  int next_, batch_step_;  // where a lane's entry of the next batch stands in the list,
  int next_token_;         // that entry, and behind the look ahead the one after it,
  int next_row_ = 0;       // and its row
  int row_ = 0;
  unsigned live_ = 0;  // lanes with an entry of this batch
  int in_batch_ = 0;
  int end_ = 0;
  int start_slot_ = 0;
  int take_slot_ = 0;
};

}  // namespace skt::gpu

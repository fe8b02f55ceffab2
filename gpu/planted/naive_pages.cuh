// Where in an index, in pages or not, do a key's words, its norm and its masks lie? Written once more from the layout in
// gpu/socketlab_gpu.h, element by element, without gpu/functors/index_pages.hpp.
#pragma once

#include <cstdint>

#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {

// Of a kv row. Keys that nobody has may be asked for, as by a fault: they stay in the last block.
template <class Arguments>
__device__ std::int64_t page_of(const Arguments& args, std::int64_t kv_row, std::int64_t key) {
  const std::int64_t block = min(key / args.paged.page_size, args.paged.blocks - 1);
  return args.paged.block_table[kv_row / args.shape.kv_heads * args.paged.blocks + block];
}

template <class Arguments>
__device__ std::int64_t number_place(const Arguments& args, std::int64_t kv_row, std::int64_t key) {
  if (args.paged.block_table == nullptr) return kv_row * args.shape.capacity + key;
  const std::int64_t of_head = page_of(args, kv_row, key) * args.shape.kv_heads + kv_row % args.shape.kv_heads;
  return of_head * args.paged.page_size + key % args.paged.page_size;
}

template <class Arguments>
__device__ std::int64_t word_place(const Arguments& args, std::int64_t kv_row, std::int64_t key, std::int64_t word,
                                   std::int64_t words) {
  const std::int64_t number = number_place(args, kv_row, key);
  return (number / 64 * words + word) * 64 + number % 64;
}

// Of a query row.
template <class Arguments>
__device__ std::int64_t mask_place(const Arguments& args, std::int64_t row, std::int64_t key) {
  const std::int64_t batch = row / args.shape.heads;
  if (args.paged.block_table == nullptr) return (args.mask.allowed_per_head ? row : batch) * args.shape.capacity + key;
  const std::int64_t page = page_of(args, batch * args.shape.kv_heads, key);
  const std::int64_t of_page = args.mask.allowed_per_head ? page * args.shape.heads + row % args.shape.heads : page;
  return of_page * args.paged.page_size + key % args.paged.page_size;
}

// Of keys and values that an index is built of, in rows of dim elements.
template <class Arguments>
__device__ std::int64_t cache_row(const Arguments& args, std::int64_t kv_row, std::int64_t key) {
  if (args.paged.block_table == nullptr || args.paged.page_stride == 0) return kv_row * args.shape.capacity + key;
  return page_of(args, kv_row, key) * args.paged.page_stride + kv_row % args.shape.kv_heads * args.paged.head_stride +
         key % args.paged.page_size * args.paged.token_stride;
}

}  // namespace skt::gpu

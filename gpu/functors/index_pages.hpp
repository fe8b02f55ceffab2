// Where in an index do the codes, norms and masks of a tile of 64 keys lie: behind those of the tile before, or in a page?
//
// A page holds whole tiles of one sequence, first all of kv head 0, then those of kv head 1, ..; which page holds which of
// a sequence's keys says its row of the block table. So a tile has one number among all of the index, in pages or not,
// from which its words begin `words * 64` and its norms 64 elements to a tile, and a tile costs one entry of the table.
// Whole numbers only. It would be wrong if a tile were found elsewhere than the layout of gpu/socketlab_gpu.h says:
// tests/gpu/functors/index_pages_test.cpp counts them one by one.
#pragma once

#include <bit>
#include <cstdint>

#include "gpu/functors/host_device.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/whole_numbers.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

// An entry of a block table. A kernel of a step reads it before its wait, as it does lengths: from L2.
SKT_HD inline std::int32_t table_entry(const std::int32_t* entry) {
#ifdef __CUDA_ARCH__
  return __ldcg(entry);
#else
  return *entry;
#endif
}

struct IndexPages {
  const std::int32_t* table = nullptr;  // [batch, blocks]; null: no pages
  std::int64_t blocks = 0;
  unsigned kv_heads = 1;
  unsigned inverse = 0;    // of kv_heads: sequence_of()
  unsigned row_tiles = 0;  // of a kv row, without pages
  int tile_shift = 0;      // a page holds 2^tile_shift tiles of a kv head

  SKT_HD bool paged() const { return table != nullptr; }
  SKT_HD unsigned page_tiles() const { return 1u << tile_shift; }

  // row / kv_heads in two instructions, of a kv row and kv_heads below 2^16: the inverse is at most 1 / 2^16 of a quotient
  // too low for row + 1, which no row comes near to from the next quotient.
  SKT_HD unsigned sequence_of(unsigned row) const {
    return static_cast<unsigned>(std::uint64_t{row + 1} * inverse >> 32);
  }

  // The page of tile `tile` of a kv row; only with pages. The caller sees to it that the tile holds keys.
  SKT_HD std::int32_t page_of(unsigned row, unsigned tile) const {
    return table_entry(table + sequence_of(row) * blocks + (tile >> tile_shift));
  }
  // The tile's number among all of the index; without pages `page` is not looked at.
  SKT_HD unsigned place_of(unsigned row, unsigned tile, std::int32_t page) const {
    if (!paged()) return row * row_tiles + tile;
    const unsigned head = row - sequence_of(row) * kv_heads;
    return ((static_cast<unsigned>(page) * kv_heads + head) << tile_shift) + (tile & (page_tiles() - 1));
  }
  SKT_HD unsigned place_of(unsigned row, unsigned tile) const {
    return place_of(row, tile, paged() ? page_of(row, tile) : 0);
  }
};

// Of a function's arguments; its index is in pages where there is a block table.
template <class Arguments>
IndexPages index_pages(const Arguments& args) {
  IndexPages pages;
  pages.kv_heads = static_cast<unsigned>(args.shape.kv_heads);
  pages.inverse = ~0u / pages.kv_heads;
  pages.row_tiles = static_cast<unsigned>(args.shape.capacity / kTileKeys);
  if (args.paged.block_table == nullptr) return pages;
  pages.table = args.paged.block_table;
  pages.blocks = args.paged.blocks;
  pages.tile_shift = std::countr_zero(static_cast<std::uint64_t>(args.paged.page_size / kTileKeys));
  return pages;
}

// What a kernel that writes an index is launched with.
template <class Arguments>
struct PagedArguments {
  Arguments args;
  IndexPages pages;
};

// Where the keys and values of a kv row lie that begins at `key` of a page, in rows of dim elements: row first + i * step
// is that of key + i, as long as that is in the same page.
struct CacheRows {
  std::int64_t first, step;
};

// Of what an index is built of: in pages where the arguments give them a stride.
template <class Arguments>
SKT_HD CacheRows cache_rows(const Arguments& args, std::int64_t row, std::int64_t key) {
  const skt_pages& paged = args.paged;
  if (paged.block_table == nullptr || paged.page_stride == 0) return {row * args.shape.capacity + key, 1};
  // Numbers below 2^31, which a device divides in a fourth of the instructions of 64 bits.
  const auto of_row = static_cast<unsigned>(row), kv_heads = static_cast<unsigned>(args.shape.kv_heads);
  const auto of_key = static_cast<unsigned>(key), page_size = static_cast<unsigned>(paged.page_size);
  const std::int64_t page = table_entry(paged.block_table + of_row / kv_heads * paged.blocks + of_key / page_size);
  const std::int64_t in_page = of_row % kv_heads * paged.head_stride + of_key % page_size * paged.token_stride;
  return {page * paged.page_stride + in_page, paged.token_stride};
}

// Of an array of one element to a key, [batch, kv_heads, capacity] or in pages [pages, kv_heads, page_size].
template <class Arguments>
SKT_HD std::int64_t norm_place(const Arguments& args, const IndexPages& pages, std::int64_t row, std::int64_t key) {
  if (!pages.paged()) return row * args.shape.capacity + key;
  const unsigned place = pages.place_of(static_cast<unsigned>(row), static_cast<unsigned>(key / kTileKeys));
  return std::int64_t{place} * kTileKeys + key % kTileKeys;
}

}  // namespace skt::gpu

// Hashes keys on the tensor cores straight into packed codes (paper, Algorithm 1; layout of
// gpu/functors/packed_codes.hpp): nothing of size keys * tables * planes ever exists.
//
// CPU twin: estimators/key_codes.hpp on hyperplanes rounded to the type of the keys.
// Arithmetic: m16n8k16 products of fp16 or bf16, sums in fp32; bit = 1 iff the sum is >= 0, so NaN gives 0. The order
// of the 16 products inside an instruction is the hardware's.
// Error (gpu/device/matrix_product.cuh): no number exceeds S = sum_d |w_d k_d|, so |sum - exact| <=
// dim/16 * 24 * 2^-23 * S, which is 3 dim * 2^-24 * S, and a bit may differ from the exact one only where |exact
// projection| is below that. gpu-check would show a wrong layout or a wrong order of bits: dyadic inputs leave no
// rounding at all.
//
// Work: 2 * 32 * words * dim operations to a key. A block keeps its hyperplanes in shared memory for as long as it
// lives; a warp keeps 64 keys in registers and passes over all of them. The sum over coordinates may run in any order,
// so a thread takes 8 neighbouring coordinates of every 32: keys arrive by 16-byte loads in the very registers that the
// instruction reads. Columns may stand in any order too: they are placed so that a thread ends with 8 neighbouring bits
// of each of its keys, and 4 threads exchange bytes.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/decode/decode_stages.hpp"
#include "gpu/device/barrier.cuh"
#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/device/matrix_product.cuh"
#include "gpu/functors/index_pages.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/whole_numbers.hpp"
#include "gpu/index/value_norm.cuh"

namespace skt::gpu {

constexpr int kBuildWarps = 8;   // two to a scheduler: one loads keys while the other multiplies
constexpr int kColumnTiles = 4;  // tiles of 8 hyperplanes to a word of 32 bits

// A warp's keys: tiles of 16, few enough for its registers. A step that appends a few needs registers for other work.
template <int kDim, bool few = false>
struct WarpShape {
  static constexpr int dim = kDim;
  static constexpr int key_tiles = kDim <= 128 && !few ? 4 : 2;
  static constexpr int keys = 16 * key_tiles;
  static constexpr int pieces = kDim / 32;  // 16-byte pieces of a key to a thread: two instructions deep
};

struct BuildArguments {
  skt_build_index_args index;
  IndexPages pages;
  std::int64_t words, words_per_block;
  unsigned groups;     // of a warp's keys: the most that the range of a row touches
  std::int64_t given;  // 0: keys and values lie in the cache; else [batch, kv_heads, given, dim]
  bool norms_apart = false;
  int blocks_of_keys = 0, blocks_of_words = 0;  // the latter with those of norms apart
};

SKT_HD inline unsigned blocks_of(const BuildArguments& a) {
  return static_cast<unsigned>(a.blocks_of_keys * a.blocks_of_words);
}

// Rows of keys and values, from `key` on.
__device__ inline CacheRows rows_from(const BuildArguments& a, std::int64_t row, std::int64_t key) {
  if (a.given == 0) return cache_rows(a.index, row, key);
  return {row * a.given + key - first_appended(a.index, to_int(row) / to_int(a.index.shape.kv_heads)), 1};
}

__device__ inline void round_to(__nv_bfloat16& out, float x) {
  out = __float2bfloat16_rn(x);
}
__device__ inline void round_to(__half& out, float x) {
  out = __float2half_rn(x);
}

// The block's hyperplanes, rounded, as the threads will read them: [words, column tiles, pieces, 32 lanes] of 16 bytes.
// Lane 4n + t reads coordinates 8t .. 8t + 7 of the piece, of column n of the tile, which is bit 8 (n/2) + 2 tile + n%2
// of the word; of a table, plane 0 is the highest bit. Bits of no table are 0.
template <class Element, int kDim>
__device__ void planes_to_shared(const BuildArguments& a, std::int64_t first_word, int words, uint4* shared) {
  constexpr int kPieces = WarpShape<kDim>::pieces;
#pragma unroll 4
  for (int i = threadIdx.x; i < words * kColumnTiles * kPieces * 32; i += blockDim.x) {
    const int column = i % 32 / 4;
    const int piece = i / 32 % kPieces;
    const int tile = i / (32 * kPieces) % kColumnTiles;
    const std::int64_t word = first_word + i / (32 * kPieces * kColumnTiles);
    const CodeBit at = code_bit(word, 8 * (column / 2) + 2 * tile + column % 2, to_int(a.index.shape.planes));
    Chunk<Element> chunk = {};
    if (at.table < a.index.shape.tables) {
      const std::int64_t plane = at.table * a.index.shape.planes + a.index.shape.planes - 1 - at.bit;
      const auto* row = reinterpret_cast<const float4*>(a.index.hyperplanes + plane * kDim + 32 * piece + 8 * (i % 4));
      const float4 first = row[0], second = row[1];
      const float numbers[8] = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
      for (int k = 0; k < 8; ++k) round_to(chunk.element[k], numbers[k]);
    }
    memcpy(shared + i, &chunk, sizeof chunk);
  }
}

// The bits of a word that belong to a table. All lanes of a warp ask together.
__device__ inline std::uint32_t bits_of_tables(const skt_build_index_args& index, std::int64_t word) {
  if (kWordSlices * (word + 1) <= index.shape.tables / kQuadTables * index.shape.planes) return ~0u;  // of full quads
  const CodeBit at = code_bit(word, threadIdx.x % 32, to_int(index.shape.planes));
  return __ballot_sync(~0u, at.table < index.shape.tables);
}

// Byte c of lane t of a quad becomes byte t of lane c.
__device__ inline std::uint32_t transpose_bytes(std::uint32_t bytes) {
  const bool upper = threadIdx.x & 2;
  const bool odd = threadIdx.x & 1;
  bytes = __byte_perm(bytes, __shfl_xor_sync(~0u, bytes, 2), upper ? 0x3276 : 0x5410);
  return __byte_perm(bytes, __shfl_xor_sync(~0u, bytes, 1), odd ? 0x3715 : 0x6240);
}

// The keys of a warp, from `key` of a kv row on: of one tile and so of one page.
struct WarpKeys {
  std::int64_t key;
  CacheRows rows;      // of keys and values
  std::int64_t place;  // of `key` among those of all of the index

  __device__ WarpKeys(const BuildArguments& a, std::int64_t row, std::int64_t key)
      : key(key), rows(rows_from(a, row, key)), place(norm_place(a.index, a.pages, row, key)) {}
  __device__ std::int64_t row_of(std::int64_t wanted) const { return rows.first + (wanted - key) * rows.step; }
};

// One warp's keys, [tiles of 16, steps of 16 coordinates, 4 registers of the instruction]: lane 4g + t holds
// coordinates 8t .. 8t + 7 of every piece of keys g, g + 8, g + 16, .. Keys outside the range count as 0.
template <class Element, class Shape>
struct KeyRows {
  std::uint32_t of[Shape::key_tiles][2 * Shape::pieces][4];

  __device__ void load(const skt_build_index_args& index, const KeyRange& range, const WarpKeys& here) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int c = 0; c < 2 * Shape::key_tiles; ++c) {
      const std::int64_t wanted = here.key + 8 * c + lane / 4;
      const std::int64_t key = max(range.begin, min(wanted, range.end - 1));
      const std::uint32_t mask = key == wanted ? ~0u : 0u;
      const auto* source = static_cast<const Element*>(index.keys) + here.row_of(key) * Shape::dim + 8 * (lane % 4);
#pragma unroll
      for (int piece = 0; piece < Shape::pieces; ++piece) {
        const uint4 x = __ldcs(reinterpret_cast<const uint4*>(source + 32 * piece));
        // Also the copy into the order of the instruction's registers, once and not at every use.
        of[c / 2][2 * piece][c % 2] = x.x & mask;
        of[c / 2][2 * piece][c % 2 + 2] = x.y & mask;
        of[c / 2][2 * piece + 1][c % 2] = x.z & mask;
        of[c / 2][2 * piece + 1][c % 2 + 2] = x.w & mask;
      }
    }
  }

  // Bits 8t .. 8t + 7 of one word: byte c % 4 of bytes[c / 4] belongs to key 8c + g.
  __device__ void hash(const uint4* planes, std::uint32_t (&bytes)[Shape::key_tiles / 2]) const {
#pragma unroll
    for (int tile = 0; tile < kColumnTiles; ++tile) {
      float sum[Shape::key_tiles][4] = {};
#pragma unroll
      for (int piece = 0; piece < Shape::pieces; ++piece) {
        const uint4 b = planes[(tile * Shape::pieces + piece) * 32 + threadIdx.x % 32];
        constexpr const Element* type = nullptr;
#pragma unroll
        for (int m = 0; m < Shape::key_tiles; ++m) multiply_add(sum[m], of[m][2 * piece], b.x, b.y, type);
#pragma unroll
        for (int m = 0; m < Shape::key_tiles; ++m) multiply_add(sum[m], of[m][2 * piece + 1], b.z, b.w, type);
      }
#pragma unroll
      for (int i = 0; i < 4 * Shape::key_tiles; ++i) {
        const int c = i / 2;
        if (sum[i / 4][i % 4] >= 0) bytes[c / 4] |= 1u << (8 * (c % 4) + 2 * tile + i % 2);
      }
    }
  }
};

// Norms of the values beside a warp's keys, two rows to a lane.
template <class Element, class Shape>
__device__ void norm_values(const skt_build_index_args& index, const KeyRange& range, const WarpKeys& here) {
  const auto* values = static_cast<const Element*>(index.values);
  auto* norms = static_cast<__half*>(index.norms) + here.place;
#pragma unroll
  for (int i = 0; i < Shape::keys; i += 32) {
    const int in_warp = i + static_cast<int>(threadIdx.x) % 32;
    const std::int64_t key = here.key + in_warp;
    if (key >= range.begin && key < range.end) {
      norms[in_warp] = saturated_half(row_norm(values + here.row_of(key) * Shape::dim, Shape::dim));
    }
  }
}

// Of block `block` of [blocks of words, blocks of keys], of `warps` warps; where keys are few, norms have blocks of their own: a
// step waits for the slowest block.
template <class Element, class Shape, int warps>
__device__ void build_index(const BuildArguments& a, unsigned block, uint4* planes) {
  constexpr int kDim = Shape::dim;
  const int key_block = static_cast<int>(block) % a.blocks_of_keys,
            word_block = static_cast<int>(block) / a.blocks_of_keys;
  const std::int64_t first_word = word_block * a.words_per_block;
  const int words = to_int(max(std::int64_t{0}, min(a.words_per_block, a.words - first_word)));
  const bool norms_here = word_block == (a.norms_apart ? a.blocks_of_words - 1 : 0) && a.index.values != nullptr;
  const skt_build_index_args& index = a.index;
  const int lane = threadIdx.x % 32;
  // Below 2^32: each has 16 keys or more but at the ends of a row's range, and no device holds 2^36 keys.
  const unsigned items = to_int(index.shape.batch * index.shape.kv_heads) * a.groups;
  const auto row_of = [&](unsigned item) { return item / a.groups; };
  const auto range_of = [&](unsigned item) {
    return appended_keys(index, to_int(row_of(item) / static_cast<unsigned>(to_int(index.shape.kv_heads))));
  };
  const auto first_key_of = [&](unsigned item, const KeyRange& range) {
    return (range.begin / Shape::keys + item % a.groups) * Shape::keys;
  };
  // The first keys are asked for before the hyperplanes: a step that appends a key waits for both.
  KeyRows<Element, Shape> keys;
  const auto load = [&](unsigned item) {
    if (item >= items || words == 0) return;
    const KeyRange range = range_of(item);
    const std::int64_t first_key = first_key_of(item, range);
    if (first_key < range.end) keys.load(index, range, WarpKeys(a, row_of(item), first_key));
  };
  const unsigned first_item = key_block * warps + threadIdx.x / 32;
  load(first_item);
  planes_to_shared<Element, kDim>(a, first_word, words, planes);
  block_barrier();
  for (unsigned item = first_item; item < items; item += a.blocks_of_keys * warps) {
    const KeyRange range = range_of(item);
    const std::int64_t first_key = first_key_of(item, range);
    if (first_key >= range.end) continue;
    const WarpKeys here(a, row_of(item), first_key);
    if (norms_here) norm_values<Element, Shape>(index, range, here);
    if (words == 0) continue;
    if (item != first_item) load(item);
    std::uint32_t* packed = index.packed + here.place / kTileKeys * (kTileKeys * a.words);
#pragma unroll 1
    for (int w = 0; w < words; ++w) {
      std::uint32_t bytes[Shape::key_tiles / 2] = {};
      keys.hash(planes + w * kColumnTiles * Shape::pieces * 32, bytes);
      const std::int64_t word = first_word + w;
      const std::uint32_t mask = bits_of_tables(index, word);
#pragma unroll
      for (int half = 0; half < Shape::key_tiles / 2; ++half) {
        const std::uint32_t value = transpose_bytes(bytes[half]) & mask;
        const std::int64_t key = first_key + 8 * (4 * half + lane % 4) + lane / 4;
        if (key < range.begin || key >= range.end) continue;
        packed[packed_position(key % kTileKeys, word, a.words)] = value;
      }
    }
  }
}

// How the keys of `args` and the words of a key are shared among blocks of so many warps, whose shared memory has room for
// `most_words`: as many keys to a block as one pass over its hyperplanes allows; where keys are few, the words of a key are
// shared among blocks instead.
template <class Shape>
BuildArguments build_arguments(const BuildStage& stage, int warps, std::int64_t most_words, int multiprocessors) {
  constexpr std::int64_t keys = Shape::keys;
  const skt_build_index_args& args = stage.index;
  BuildArguments a = {args, index_pages(args), words_per_key(args.shape.tables, args.shape.planes), 0, 0, stage.given};
  // With lengths the place of the first key within its group is not known here: as many as it may be.
  const std::int64_t before = args.written.lengths == nullptr ? args.written.first % keys : keys - 1;
  a.groups = static_cast<unsigned>((before + args.written.count - 1) / keys + 1);
  const std::int64_t key_blocks = ceil_div(args.shape.batch * args.shape.kv_heads * a.groups, std::int64_t{warps});
  const std::int64_t chunks =
      std::clamp(std::max<std::int64_t>(1, multiprocessors / key_blocks), ceil_div(a.words, most_words), a.words);
  a.words_per_block = ceil_div(a.words, chunks);  // <= most_words
  const std::int64_t word_blocks = ceil_div(a.words, a.words_per_block);
  a.norms_apart = args.values != nullptr && word_blocks > 1;
  a.blocks_of_keys = to_int(std::clamp<std::int64_t>(multiprocessors / word_blocks, 1, key_blocks));
  a.blocks_of_words = to_int(word_blocks) + (a.norms_apart ? 1 : 0);
  return a;
}

}  // namespace skt::gpu

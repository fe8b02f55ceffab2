// What do the kernels of a step know of the rest of its lists, and where does each leave it for the next?
//
// The selection's kernel draws in blocks of its own beside those that select (gpu/selection/draw_rest.cuh), the attention's reads what
// was drawn beside the list (gpu/attention/drawn_rest.cuh), the merge makes the results of it (gpu/attention/rest_result.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "estimators/residual/fixed_bet.hpp"
#include "gpu/decode/decode_stages.hpp"
#include "gpu/functors/host_device.hpp"
#include "gpu/functors/index_pages.hpp"
#include "gpu/functors/rest_sample.hpp"
#include "gpu/functors/whole_numbers.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

// Where a list ends, in ordered keys: candidates above the interval [base, base + span] are listed, those in it before
// key `cut` alone.
struct ListEnd {
  std::uint32_t base, span;
  std::int32_t cut;

  SKT_HD bool has(std::uint32_t ordered, std::int32_t key) const {
    return ordered - base <= span ? key < cut : ordered > base;
  }
};

struct DrawnKey {
  std::int32_t key;
  std::uint32_t last;     // word that draws it
  std::uint32_t ordered;  // its score
};

// What was drawn for a list.
struct DrawnRow {
  std::uint32_t drawn;  // keys; may be more than there is room for
  std::uint32_t keys;   // that may be of the rest
  float rate, normaliser;
  float norm, score;  // the largest norm outside sink and window, and what no rest scores; infinite if not known
};

// Sums over the drawn keys of a head, relative to 2^exponent.
struct RestSums {
  float all, certain, square;
  float lost[kFixedBets];
  std::uint32_t broken;  // drawn keys above their ceiling
};
struct RestPart {
  float exponent;
  RestSums sums;
  float octaves;  // of the ceiling of a drawn weight, of which the probability is yet to be divided out
  float rate;
  std::uint32_t keys;  // that may be of the rest
  bool has_room;
};

// Blocks that read the drawn keys of a list, a share of them each: 384 keys at once.
constexpr int kRestParts = 3;

// In the workspace, of so many lists and heads.
struct RestWork {
  ListEnd* ends;    // [lists]
  DrawnRow* rows;   // [lists]
  DrawnKey* drawn;  // [lists, room], by rising key
  RestPart* parts;  // [heads, kRestParts]
  float* vectors;   // [heads, kRestParts, dim]
  std::int64_t bytes;

  RestWork(void* begin, const skt_shape& shape, std::int64_t lists, std::int64_t samples) {
    const std::int64_t heads = shape.batch * shape.heads;
    std::int64_t used = 0;
    const auto take = [&]<class T>(T*& piece, std::int64_t count) {
      piece = begin == nullptr ? nullptr : reinterpret_cast<T*>(static_cast<std::byte*>(begin) + used);
      used += ceil_div(count * std::int64_t{sizeof(T)}, 16) * 16;
    };
    take(ends, lists);
    take(rows, lists);
    take(drawn, lists * rest_room(to_int(samples)));
    take(parts, heads * kRestParts);
    take(vectors, heads * kRestParts * shape.dim);
    bytes = used;
  }
};

struct RestArguments {
  skt_rest rest = {};  // rest_samples 0: none, and nothing here is looked at
  IndexPages pages;    // of the norms
  const void* norms = nullptr;
  const float* half_sums = nullptr;
  const float* normalisers = nullptr;  // [heads], in steps; null: scores of lists of one head
  std::uint32_t* progress = nullptr;   // [lists], of what is drawn: shares of kWholeRow; or null
  ListEnd* ends = nullptr;
  DrawnRow* rows = nullptr;
  DrawnKey* drawn = nullptr;
  RestPart* parts = nullptr;
  float* vectors = nullptr;
  int room = 0;
  int lists_to_kv_head = 1;
  int tables = 0, planes = 0;
  float weight_scale = 0;
  float octaves_of_length = 0;      // of the ceilings, to |q| |k|,
  float octaves_of_projection = 0;  // to the largest projection times |k|,
  float octaves_of_score = 0;       // and to the largest score
  float normal_quantile = 0;        // of 1 - delta

  SKT_HD bool samples() const { return rest.rest_samples != 0; }
};

RestArguments rest_arguments(const RestStage& stage);

}  // namespace skt::gpu

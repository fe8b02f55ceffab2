// What do the kernels of a step know of the rest of its lists, and where does each leave it for the next?
//
// The half-tables' kernel looks at norms (gpu/rest/largest_norms.cuh), the selection says where lists end. Blocks of the
// attention's kernel draw keys (gpu/attention/draw_rest.cuh), each of a part of the row, and read them as others do the list
// (gpu/attention/weigh_rest.cuh). The merge makes results of the parts (gpu/attention/rest_result.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "estimators/residual/fixed_bet.hpp"
#include "gpu/decode/decode_stages.hpp"
#include "gpu/functors/host_device.hpp"
#include "gpu/functors/index_pages.hpp"
#include "gpu/functors/rest_sample.hpp"
#include "gpu/functors/softmax_merge.hpp"
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

// The most warps that look for the largest norm of a kv row.
constexpr int kMostNormShares = 128;

// Drawn from a part of a row, by rising key.
struct DrawnKeys {
  std::int32_t* key;       // [room]
  std::uint32_t* last;     // [room], word that draws it
  std::uint32_t* ordered;  // [room], its score

  SKT_HD DrawnKeys of_slot(int slot, int room) const {
    const std::int64_t first = std::int64_t{slot} * room;
    return {key + first, last + first, ordered + first};
  }
};

// What was drawn from a part of a row, less what is listed.
struct DrawnList {
  DrawnKeys drawn;
  int count;
  ListEnd end;

  // Whether drawn key i is there and not listed.
  SKT_HD bool is_rest(int i) const { return i < count && !end.has(drawn.ordered[i], drawn.key[i]); }
};

// How many keys were drawn from a part of a row, and what each part says of the row.
struct DrawnRow {
  std::uint32_t drawn;  // keys of the part; may be more than there is room for
  std::uint32_t keys;   // of the row that may be of the rest
  float rate, normaliser;
  float norm, score;  // the largest norm outside sink and window, and what no rest scores; infinite if not known
};

// Sums over the drawn keys of a head, relative to 2^exponent of its part.
struct RestSums {
  float certain, square;
  float lost[kFixedBets];
  std::uint32_t broken;  // drawn keys above their ceiling
  float octaves;         // of the ceiling of a drawn weight, of which the probability is yet to be divided out
};

// At most so many blocks draw and read keys of a list, for kRestHeads heads that share it: more heads are as many passes.
constexpr int kMostRestParts = 5;
constexpr int kRestHeads = 4;

// In the workspace, of so many lists and heads.
struct RestWork {
  std::uint32_t* largest_norms = nullptr;  // [batch, kv_heads, kMostNormShares], bits of fp16 numbers
  ListEnd* ends = nullptr;                 // [lists]
  DrawnRow* rows = nullptr;                // [lists, passes, kMostRestParts]
  DrawnKeys drawn = {};                    // [lists, passes, kMostRestParts, room]
  float* logits = nullptr;                 // [heads, kMostRestParts, room], to base 2
  SoftmaxPart<float>* softmax = nullptr;   // [heads, kMostRestParts]
  RestSums* sums = nullptr;                // [heads, kMostRestParts]
  float* vectors = nullptr;                // [heads, kMostRestParts, dim]
  int room = 0;
  std::int64_t bytes = 0;

  RestWork() = default;
  RestWork(void* begin, const skt_shape& shape, std::int64_t lists, std::int64_t samples) {
    const std::int64_t heads = shape.batch * shape.heads;
    const std::int64_t slots = lists * ceil_div(heads / lists, kRestHeads) * kMostRestParts;
    std::int64_t used = 0;
    const auto take = [&]<class T>(T*& piece, std::int64_t count) {
      piece = begin == nullptr ? nullptr : reinterpret_cast<T*>(static_cast<std::byte*>(begin) + used);
      used += ceil_div(count * std::int64_t{sizeof(T)}, 16) * 16;
    };
    room = rest_room(to_int(samples));
    take(largest_norms, shape.batch * shape.kv_heads * kMostNormShares);
    take(ends, lists);
    take(rows, slots);
    take(drawn.key, slots * room);
    take(drawn.last, slots * room);
    take(drawn.ordered, slots * room);
    take(logits, heads * kMostRestParts * room);
    take(softmax, heads * kMostRestParts);
    take(sums, heads * kMostRestParts);
    take(vectors, heads * kMostRestParts * shape.dim);
    bytes = used;
  }
};

struct RestArguments : RestWork {
  skt_rest rest = {};  // rest_samples 0: none, and nothing here is looked at
  IndexPages pages;    // of the norms
  const void* norms = nullptr;
  const float* half_sums = nullptr;
  const float* normalisers = nullptr;     // [heads], in steps; null: scores of lists of one head
  const std::uint32_t* scored = nullptr;  // [lists], counters of the scores' progress; or null
  const void* scores = nullptr;           // [lists, capacity], of enum skt_type score_type
  std::int64_t capacity = 0;
  std::int32_t score_type = SKT_F32;
  int unscored = 0;                       // keys of a row, its last, that have no scores yet
  const std::uint32_t* counts = nullptr;  // [lists, kScoreBins]; or null
  std::uint32_t lowest = 0;               // bin of scores
  skt_sequences sequences = {};
  skt_list list = {};
  int kv_rows = 0, norm_shares = 0;  // of each
  int kv_heads = 1, lists_to_sequence = 1, lists_to_kv_head = 1;
  int tables = 0, planes = 0;
  float weight_scale = 0;
  float octaves_of_length = 0;      // of the ceilings, to |q| |k|,
  float octaves_of_projection = 0;  // to the largest projection times |k|,
  float octaves_of_score = 0;       // and to the largest score
  // The attention's launch adds
  float quantile = 0;  // of the normal law at 1 - delta, and
  int parts = 0;       // how many blocks a list has

  // [room], to base 2, of a head's keys in a part.
  SKT_HD float* logits_of(int head, int part) const {
    return logits + (std::int64_t{head} * kMostRestParts + part) * room;
  }
  SKT_HD bool samples() const { return rest.rest_samples != 0; }
};

RestArguments rest_arguments(const RestStage& stage);
float normal_quantile(double delta);         // x with P(normal > x) = delta
ListEnd* rest_ends(const RestStage& stage);  // null without a rest

}  // namespace skt::gpu

// How many keys has a sequence of a step, where does its window begin, and how many of the others are selected? Which of
// its keys were appended before?
//
// By a number for all sequences, or by one of each in device memory, so that one captured graph serves every length.
// Whole numbers only. Every stage asks these functions, so that none counts a sequence otherwise than another does.
#pragma once

#include <cstdint>

#include "gpu/functors/host_device.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

// As it stands there. A kernel of a step reads it before its wait (gpu/device/launch.cuh), so from L2: an L1 might hold
// that of the step before.
SKT_HD inline int given_length(const std::int32_t* lengths, int sequence) {
#ifdef __CUDA_ARCH__
  return __ldcg(lengths + sequence);
#else
  return lengths[sequence];
#endif
}

// `lengths` null: `most` for all. A length outside 0 .. most counts as the nearer end: arrays hold no more.
SKT_HD inline int length_of(const std::int32_t* lengths, int sequence, int most) {
  if (lengths == nullptr) return most;
  const int length = given_length(lengths, sequence);
  return length < 0 ? 0 : length < most ? length : most;
}

// Keys of a sequence that are scored: none where it is attended to whole.
SKT_HD inline int scored_length(const skt_sequences& sequences, int sequence) {
  const int length = length_of(sequences.lengths, sequence, static_cast<int>(sequences.used));
  return length > sequences.dense_up_to ? length : 0;
}

// The query rows of a sequence stand at its last positions, one behind the other: a row sees the keys up to its own, so
// as many less as `behind` rows come behind it; none where the sequence is shorter than that.
SKT_HD constexpr int length_before(int length, int behind) {
  return length > behind ? length - behind : 0;
}

// 0 and 1 say one.
SKT_HD constexpr int query_rows_of(const skt_shape& shape) {
  return shape.query_rows > 1 ? static_cast<int>(shape.query_rows) : 1;
}

// Rows of an array [batch, query_rows, heads, ..].
SKT_HD constexpr std::int64_t all_rows(const skt_shape& shape) {
  return shape.batch * query_rows_of(shape) * shape.heads;
}

// Keys that a list has room for.
SKT_HD constexpr std::int64_t length_of_list(const skt_list& list) {
  return list.sink + list.budget + list.window;
}

// To which sequence does row `row` of [batch, query_rows, heads] belong, and how many query rows of it come
// behind?
struct RowPlace {
  int sequence, behind;
};
SKT_HD constexpr RowPlace place_of_row(int row, int heads, int query_rows) {
  const int query_row = row / heads;
  return {query_row / query_rows, query_rows - 1 - query_row % query_rows};
}

// The last `window` keys begin here; all keys where there are no more.
SKT_HD constexpr int window_begin(int length, int window) {
  return length > window ? length - window : 0;
}

// The best of the keys beside sink and window: `most`, or with a sparsity one key in so many, rounded down, at least
// one, at most `most`.
SKT_HD constexpr int budget_of(int length, int most, int sparsity) {
  if (sparsity == 0) return most;
  const int share = length / sparsity;
  const int wanted = share > 1 ? share : 1;
  return wanted < most ? wanted : most;
}

// The most keys of a sequence that a step appends. Its scores may be made before the codes of these are there
// (gpu/decode/decode_step.cpp).
inline constexpr int kMostAppended = 8;

// Keys begin .. end - 1; none where end <= begin.
struct KeyRange {
  std::int64_t begin, end;
};

// The first of the keys that an index function is given of a sequence, below 0 where it has fewer than `count`.
template <class Arguments>
SKT_HD std::int64_t first_appended(const Arguments& args, int sequence) {
  const skt_written& written = args.written;
  return written.lengths == nullptr ? written.first : given_length(written.lengths, sequence) - written.count;
}

// What an index function writes of a sequence. `lengths` null: keys first .. first + count - 1; else the last `count` keys
// of its length, but for those outside 0 .. capacity - 1.
template <class Arguments>
SKT_HD KeyRange appended_keys(const Arguments& args, int sequence) {
  const std::int64_t begin = first_appended(args, sequence);
  if (args.written.lengths == nullptr) return {begin, begin + args.written.count};
  const std::int64_t end = begin + args.written.count;
  return {begin > 0 ? begin : 0, end < args.shape.capacity ? end : args.shape.capacity};
}

}  // namespace skt::gpu

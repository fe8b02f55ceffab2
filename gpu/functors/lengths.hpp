// How many keys has a sequence of a step, where does its window begin, and how many of the others are selected? Which of
// its keys were appended before?
//
// By a number for all sequences, or by one of each in device memory, so that one captured graph serves every length.
// Whole numbers only. Every stage asks these functions, so that none counts a sequence otherwise than another does.
#pragma once

#include <cstdint>

#include "gpu/functors/host_device.hpp"

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

// The query rows of a sequence stand at its last positions, one behind the other: a row sees the keys up to its own, so
// as many less as `behind` rows come behind it; none where the sequence is shorter than that.
SKT_HD constexpr int length_before(int length, int behind) {
  return length > behind ? length - behind : 0;
}

// Fields `query_rows` say 0 or 1 for one.
SKT_HD constexpr int query_rows_of(std::int64_t field) {
  return field > 1 ? static_cast<int>(field) : 1;
}

// To which sequence does row `row` of [batch, query_rows, rows_per_length] belong, and how many query rows of it come
// behind?
struct RowPlace {
  int sequence, behind;
};
SKT_HD constexpr RowPlace place_of_row(int row, int rows_per_length, int query_rows) {
  const int query_row = row / rows_per_length;
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

// Keys begin .. end - 1; none where end <= begin.
struct KeyRange {
  std::int64_t begin, end;
};

// What an index function writes of a sequence. `lengths` null: keys first .. first + count - 1; else the last `count` keys
// of its length, but for those outside 0 .. capacity - 1.
template <class Arguments>
SKT_HD KeyRange appended_keys(const Arguments& args, int sequence) {
  if (args.lengths == nullptr) return {args.first, args.first + args.count};
  const std::int64_t end = given_length(args.lengths, sequence);
  const std::int64_t begin = end - args.count;
  return {begin > 0 ? begin : 0, end < args.capacity ? end : args.capacity};
}

}  // namespace skt::gpu

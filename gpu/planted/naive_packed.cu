// Packed codes and the scores from them, one thread to a word and to a key of one head; see planted.hpp.
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/half_score.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/planted/naive_pages.cuh"
#include "gpu/planted/planted.hpp"

namespace skt::gpu {
namespace {

constexpr int kThreads = 128;

// Grid: [ceil(count / kThreads), words, batch * kv_heads].
__global__ void naive_pack_codes(skt_pack_codes_args args) {
  const KeyRange range = appended_keys(args, to_int(blockIdx.z / args.shape.kv_heads));
  const std::int64_t key = range.begin + std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (key >= range.end) return;
  const std::int64_t word = blockIdx.y;
  const int planes = to_int(args.shape.planes);
  const std::uint32_t mask = (1u << planes) - 1u;
  const auto code_of = [&](std::int64_t table) {
    return std::uint64_t{args.codes[(blockIdx.z * args.shape.tables + table) * args.shape.capacity + key] & mask};
  };
  const std::int64_t words = words_per_key(args.shape.tables, args.shape.planes);
  std::uint32_t packed = packed_word(code_of, args.shape.tables, args.shape.planes, word);
  if (kPlanted == Planted::straddling_codes_cut) {
    for (int place = 0; place < 32; ++place) {
      const CodeBit at = code_bit(word, place, planes);
      if (bit_place(at.table, at.bit, planes).carried) packed &= ~(1u << place);
    }
  }
  args.packed[word_place(args, blockIdx.z, key, word, words)] = packed;
}

struct Halves {
  float high, low;
};

// What one key looks up in one table of its row's half-tables.
struct LookUp {
  const float* half_tables;  // of the row
  const skt_score_packed_args& args;
  std::int64_t kv_row, key, words;
  int planes;

  __device__ std::uint32_t code(std::int64_t table) const {
    std::uint32_t code = 0;
    for (int bit = 0; bit < planes; ++bit) {
      const BitPlace at = bit_place(table, bit, planes);
      code |= (args.packed[word_place(args, kv_row, key, at.word, words)] >> at.bit & 1u) << bit;
    }
    return code;
  }
  __device__ Halves operator()(std::int64_t table) const {
    const std::uint32_t bits = code(table);
    const std::uint32_t low_entries = 1u << low_planes(planes);
    const std::uint32_t shift = kPlanted == Planted::low_half_shifted ? 1 : 0;
    const float* entries = half_tables + table * half_table_entries(planes);
    return {entries[bits >> low_planes(planes)], entries[(1 << high_planes(planes)) + (bits + shift) % low_entries]};
  }
};

__device__ float sum_in_half(const LookUp& look_up, std::int64_t tables) {
  float sum = 0;
  __half chain = __float2half_rn(0);
  for (std::int64_t table = 0; table < tables; ++table) {
    const Halves entry = look_up(table);
    const __half high = __float2half_rn(entry.high * kHalfEntryScale);
    const __half low = __float2half_rn(entry.low * kHalfEntryScale);
    chain = table % kChainTables == 0 ? __hmul(high, low) : __hfma(high, low, chain);
    if (table % kChainTables == kChainTables - 1 || table + 1 == tables) sum += __half2float(chain);
  }
  return sum * kHalfSumScale;
}

__device__ float sum_in_single(const LookUp& look_up, std::int64_t tables, int rule) {
  float sum = 0;
  for (std::int64_t table = 0; table < tables; ++table) {
    const Halves entry = look_up(table);
    sum = rule == SKT_SIGNED_PROJECTION ? sum + (entry.high + entry.low) : fmaf(entry.high, entry.low, sum);
  }
  return sum;
}

// The signed rule of query heads that share a kv head.
__device__ float grouped_score(const LookUp& look_up, int tables, float norm) {
  const int planes = look_up.planes;
  const auto projection = [&](int table, int bit) {
    return projection_of(look_up.half_tables + table * half_table_entries(planes), bit, planes);
  };
  float largest = 0;
  for (int i = 0; i < tables * planes; ++i) {
    const float size = fabsf(projection(i / planes, i % planes));
    if (isnan(size) || size > largest) largest = size;
  }
  int set = 0;
  int all = 0;
  for (int table = 0; table < tables; ++table) {
    const std::uint32_t code = look_up.code(table);
    for (int bit = 0; bit < planes; ++bit) {
      const int weight = fixed_weight(projection(table, bit), inverse_weight_unit(largest));
      all += weight;
      set += (code >> bit & 1u) != 0 ? weight : 0;
    }
  }
  return to_float(__float2bfloat16_rn(signed_score(set, all, weight_unit(largest), norm)));
}

// Grid: [ceil(keys / kThreads), batch * query rows * heads].
__global__ void naive_score_packed(skt_score_packed_args args) {
  const std::int64_t key = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::int64_t row = blockIdx.y;
  const RowPlace place = place_of_row(blockIdx.y, to_int(args.shape.heads), query_rows_of(args.shape));
  const std::int64_t batch = place.sequence;
  if (key >=
      length_before(length_of(args.sequences.lengths, place.sequence, to_int(args.sequences.used)), place.behind))
    return;
  const std::int64_t group = args.shape.heads / args.shape.kv_heads;
  const std::int64_t kv_row = batch * args.shape.kv_heads + row % args.shape.heads / group;
  const int planes = to_int(args.shape.planes);
  const std::int64_t words = words_per_key(args.shape.tables, args.shape.planes);
  const LookUp look_up = {
      args.half_tables + row * args.shape.tables * half_table_entries(planes), args, kv_row, key, words, planes};
  const bool in_half = args.rule == SKT_SOFT_COLLISION && scores_in_half(group, args.shape.tables, planes);
  const float norm = to_float(static_cast<const __half*>(args.norms)[number_place(args, kv_row, key)]);
  const std::int64_t head = batch * args.shape.heads + row % args.shape.heads;
  const bool forbidden = args.mask.allowed != nullptr && args.mask.allowed[mask_place(args, head, key)] == 0;
  const float sum =
      in_half ? sum_in_half(look_up, args.shape.tables) : sum_in_single(look_up, args.shape.tables, args.rule);
  const bool in_groups = args.rule == SKT_SIGNED_PROJECTION && group > 1;
  const float score = in_groups ? grouped_score(look_up, to_int(args.shape.tables), norm) : norm * sum;
  store_as(args.score_type, args.scores, row * args.shape.capacity + key, forbidden ? -INFINITY : score);
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_pack_codes(const skt_pack_codes_args* args, CUstream_st* stream, skt_error* error) {
  const int code = right<decltype(skt_pack_codes)>("skt_pack_codes")(args, stream, error);
  if (code != SKT_OK || args->written.count == 0) return code;
  const dim3 grid =
      grid_of(ceil_div(args->written.count, kThreads), words_per_key(args->shape.tables, args->shape.planes),
              args->shape.batch * args->shape.kv_heads);
  naive_pack_codes<<<grid, kThreads, 0, stream>>>(*args);
  return launched(error);
}

int skt_score_packed(const skt_score_packed_args* args, CUstream_st* stream, skt_error* error) {
  const int code = right<decltype(skt_score_packed)>("skt_score_packed")(args, stream, error);
  if (code != SKT_OK || args->sequences.used == 0) return code;
  const dim3 grid = grid_of(ceil_div(args->sequences.used, kThreads), all_rows(args->shape));
  naive_score_packed<<<grid, kThreads, 0, stream>>>(*args);
  return launched(error);
}

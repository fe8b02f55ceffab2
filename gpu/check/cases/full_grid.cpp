#include "gpu/check/cases/quick_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "gpu/check/cases/axes.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "sim/require.hpp"

namespace skt::gpu {
namespace {

// What the host can draw and check in a second or two, in elements of the largest arrays.
constexpr std::int64_t kMostCacheElements = std::int64_t{1} << 26;
constexpr std::int64_t kMostCodes = std::int64_t{1} << 27;
constexpr std::int64_t kMostScores = std::int64_t{1} << 25;
constexpr std::int64_t kMostRowScores = std::int64_t{1} << 21;  // of query rows, all compared for many lengths
constexpr std::int64_t kMostBuckets = std::int64_t{1} << 24;
constexpr std::int64_t kMostReferenceBuckets = std::int64_t{1} << 21;  // of one row: softmax in double
constexpr std::int64_t kMostPagedWords = std::int64_t{1} << 23;
constexpr std::int64_t kMostPagedScores = std::int64_t{1} << 21;
constexpr std::int64_t kMostHashing = std::int64_t{1} << 27;  // tables * planes * dim * compared keys

bool hashes(const CheckCase& c) {
  return c.operation != Operation::select_keys && c.operation != Operation::sparse_attention &&
         c.operation != Operation::published_list;
}

bool steps(const CheckCase& c) {
  return c.operation == Operation::decode_step || c.operation == Operation::decode_signed ||
         c.operation == Operation::paged_index || c.operation == Operation::decode_rows;
}

bool attends(const CheckCase& c) {
  return c.operation == Operation::sparse_attention || c.operation == Operation::published_list || steps(c);
}

std::string axes_for(const CheckCase& c) {
  const bool builds = c.operation == Operation::build_index, selects = c.operation == Operation::select_keys;
  std::string axes = "keys=1|31|32|33|1000|4096|32768|131072|1048576 batch=1|2|3|8 kv_heads=1|2|5|8 group=1|2|3|4|8";
  // Attention over huge numbers or NaN has no tolerance to be held against. Nor have the tensor cores' sums over numbers
  // below the normal range; and of equal keys all bits or none lie within the rounding bound.
  axes += builds       ? " inputs=gaussian|dyadic|zeros|large|needle"
          : attends(c) ? " inputs=gaussian|dyadic|ties|zeros|constant|low-contrast|large|subnormals|needle"
                       : " inputs=*";
  axes += " mask=*";
  if (!selects) {
    axes += attends(c) || builds ? " dim=32|64|128|256" : " dim=16|24|64|96|128|200|256";
    axes += builds ? " type=f16|bf16" : " type=*";
  }
  if (hashes(c) && c.operation != Operation::value_norms) {
    const PlaneRange planes = planes_of(c.operation);
    axes += fmt::format(" planes={}..{} tables=1|2|7|31|32|33|60|64|128 temperature=0.05|0.3|0.5|2", planes.least,
                        planes.most);
  }
  if (c.operation == Operation::value_norms || c.operation == Operation::soft_buckets ||
      c.operation == Operation::score_buckets) {
    axes += " profile=*";
  }
  if (!hashes(c) || steps(c)) axes += " budget=1|37|128|1000 sink=0|5|128 window=0|7|128";
  if (c.operation == Operation::paged_index) {
    axes += " pages=hnd|nhd page_size=64|128|1024";
  } else if (c.operation == Operation::sparse_attention || steps(c)) {
    axes += " pages=* cache=* page_size=1|16|256";
  }
  if (c.operation == Operation::decode_rows) axes += " query_rows=1|2|3|8";
  if (c.operation == Operation::score_packed) axes += " lists=*";
  if (c.operation == Operation::sparse_attention || steps(c)) axes += " lists=* dense=0|100|5000";
  return axes;
}

// The half-tables of a head in the shared memory of a block (227 KiB on sm_90), tables padded to a multiple of 4.
bool fits_shared_memory(const CheckCase& c) {
  return (c.tables + 3) / 4 * 4 * half_table_entries(c.code_bits()) * 4 <= 227 * 1024;
}

// An index is put into pages by the host, and its scores are compared at every length of some twenty.
bool affordable_in_pages(const CheckCase& c) {
  return c.batch * c.kv_heads * c.capacity * words_per_key(c.tables, c.planes) <= kMostPagedWords &&
         c.batch * c.heads * c.capacity <= kMostPagedScores;
}

bool is_valid(const CheckCase& c) {
  try {
    c.require_valid_lists();
  } catch (const InputError&) {
    return false;
  }
  return true;
}

bool affordable(const CheckCase& c) {
  if (!is_valid(c) || c.heads > 64 || (c.planes > kMostInt16Planes && c.profile != Profile::paper)) return false;
  if ((c.operation == Operation::score_packed || steps(c)) && !fits_shared_memory(c)) return false;
  const std::int64_t capacity = c.capacity;
  const std::int64_t reference = c.tables << c.planes;
  const std::int64_t sampled = std::ssize(sampled_keys(capacity));
  const bool builds = c.operation == Operation::build_index;
  const bool scores = c.operation != Operation::hash_keys && c.operation != Operation::value_norms && !builds;
  const std::int64_t compared = builds ? c.batch * c.kv_heads * c.keys : sampled;  // its keys are all compared
  return c.batch * c.kv_heads * capacity * c.dim <= kMostCacheElements &&
         (!hashes(c) || c.batch * c.kv_heads * capacity * c.tables <= kMostCodes) &&
         (!scores || c.batch * c.heads * capacity <= kMostScores) &&
         (!hashes(c) || !scores || reference <= kMostReferenceBuckets) &&
         (!hashes(c) || !scores || c.batch * c.heads * reference <= kMostBuckets) &&
         (!hashes(c) || c.tables * c.planes * c.dim * compared <= kMostHashing) &&
         (c.operation != Operation::paged_index || affordable_in_pages(c)) &&
         (c.operation != Operation::decode_rows || c.all_rows() * capacity <= kMostRowScores) &&
         // The exact scores of a decode step are taken for every key.
         (!steps(c) || c.keys * c.tables <= (1 << 21));
}

CheckCase smallest(Operation operation) {
  CheckCase c;
  c.operation = operation;
  c.keys = 1;
  c.dim = 32;
  c.tables = 1;
  c.planes = planes_of(operation).least;
  c.budget = 1;
  return c;
}

CheckCase full_case(const CheckCase& base, const std::vector<Axis>& axes, const Combination& taken) {
  CheckCase c = case_with(base, axes, taken);
  c.heads = std::max(c.heads, c.kv_heads);
  c.capacity = (c.keys / kTileKeys + 1) * kTileKeys;  // at least one key of the cache is unused
  return c;
}

}  // namespace

std::vector<CheckCase> pairs_of_axes(std::uint64_t seed) {
  std::vector<CheckCase> cases;
  for (const Operation operation :
       {Operation::hash_keys, Operation::build_index, Operation::value_norms, Operation::soft_buckets,
        Operation::score_buckets, Operation::score_packed, Operation::select_keys, Operation::published_list,
        Operation::sparse_attention, Operation::decode_step, Operation::decode_signed, Operation::paged_index,
        Operation::decode_rows}) {
    CheckCase base = smallest(operation);
    base.seed = seed;
    const std::vector<Axis> axes = axes_of(axes_for(base));
    const auto allowed = [&](const Combination& taken) { return affordable(full_case(base, axes, taken)); };
    for (const Combination& taken : pair_covering(sizes_of(axes), allowed))
      cases.push_back(full_case(base, axes, taken));
  }
  return cases;
}

}  // namespace skt::gpu

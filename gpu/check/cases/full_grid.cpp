#include "gpu/check/cases/full_grid.hpp"

#include <algorithm>
#include <iterator>

#include "gpu/check/cases/axes.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"

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

// Attention over huge numbers or NaN has no tolerance to be held against. Nor have the tensor cores' sums over numbers
// below the normal range; and of equal keys all bits or none lie within the rounding bound.
std::vector<InputKind> inputs_for(const CheckCase& c) {
  std::vector<InputKind> kinds = values_of<InputKind>();
  if (c.operation == Operation::build_index) {
    return {InputKind::gaussian, InputKind::dyadic, InputKind::zeros, InputKind::large, InputKind::needle};
  }
  if (attends(c)) {
    std::erase_if(kinds, [](InputKind kind) { return kind == InputKind::huge || kind == InputKind::non_finite; });
  }
  return kinds;
}

std::vector<Axis> axes_for(const CheckCase& c) {
  const bool builds = c.operation == Operation::build_index;
  const PlaneRange range = planes_of(c.operation);
  std::vector<std::int64_t> planes;
  for (std::int64_t p = range.least; p <= range.most; ++p) planes.push_back(p);
  std::vector<Axis> axes = {axis<std::int64_t>({1, 31, 32, 33, 1000, 4096, 32768, 131072, 1 << 20}, &CheckCase::keys),
                            axis<std::int64_t>({1, 2, 3, 8}, &CheckCase::batch),
                            axis<std::int64_t>({1, 2, 5, 8}, &CheckCase::kv_heads),
                            groups({1, 2, 3, 4, 8}),
                            axis(inputs_for(c), &CheckCase::inputs),
                            axis(values_of<MaskKind>(), &CheckCase::mask)};
  const std::vector<std::int64_t> dims = attends(c) || builds
                                             ? std::vector<std::int64_t>{32, 64, 128, 256}
                                             : std::vector<std::int64_t>{16, 24, 64, 96, 128, 200, 256};
  if (c.operation != Operation::select_keys) {
    axes.push_back(axis(dims, &CheckCase::dim));
    axes.push_back(
        axis(builds ? std::vector{NumberType::f16, NumberType::bf16} : values_of<NumberType>(), &CheckCase::type));
  }
  if (hashes(c) && c.operation != Operation::value_norms) {
    axes.push_back(axis(planes, &CheckCase::planes));
    axes.push_back(axis<std::int64_t>({1, 2, 7, 31, 32, 33, 60, 64, 128}, &CheckCase::tables));
    axes.push_back(axis<double>({0.05, 0.3, 0.5, 2}, &CheckCase::temperature));
  }
  if (c.operation == Operation::value_norms || c.operation == Operation::soft_buckets ||
      c.operation == Operation::score_buckets) {
    axes.push_back(axis(values_of<Profile>(), &CheckCase::profile));
  }
  if (!hashes(c) || steps(c)) {
    axes.push_back(axis<std::int64_t>({1, 37, 128, 1000}, &CheckCase::budget));
    axes.push_back(axis<std::int64_t>({0, 5, 128}, &CheckCase::sink));
    axes.push_back(axis<std::int64_t>({0, 7, 128}, &CheckCase::window));
  }
  if (c.operation == Operation::paged_index) {
    axes.push_back(axis<PageLayout>({PageLayout::hnd, PageLayout::nhd}, &CheckCase::pages));
    axes.push_back(axis<std::int64_t>({64, 128, 1024}, &CheckCase::page_size));
  } else if (c.operation == Operation::sparse_attention || steps(c)) {
    axes.push_back(axis(values_of<PageLayout>(), &CheckCase::pages));
    axes.push_back(axis(values_of<CacheForm>(), &CheckCase::cache));
    axes.push_back(axis<std::int64_t>({1, 16, 256}, &CheckCase::page_size));
  }
  if (c.operation == Operation::decode_rows) axes.push_back(axis<std::int64_t>({1, 2, 3, 8}, &CheckCase::query_rows));
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

bool affordable(const CheckCase& c) {
  if (c.heads > 64 || (c.planes > kMostInt16Planes && c.profile != Profile::paper)) return false;
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
    if (operation == Operation::paged_index) {
      base.pages = PageLayout::hnd;
      base.page_size = kTileKeys;
    }
    base.seed = seed;
    const std::vector<Axis> axes = axes_for(base);
    const auto allowed = [&](const Combination& taken) { return affordable(full_case(base, axes, taken)); };
    for (const Combination& taken : pair_covering(sizes_of(axes), allowed))
      cases.push_back(full_case(base, axes, taken));
  }
  return cases;
}

}  // namespace skt::gpu

#include "gpu/check/cases/full_grid.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "gpu/check/cases/pair_covering.hpp"
#include "gpu/check/cases/published_profile.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

// What the host can draw and check in a second or two, in elements of the largest arrays.
constexpr std::int64_t kMostCacheElements = std::int64_t{1} << 26;
constexpr std::int64_t kMostCodes = std::int64_t{1} << 27;
constexpr std::int64_t kMostScores = std::int64_t{1} << 25;
constexpr std::int64_t kMostBuckets = std::int64_t{1} << 24;
constexpr std::int64_t kMostReferenceBuckets = std::int64_t{1} << 21;  // of one row: softmax in double
constexpr std::int64_t kMostHashing = std::int64_t{1} << 27;           // tables * planes * dim * compared keys

// One axis: how many values it has, and what value i makes of a case.
struct Axis {
  std::size_t size = 0;
  std::function<void(CheckCase&, std::size_t)> set;
};

template <class Value, class Member>
Axis axis(std::vector<Value> values, Member member) {
  const std::size_t size = values.size();
  return {size, [values = std::move(values), member](CheckCase& c, std::size_t i) { c.*member = values[i]; }};
}

bool hashes(const CheckCase& c) {
  return c.operation != "select-keys" && c.operation != "sparse-attention" && c.operation != "published-list";
}

bool steps(const CheckCase& c) {
  return c.operation == "decode-step" || c.operation == "decode-signed";
}

bool attends(const CheckCase& c) {
  return c.operation == "sparse-attention" || c.operation == "published-list" || steps(c);
}

// Attention over huge numbers or NaN has no tolerance to be held against. Nor have the tensor cores' sums
// over numbers below the normal range; and of equal keys all bits or none lie within the rounding bound.
std::vector<std::string> inputs_for(const CheckCase& c) {
  std::vector<std::string> kinds = input_kinds();
  if (c.operation == "build-index") return {"gaussian", "dyadic", "zeros", "large", "needle"};
  if (attends(c)) {
    std::erase_if(kinds, [](const std::string& kind) { return kind == "huge" || kind == "non-finite"; });
  }
  return kinds;
}

std::vector<Axis> axes_for(const CheckCase& c) {
  const bool builds = c.operation == "build-index";
  const bool short_codes = c.operation == "score-packed" || steps(c) || builds;
  std::vector<std::int64_t> planes;
  const std::vector<std::string>& longest = operations_of_16_planes();
  const bool packs = std::find(longest.begin(), longest.end(), c.operation) != longest.end();
  const std::int64_t most_planes = packs ? kMostInt16Planes + 1 : kMostInt16Planes;
  for (std::int64_t p = short_codes ? 4 : 1; p <= most_planes; ++p) planes.push_back(p);
  std::vector<Axis> axes = {
      axis<std::int64_t>({1, 31, 32, 33, 1000, 4096, 32768, 131072, 1 << 20}, &CheckCase::keys),
      axis<std::int64_t>({1, 2, 3, 8}, &CheckCase::batch),
      axis<std::int64_t>({1, 2, 5, 8}, &CheckCase::kv_heads),
      {5, [](CheckCase& x, std::size_t i) { x.heads = x.kv_heads * std::int64_t{std::array{1, 2, 3, 4, 8}[i]}; }},
      axis<std::string>(inputs_for(c), &CheckCase::inputs),
      axis<std::string>(mask_kinds(), &CheckCase::mask)};
  const std::vector<std::int64_t> dims = attends(c) || builds
                                             ? std::vector<std::int64_t>{32, 64, 128, 256}
                                             : std::vector<std::int64_t>{16, 24, 64, 96, 128, 200, 256};
  if (c.operation != "select-keys") {
    axes.push_back(axis(dims, &CheckCase::dim));
    axes.push_back(
        axis(builds ? std::vector<std::string>{"f16", "bf16"} : std::vector<std::string>{"f32", "f16", "bf16"},
             &CheckCase::type));
  }
  if (hashes(c) && c.operation != "value-norms") {
    axes.push_back(axis(planes, &CheckCase::planes));
    axes.push_back(axis<std::int64_t>({1, 2, 7, 31, 32, 33, 60, 64, 128}, &CheckCase::tables));
    axes.push_back(axis<double>({0.05, 0.3, 0.5, 2}, &CheckCase::temperature));
  }
  if (c.operation == "value-norms" || c.operation == "soft-buckets" || c.operation == "score-buckets") {
    axes.push_back(axis(profile_names(), &CheckCase::profile));
  }
  if (!hashes(c) || steps(c)) {
    axes.push_back(axis<std::int64_t>({1, 37, 128, 1000}, &CheckCase::budget));
    axes.push_back(axis<std::int64_t>({0, 5, 128}, &CheckCase::sink));
    axes.push_back(axis<std::int64_t>({0, 7, 128}, &CheckCase::window));
  }
  if (c.operation == "sparse-attention" || steps(c)) {
    axes.push_back(axis<std::string>({"none", "hnd", "nhd"}, &CheckCase::pages));
    axes.push_back(axis<std::int64_t>({1, 16, 256}, &CheckCase::page_size));
  }
  return axes;
}

// The half-tables of a head in the shared memory of a block (227 KiB on sm_90), tables padded to a multiple
// of 4.
bool fits_shared_memory(const CheckCase& c) {
  const std::int64_t entries = half_table_entries(static_cast<int>(c.planes));
  return (c.tables + 3) / 4 * 4 * entries * 4 <= 227 * 1024;
}

bool affordable(const CheckCase& c) {
  if (c.heads > 64 || (c.planes > kMostInt16Planes && c.profile != "paper")) return false;
  if ((c.operation == "score-packed" || steps(c)) && !fits_shared_memory(c)) return false;
  const std::int64_t capacity = c.capacity;
  const std::int64_t reference = c.tables << c.planes;
  const std::int64_t sampled = static_cast<std::int64_t>(sampled_keys(capacity).size());
  const bool builds = c.operation == "build-index";
  const bool scores = c.operation != "hash-keys" && c.operation != "value-norms" && !builds;
  const std::int64_t compared = builds ? c.batch * c.kv_heads * c.keys : sampled;  // its keys are all compared
  return c.batch * c.kv_heads * capacity * c.dim <= kMostCacheElements &&
         (!hashes(c) || c.batch * c.kv_heads * capacity * c.tables <= kMostCodes) &&
         (!scores || c.batch * c.heads * capacity <= kMostScores) &&
         (!hashes(c) || !scores || reference <= kMostReferenceBuckets) &&
         (!hashes(c) || !scores || c.batch * c.heads * reference <= kMostBuckets) &&
         (!hashes(c) || c.tables * c.planes * c.dim * compared <= kMostHashing) &&
         // The exact scores of a decode step are taken for every key.
         (!steps(c) || c.keys * c.tables <= (1 << 21));
}

CheckCase smallest(const std::string& operation) {
  CheckCase c;
  c.operation = operation;
  c.keys = 1;
  c.dim = 32;
  c.tables = 1;
  c.planes = operation == "score-packed" || steps(c) || operation == "build-index" ? 4 : 1;
  c.budget = 1;
  return c;
}

CheckCase case_of(const CheckCase& base, const std::vector<Axis>& axes, const Combination& taken) {
  CheckCase c = base;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (taken[a] != kUnset) axes[a].set(c, taken[a]);
  }
  c.heads = std::max(c.heads, c.kv_heads);
  c.capacity = (c.keys / kTileKeys + 1) * kTileKeys;  // at least one key of the cache is unused
  return c;
}

}  // namespace

std::vector<CheckCase> pairs_of_axes(std::uint64_t seed) {
  std::vector<CheckCase> cases;
  for (const std::string operation :
       {"hash-keys", "build-index", "value-norms", "soft-buckets", "score-buckets", "score-packed", "select-keys",
        "published-list", "sparse-attention", "decode-step", "decode-signed"}) {
    CheckCase base = smallest(operation);
    base.seed = seed;
    const std::vector<Axis> axes = axes_for(base);
    std::vector<std::size_t> sizes;
    for (const Axis& one : axes) sizes.push_back(one.size);
    const auto allowed = [&](const Combination& taken) { return affordable(case_of(base, axes, taken)); };
    for (const Combination& taken : pair_covering(sizes, allowed)) cases.push_back(case_of(base, axes, taken));
  }
  return cases;
}

}  // namespace skt::gpu

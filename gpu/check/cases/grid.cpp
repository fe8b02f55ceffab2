#include "gpu/check/cases/grid.hpp"

#include <fmt/format.h>

#include <charconv>

#include "gpu/check/cases/contract_cases.hpp"
#include "gpu/check/cases/full_grid.hpp"
#include "gpu/check/cases/quick_grid.hpp"
#include "sim/require.hpp"

namespace skt::gpu {
namespace {

// The number that all of `text` is; 0 for anything else.
std::size_t counted(std::string_view text) {
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() ? number : 0;
}

// A row's scores are the work of 17 blocks with four tiles to a warp, which end microseconds apart: a step that goes on
// with a row before all of them have ended takes what is not there yet.
CheckCase rows_of_many_blocks(std::uint64_t seed) {
  CheckCase c;
  c.operation = Operation::append_step;
  c.heads = c.kv_heads = 8;
  c.keys = 100'000;
  c.capacity = 100'032;
  c.dim = 128;
  c.tables = 60;
  c.planes = 10;
  c.seed = seed;
  return c;
}

// More than 2^31 elements of each array that a kernel addresses; up to 30 GB of device memory to a case.
std::vector<CheckCase> far_cases(std::uint64_t seed) {
  CheckCase codes;  // 64 * 128 * 2^18 codes and one row more
  codes.operation = Operation::far_addresses;
  codes.heads = codes.kv_heads = 65;
  codes.tables = 128;
  codes.keys = codes.capacity = std::int64_t{1} << 18;
  codes.planes = 3;
  codes.seed = seed;
  CheckCase packed = codes;  // 2050 * 2^20 scores, and as many words
  packed.operation = Operation::far_packed;
  packed.heads = packed.kv_heads = 2050;
  packed.tables = 8;
  packed.planes = 4;
  packed.keys = packed.capacity = std::int64_t{1} << 20;
  CheckCase four_heads = packed;
  four_heads.heads = 2052;
  four_heads.kv_heads = 513;
  CheckCase attention = packed;  // 17 * 2^20 * 128 elements
  attention.operation = Operation::far_attention;
  attention.heads = 34;
  attention.kv_heads = 17;
  attention.dim = 128;
  CheckCase index = attention;  // 17 * 2^20 * 122 words
  index.operation = Operation::far_index;
  index.heads = 17;
  index.tables = 300;
  index.planes = 13;
  return {codes, packed, four_heads, attention, index};
}

}  // namespace

std::vector<CheckCase> quick_grid(std::uint64_t seed) {
  Grid grid(seed);
  add_prefill_cases(grid);
  add_score_cases(grid);
  add_attention_cases(grid);
  add_step_cases(grid);
  add_query_row_cases(grid);
  add_shard_cases(grid);
  add_page_cases(grid);
  add_contract_cases(grid);
  return grid.take();
}

std::vector<CheckCase> full_grid(std::uint64_t seed) {
  std::vector<CheckCase> cases = quick_grid(seed);
  cases.push_back(rows_of_many_blocks(seed));
  const std::vector<CheckCase> pairs = pairs_of_axes(seed);
  cases.insert(cases.end(), pairs.begin(), pairs.end());
  const std::vector<CheckCase> far = far_cases(seed);
  cases.insert(cases.end(), far.begin(), far.end());
  return cases;
}

std::vector<CheckCase> grid_by_name(const std::string& name, std::uint64_t seed) {
  if (name == "tiny") return tiny_grid(seed);
  if (name == "quick") return quick_grid(seed);
  if (name == "full") return full_grid(seed);
  refuse("--grid {}: allowed are tiny, quick, full", name);
}

std::vector<CheckCase> no_larger(std::vector<CheckCase> cases, std::int64_t keys, std::int64_t buckets) {
  std::erase_if(cases, [&](const CheckCase& c) { return c.keys > keys || c.tables << c.planes > buckets; });
  return cases;
}

std::vector<CheckCase> slice_of(const std::vector<CheckCase>& cases, const std::string& slice) {
  const std::string_view text = slice;
  const std::size_t bar = text.find('/');
  const std::size_t i = counted(text.substr(0, bar));
  const std::size_t n = bar == std::string_view::npos ? 0 : counted(text.substr(bar + 1));
  if (i < 1 || i > n) refuse("--slice {}: allowed is I/N with 1 <= I <= N", slice);
  std::vector<CheckCase> taken;
  for (std::size_t at = i - 1; at < cases.size(); at += n) taken.push_back(cases[at]);
  return taken;
}

}  // namespace skt::gpu

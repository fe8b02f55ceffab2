#include "gpu/check/cases/grid.hpp"

#include <fmt/format.h>

#include <charconv>

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

}  // namespace

std::vector<CheckCase> quick_grid(std::uint64_t seed) {
  Grid grid(seed);
  add_prefill_cases(grid);
  add_score_cases(grid);
  add_attention_cases(grid);
  add_step_cases(grid);
  add_rest_cases(grid);
  add_query_row_cases(grid);
  add_shard_cases(grid);
  add_page_cases(grid);
  add_group_cases(grid);
  add_contract_cases(grid);
  return grid.take();
}

std::vector<CheckCase> full_grid(std::uint64_t seed) {
  Grid grid(seed);
  for (const CheckCase& c : quick_grid(seed)) grid.add(c);
  // A row's scores are the work of 17 blocks with four tiles to a warp, which end microseconds apart: a step that goes on
  // with a row before all of them have ended takes what is not there yet.
  grid.add("operation=append-step heads=8 kv_heads=8 keys=100000 dim=128 tables=60 planes=10");
  for (const CheckCase& c : pairs_of_axes(seed)) grid.add(c);
  // More than 2^31 elements of each array that a kernel addresses; up to 30 GB of device memory to a case.
  grid.add(R"(
# 64 * 128 * 2^18 codes and one row more.
operation=far-addresses heads,kv_heads=65,65 keys,capacity=262144,262144 tables=128 planes=3

keys,capacity=1048576,1048576:
  # 2050 * 2^20 scores, and as many words; the second of four heads at once.
  operation=far-packed heads,kv_heads=2050,2050|2052,513 tables=8 planes=4
  # 17 * 2^20 * 128 elements, and 122 words for each key.
  operation=far-attention heads=34 kv_heads=17 dim=128 tables=8 planes=4
  operation=far-index heads,kv_heads=17,17 dim=128 tables=300 planes=13
)");
  return grid.take();
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

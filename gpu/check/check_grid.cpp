#include "gpu/check/check_grid.hpp"

#include <fmt/format.h>

#include <charconv>

#include "gpu/check/full_grid.hpp"
#include "gpu/check/quick_grid.hpp"
#include "sim/input_error.hpp"

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
  add_decode_cases(grid);
  return grid.take();
}

std::vector<CheckCase> full_grid(std::uint64_t seed) {
  std::vector<CheckCase> cases = quick_grid(seed);
  const std::vector<CheckCase> pairs = pairs_of_axes(seed);
  cases.insert(cases.end(), pairs.begin(), pairs.end());
  CheckCase far;  // 64 * 128 * 2^18 codes and one row more than 2^31 elements
  far.operation = "far-addresses";
  far.heads = far.kv_heads = 65;
  far.tables = 128;
  far.keys = far.capacity = std::int64_t{1} << 18;
  far.planes = 3;
  far.seed = seed;
  cases.push_back(far);
  return cases;
}

std::vector<CheckCase> grid_by_name(const std::string& name, std::uint64_t seed) {
  if (name == "tiny") return tiny_grid(seed);
  if (name == "quick") return quick_grid(seed);
  if (name == "full") return full_grid(seed);
  throw InputError("--grid " + name + ": allowed are tiny, quick, full");
}

std::vector<CheckCase> slice_of(const std::vector<CheckCase>& cases, const std::string& slice) {
  const std::string_view text = slice;
  const std::size_t bar = text.find('/');
  const std::size_t i = counted(text.substr(0, bar));
  const std::size_t n = bar == text.npos ? 0 : counted(text.substr(bar + 1));
  if (i < 1 || i > n) throw InputError(fmt::format("--slice {}: allowed is I/N with 1 <= I <= N", slice));
  std::vector<CheckCase> taken;
  for (std::size_t at = i - 1; at < cases.size(); at += n) taken.push_back(cases[at]);
  return taken;
}

}  // namespace skt::gpu

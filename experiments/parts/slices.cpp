#include "experiments/parts/slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "sim/require.hpp"

namespace skt {
namespace {

constexpr Index kMostSlices = 100000;

// "I", `between`, "N" and nothing else.
std::optional<Slice> slice_in(std::string_view text, std::string_view between) {
  Slice slice;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, slice.number);
  if (first.ec != std::errc() || !std::string_view(first.ptr, end).starts_with(between)) return {};
  const auto last = std::from_chars(first.ptr + between.size(), end, slice.of);
  const bool is_slice = last.ec == std::errc() && last.ptr == end && slice.number >= 1 && slice.number <= slice.of &&
                        slice.of <= kMostSlices;
  return is_slice ? std::optional(slice) : std::nullopt;
}

}  // namespace

std::optional<Slice> slice_named(const std::string& text) {
  if (text.empty()) return {};
  const std::optional<Slice> slice = slice_in(text, "/");
  require(slice.has_value(), "--slice: {} given; allowed is I/N, from 1/N to N/N, with N up to {}", text, kMostSlices);
  return slice;
}

std::string name_of(const Slice& slice) {
  return fmt::format("{}/{}", slice.number, slice.of);
}

std::string journal_name(const Slice& slice) {
  return fmt::format("slice-{}-of-{}.jsonl", slice.number, slice.of);
}

std::optional<Slice> slice_of_journal(const std::string& name) {
  constexpr std::string_view kBefore = "slice-", kAfter = ".jsonl";
  std::string_view text = name;
  if (!text.starts_with(kBefore) || !text.ends_with(kAfter)) return {};
  text.remove_prefix(kBefore.size());
  text.remove_suffix(kAfter.size());
  return slice_in(text, "-of-");
}

std::vector<Index> heaviest_first(const std::vector<Part>& parts) {
  std::vector<Index> order(parts.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return parts[a].weight > parts[b].weight; });
  return order;
}

std::vector<std::vector<Index>> dealt(const std::vector<Part>& parts, Index slices) {
  std::vector<std::vector<Index>> hands(slices);
  std::vector<double> weights(slices, 0.0);
  for (const Index part : heaviest_first(parts)) {
    const Index lightest = std::min_element(weights.begin(), weights.end()) - weights.begin();
    hands[lightest].push_back(part);
    weights[lightest] += parts[part].weight;
  }
  return hands;
}

}  // namespace skt

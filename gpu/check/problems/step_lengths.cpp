#include "gpu/check/problems/step_lengths.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

constexpr std::int64_t kGrowing = 7;  // steps: three before a tile is full, four from there
constexpr std::int64_t kApart = 5;    // between neighbours: short and long ones stand side by side

// Rising, each once.
void sort_uniquely(std::vector<std::int64_t>& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

// Every length at which something changes.
std::vector<std::int64_t> edges(const CheckCase& c) {
  const std::int64_t forced = c.sink + c.window;
  std::vector<std::int64_t> all = {0,      1,          kTileKeys - 1, kTileKeys,  kTileKeys + 1, forced - 1,
                                   forced, forced + 1, c.window,      c.keys / 3, c.keys - 1,    c.keys};
  std::erase_if(all, [&](std::int64_t length) { return length < 0 || length > c.keys; });
  sort_uniquely(all);
  return all;
}

}  // namespace

std::vector<StepLengths> lengths_of_steps(const CheckCase& c) {
  const std::vector<std::int64_t> all = edges(c);
  const std::int64_t count = std::ssize(all);
  std::vector<StepLengths> steps;
  const auto add = [&](auto&& length_of_sequence) {
    StepLengths& step = steps.emplace_back();
    for (std::int64_t b = 0; b < c.batch; ++b) {
      const std::int64_t length = std::clamp<std::int64_t>(length_of_sequence(b), 0, c.keys);
      step.push_back(static_cast<std::int32_t>(length));
    }
  };
  for (std::int64_t s = 0; s < count; ++s) add([&](std::int64_t b) { return all[(s + b * kApart) % count]; });
  add([](std::int64_t) { return std::int64_t{0}; });
  add([&](std::int64_t) { return c.keys; });
  for (std::int64_t s = 0; s < kGrowing; ++s) {
    add([&](std::int64_t b) { return c.keys * (b + 1) / (c.batch + 1) / kTileKeys * kTileKeys - 3 + s; });
  }
  return steps;
}

std::vector<StepLengths> lengths_of_query_rows(const CheckCase& c) {
  const std::int64_t rows = c.query_rows, forced = c.sink + c.window;
  std::vector<std::int64_t> all = {
      0, 1, rows - 1, rows, rows + 1, kTileKeys, kTileKeys + rows - 1, forced + 1, forced + rows, c.keys - 1, c.keys};
  std::erase_if(all, [&](std::int64_t length) { return length < 0 || length > c.keys; });
  sort_uniquely(all);
  std::vector<StepLengths> steps;
  for (std::int64_t s = 0; s < std::ssize(all); ++s) {
    StepLengths& step = steps.emplace_back();
    for (std::int64_t b = 0; b < c.batch; ++b) {
      step.push_back(static_cast<std::int32_t>(all[(s + b * kApart) % std::ssize(all)]));
    }
  }
  for (const std::int64_t length : {c.keys, std::min(rows - 1, c.keys)}) {
    steps.emplace_back(c.batch, static_cast<std::int32_t>(length));
  }
  return steps;
}

StepLengths lengths_seen(const CheckCase& c, const StepLengths& lengths, std::int64_t query_row) {
  StepLengths seen = lengths;
  for (std::int64_t behind = query_row + 1; behind < c.query_rows; ++behind) {
    for (std::int32_t& length : seen) length -= length > 0 ? 1 : 0;
  }
  return seen;
}

std::vector<StepLengths> lengths_of_appends(const CheckCase& c, std::int64_t count) {
  using Limits = std::numeric_limits<std::int32_t>;
  std::vector<std::int64_t> all = {Limits::min(), -1, Limits::max()};
  for (const std::int64_t begin_or_end : {std::int64_t{0}, kTileKeys, c.capacity}) {
    for (const std::int64_t beside : {-1, 0, 1}) {
      all.push_back(begin_or_end + beside);
      all.push_back(begin_or_end + beside + count);
    }
  }
  sort_uniquely(all);
  std::vector<StepLengths> calls;
  for (std::int64_t s = 0; s < std::ssize(all); ++s) {
    StepLengths& call = calls.emplace_back();
    for (std::int64_t b = 0; b < c.batch; ++b) {
      call.push_back(static_cast<std::int32_t>(all[(s + b * kApart) % std::ssize(all)]));
    }
  }
  return calls;
}

std::int64_t expected_budget(const CheckCase& c, std::int64_t length, std::int64_t sparsity) {
  if (sparsity == 0) return c.budget;
  std::int64_t whole = 0;  // how often the sparsity goes into the length
  while ((whole + 1) * sparsity <= length && whole < c.budget) ++whole;
  return std::min(std::max<std::int64_t>(whole, 1), c.budget);
}

}  // namespace skt::gpu

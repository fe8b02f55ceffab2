#include "gpu/check/problems/runs.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace skt::gpu {
namespace {

// Of ranks that begin at all but the last of `edges`, which is the number of keys.
Runs between(const std::vector<std::int64_t>& edges) {
  Runs runs;
  for (std::size_t r = 0; r + 1 < edges.size(); ++r) runs.push_back({edges[r], edges[r + 1] - edges[r]});
  return runs;
}

Runs even(std::int64_t keys, std::int64_t ranks) {
  std::vector<std::int64_t> edges;
  for (std::int64_t r = 0; r <= ranks; ++r) edges.push_back(keys * r / ranks);
  return between(edges);
}

// Each rank holds twice what the one before it holds.
Runs doubling(std::int64_t keys, std::int64_t ranks) {
  std::vector<std::int64_t> edges;
  const std::int64_t whole = (std::int64_t{1} << ranks) - 1;
  for (std::int64_t r = 0; r <= ranks; ++r) edges.push_back(keys * ((std::int64_t{1} << r) - 1) / whole);
  return between(edges);
}

template <class Number>
std::vector<Number> columns(const std::vector<Number>& rows, std::int64_t capacity, std::int64_t each, const Run& run,
                            std::int64_t width, Number behind) {
  std::vector<Number> own;
  for (std::int64_t row = 0; row * capacity * each < std::ssize(rows); ++row) {
    const auto begin = rows.begin() + (row * capacity + run.first) * each;
    own.insert(own.end(), begin, begin + run.keys * each);
    own.insert(own.end(), (width - run.keys) * each, behind);
  }
  return own;
}

}  // namespace

std::vector<Runs> checked_runs(std::int64_t keys) {
  std::vector<Runs> all = checked_runs_of_steps(keys);
  for (const Runs& runs : {even(keys, 2), even(keys, 3), even(keys, 4), even(keys, 8), doubling(keys, 8)}) {
    all.push_back(runs);
  }
  return all;
}

std::vector<Runs> checked_runs_of_steps(std::int64_t keys) {
  const std::int64_t third = keys / 3;
  std::vector<std::int64_t> beside_tiles = {0, 1, 2, 33, 64, 65, keys - 1, keys, keys};
  for (std::int64_t& edge : beside_tiles) edge = std::clamp<std::int64_t>(edge, 0, keys);
  std::sort(beside_tiles.begin(), beside_tiles.end());
  return {even(keys, 1),
          doubling(keys, 2),
          between({0, keys / 2, keys, keys}),
          between({0, 0, third, third, keys}),
          between({0, 0, 0, 0, 0, 0, keys, keys, keys}),
          between(beside_tiles)};
}

CheckCase case_of_run(const CheckCase& c, const Run& run) {
  CheckCase own = c;
  own.keys = run.keys + 1;
  own.fit_capacity();
  own.keys = run.keys;
  return own;
}

Problem problem_of_run(const CheckCase& c, const Problem& problem, const Run& run) {
  const std::int64_t width = case_of_run(c, run).capacity;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  Problem own = problem;
  own.keys = columns(problem.keys, c.capacity, c.dim, run, width, nan);
  own.values = columns(problem.values, c.capacity, c.dim, run, width, nan);
  own.allowed = columns<std::uint8_t>(problem.allowed, c.capacity, 1, run, width, 1);
  return own;
}

std::vector<float> columns_of_run(const std::vector<float>& rows, std::int64_t capacity, const Run& run,
                                  std::int64_t width, float behind) {
  return columns(rows, capacity, 1, run, width, behind);
}

StepLengths lengths_of_run(const StepLengths& lengths, const Run& run) {
  StepLengths own = lengths;
  for (std::int32_t& length : own) length -= static_cast<std::int32_t>(run.first);
  return own;
}

}  // namespace skt::gpu

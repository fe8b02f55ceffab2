// A grid as a table: each line says what varies, in the words of a case (check_case.hpp).
//
// An axis is `name=value|value|..`; `*` stands for all words of a field, `4..16` for all whole numbers in between. Fields
// that vary together are one axis: `keys,budget=40,200|700,50`. `group` sets heads to so many of each kv head, and stands
// behind kv_heads. Axes are divided by spaces; a line of them is all combinations, the last axis going round first. A line
// that ends in `:` stands before each line that follows, up to an empty one; where both name a field, the later counts. A
// line that ends in `\` goes on in the next, and one that begins with `#` is a comment.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/cases/pair_covering.hpp"

namespace skt::gpu {

// One axis: what each of its values makes of a case.
using Axis = std::vector<std::function<void(CheckCase&)>>;

// InputError, naming the field, for text that is none.
std::vector<Axis> axes_of(std::string_view text);

// The first value on each axis; no capacity unless one is named.
CheckCase first_case(std::string_view text);

// `base` with the values taken on each axis, the first axis first; one that is not chosen yet leaves it as it is.
CheckCase case_with(const CheckCase& base, const std::vector<Axis>& axes, const Combination& taken);

std::vector<std::size_t> sizes_of(const std::vector<Axis>& axes);

// Cases that share a seed, each once. Where no capacity is named it is that of whole tiles of which one key at least is
// unused.
class Grid {
 public:
  explicit Grid(std::uint64_t seed) : seed_(seed) {}

  void add(CheckCase c);

  void add(std::string_view table);

  // Few combinations of the axes in which every pair of values occurs (pair_covering.hpp), each with the one value that
  // `common` has of its fields.
  void add_pairs(std::string_view common, std::string_view axes);

  std::vector<CheckCase> take() { return std::move(cases_); }

 private:
  void add_all(const std::string& line);

  std::uint64_t seed_;
  std::set<std::string> kept_;
  std::vector<CheckCase> cases_;
};

}  // namespace skt::gpu

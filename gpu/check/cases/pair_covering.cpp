#include "gpu/check/cases/pair_covering.hpp"

#include <functional>
#include <map>

namespace skt::gpu {
namespace {

// A value of an axis by its number among all values of all axes.
class Uncovered {
 public:
  explicit Uncovered(const std::vector<std::size_t>& sizes) {
    for (const std::size_t size : sizes) {
      begins_.push_back(values_);
      values_ += size;
    }
    begins_.push_back(values_);
    pairs_.assign(values_ * values_, false);
    for (std::size_t a = 0; a < sizes.size(); ++a) {
      for (std::size_t i = begins_[a]; i < begins_[a + 1]; ++i) {
        for (std::size_t j = begins_[a + 1]; j < values_; ++j) pairs_[i * values_ + j] = true;
      }
    }
  }

  // Sets the two axes of `c` to the first pair left; false if none is.
  bool take_first(Combination& c) {
    while (next_ < pairs_.size() && !pairs_[next_]) ++next_;
    if (next_ == pairs_.size()) return false;
    set(c, next_ / values_);
    set(c, next_ % values_);
    pairs_[next_] = false;
    return true;
  }
  void erase_all_in(const Combination& c) {
    for (std::size_t a = 0; a < c.size(); ++a) {
      for (std::size_t b = a + 1; b < c.size(); ++b) pairs_[pair(a, c[a], b, c[b])] = false;
    }
  }
  // Uncovered pairs that value i of `axis` meets with what is already chosen.
  std::size_t met_by(const Combination& chosen, std::size_t axis, std::size_t i) const {
    std::size_t met = 0;
    for (std::size_t other = 0; other < chosen.size(); ++other) {
      if (other == axis || chosen[other] == kUnset) continue;
      met += pairs_[other < axis ? pair(other, chosen[other], axis, i) : pair(axis, i, other, chosen[other])];
    }
    return met;
  }

 private:
  std::size_t pair(std::size_t a, std::size_t i, std::size_t b, std::size_t j) const {
    return (begins_[a] + i) * values_ + begins_[b] + j;
  }
  void set(Combination& c, std::size_t value) const {
    std::size_t axis = 0;
    while (begins_[axis + 1] <= value) ++axis;
    c[axis] = value - begins_[axis];
  }

  std::vector<std::size_t> begins_;
  std::vector<bool> pairs_;  // [value of the earlier axis, value of the later]
  std::size_t values_ = 0;
  std::size_t next_ = 0;
};

// Fills the unset axes from `axis` on; backtracks where a choice leaves nothing for a later axis.
bool complete(Combination& c, std::size_t axis, const std::vector<std::size_t>& sizes,
              const std::function<bool(const Combination&)>& allowed, const Uncovered& uncovered) {
  if (axis == sizes.size()) return true;
  if (c[axis] != kUnset) return complete(c, axis + 1, sizes, allowed, uncovered);
  std::multimap<std::size_t, std::size_t, std::greater<>> by_gain;
  for (std::size_t i = 0; i < sizes[axis]; ++i) by_gain.emplace(uncovered.met_by(c, axis, i), i);
  for (const auto& [gain, i] : by_gain) {
    c[axis] = i;
    if (allowed(c) && complete(c, axis + 1, sizes, allowed, uncovered)) return true;
  }
  c[axis] = kUnset;
  return false;
}

}  // namespace

std::vector<Combination> pair_covering(const std::vector<std::size_t>& sizes,
                                       const std::function<bool(const Combination&)>& allowed) {
  Uncovered uncovered(sizes);
  std::vector<Combination> combinations;
  for (Combination c(sizes.size(), kUnset); uncovered.take_first(c); c.assign(sizes.size(), kUnset)) {
    if (!allowed(c) || !complete(c, 0, sizes, allowed, uncovered)) continue;
    uncovered.erase_all_in(c);
    combinations.push_back(c);
  }
  return combinations;
}

}  // namespace skt::gpu

// How far is an output from what it must be? Keeps the worst element; a difference that is not at most its tolerance,
// NaN included, is a failure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace skt::gpu {

class Comparison {
 public:
  // got must be within tolerance >= 0 of expected; equal infinities agree.
  void within(const char* what, std::int64_t index, double got, double expected, double tolerance);

  // Bit for bit, except that any NaN equals any NaN.
  void equal(const char* what, std::int64_t index, double got, double expected) {
    if (got != expected || worst_ratio_ < 0) return within(what, index, got, expected, 0);
    ++compared_;
  }

  // Each number of a row, whose first has the index `first`.
  template <class Got, class Expected>
  void equal_all(const char* what, const Got& got, const Expected& expected, std::int64_t first = 0) {
    holds(what, -1, got.size() == expected.size());
    for (std::size_t i = 0; i < got.size() && i < expected.size(); ++i)
      equal(what, first + static_cast<std::int64_t>(i), got[i], expected[i]);
  }

  // The same bits throughout; the first that differs is named.
  void same_bits(const char* what, std::span<const float> got, std::span<const float> expected);

  // Whole numbers, each equal; the first that differs is named.
  void same_numbers(const char* what, std::span<const std::int32_t> got, std::span<const std::int32_t> expected);

  // A condition on an output that is not a number.
  void holds(const char* what, std::int64_t index, bool condition);

  std::int64_t compared() const { return compared_; }
  std::int64_t failures() const { return failures_; }
  double worst_ratio() const { return worst_ratio_; }  // error / tolerance; 0 where tolerance and error are 0

  // The worst element in one line: what, index, got, expected, error / tolerance.
  std::string worst() const { return worst_; }

 private:
  std::int64_t compared_ = 0;
  std::int64_t failures_ = 0;
  double worst_ratio_ = -1;
  bool worst_failed_ = false;
  std::string worst_;
};

}  // namespace skt::gpu

#include "gpu/check/references/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

namespace skt::gpu {

void Comparison::within(const char* what, std::int64_t index, double got, double expected, double tolerance) {
  ++compared_;
  if (got == expected || (std::isnan(got) && std::isnan(expected))) {
    if (worst_ratio_ < 0) worst_ratio_ = 0;
    return;
  }
  const double error = std::abs(got - expected);
  const bool ok = error <= tolerance;
  const double ratio =
      tolerance > 0 && !std::isnan(error) ? error / tolerance : std::numeric_limits<double>::infinity();
  if (!ok) ++failures_;
  if (ratio <= worst_ratio_ && !(!ok && !worst_failed_)) return;
  worst_ratio_ = ratio;
  worst_failed_ = !ok;
  worst_ = fmt::format("{}[{}] is {:.9g}, expected {:.9g}, tolerance {:.3g}, error/tolerance {:.3g}", what, index, got,
                       expected, tolerance, ratio);
}

void Comparison::same_bits(const char* what, std::span<const float> got, std::span<const float> expected) {
  holds(what, -1, got.size() == expected.size());
  if (got.size() != expected.size() || std::memcmp(got.data(), expected.data(), got.size_bytes()) == 0) return;
  for (std::int64_t i = 0; i < std::ssize(got); ++i) {
    if (std::memcmp(&got[i], &expected[i], sizeof(float)) != 0) holds(what, i, false);
  }
}

void Comparison::same_numbers(const char* what, std::span<const std::int32_t> got,
                              std::span<const std::int32_t> expected) {
  holds(what, -1, got.size() == expected.size());
  if (got.size() != expected.size()) return;
  const auto differs = std::mismatch(got.begin(), got.end(), expected.begin());
  compared_ += std::ssize(got);
  if (differs.first != got.end()) equal(what, differs.first - got.begin(), *differs.first, *differs.second);
}

void Comparison::holds(const char* what, std::int64_t index, bool condition) {
  ++compared_;
  if (worst_ratio_ < 0) worst_ratio_ = 0;
  if (condition) return;
  ++failures_;
  if (worst_failed_) return;
  worst_failed_ = true;
  worst_ratio_ = std::numeric_limits<double>::infinity();
  worst_ = fmt::format("{} fails at {}", what, index);
}

}  // namespace skt::gpu

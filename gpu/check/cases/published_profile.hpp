// In what do the published implementations differ from the paper, and from one another, in terms of the C interface?
//
// What gpt-fast, hf and hub do is stated in estimators/published_profile.hpp and taken from there; here is what only
// the GPU path has: the paper's two kernels, and the types in which planes, probabilities and norms are held.
// docs/gpu/testing.md tabulates all. Every other step is common: bit = 1 iff projection >= 0, plane 0 most significant,
// u = tanh(Wq)/sqrt(d), fp32 sum over tables in order, exact softmax over the list. A defect exists under its profile
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/check/cases/field_values.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

enum class PlaneType { f32, model };       // planes as drawn, or rounded to the model's type
enum class Corners { signs, noise };       // {-1, +1}^planes, or numbers drawn once from N(0, scale^2)
enum class ListRule { joined, repeated };  // sink and window joined with the best, or listed beside them

struct PublishedProfile {
  double plane_scale = 1;  // of the noise corners too
  PlaneType plane_type = PlaneType::f32;
  Corners corners = Corners::signs;
  std::optional<double> temperature{};  // fixed by the code; none: the caller's
  std::int32_t probability_type = SKT_F32;
  std::int32_t norm_form = SKT_NORM_F16;
  ListRule list = ListRule::joined;

  std::int32_t norm_type() const { return norm_form == SKT_NORM_BF16 ? SKT_BF16 : SKT_F16; }
};

// paper-f16 is the paper's second kernel, with fp16 tables.
PublishedProfile published_profile(Profile name);

// May a key be attended to? By one length for all heads (gpt-fast, hf: the cache position), by a mask that is true
// where attention is forbidden, and by an additive mask, where a number below 0 forbids (hub).
constexpr bool allowed_by_length(std::int64_t key, std::int64_t length) {
  return key < length;
}
constexpr bool allowed_by_forbidding(bool forbidden) {
  return !forbidden;
}
constexpr bool allowed_by_addend(float addend) {
  return addend >= 0;
}

// The keys attended to from the `best` ones [at most budget], which were chosen among all keys, or by the paper
// among those outside sink and window.
std::vector<std::int32_t> attended_keys(ListRule rule, const std::vector<std::int32_t>& best, std::int64_t keys,
                                        std::int64_t sink, std::int64_t window);

}  // namespace skt::gpu

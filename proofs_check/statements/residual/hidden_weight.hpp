// On which queries and lists is a certificate of the rest tried?
//
// Hostile ones: what weighs most is often left out of the list on purpose, and stands where a miscount would lose it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/instance.hpp"
#include "sim/randomness.hpp"

namespace skt {

enum class Hidden {
  nothing,      // Gaussian keys, the list the best by q.k
  needle,       // the last of the rest weighs most, and is barred from the list
  sinks,        // four keys that draw attention, barred
  cluster,      // one cluster weighs most, half of it barred
  equal_keys,   // all keys are the same
  heavy_norms,  // lengths of keys with a Cauchy tail, the longest along the query barred
  mean_key,     // keys with a mean of their own and a short sink, as in trained heads
};
inline constexpr std::array kHidden{Hidden::nothing,    Hidden::needle,      Hidden::sinks,   Hidden::cluster,
                                    Hidden::equal_keys, Hidden::heavy_norms, Hidden::mean_key};
std::string name_of(Hidden hidden);

struct HiddenProblem {
  Instance instance;        // 256 keys of dim 16, values of dim 3
  Vector logits;            // scale q.k
  std::vector<Index> list;  // 32 keys, rising
};
inline constexpr double kHiddenScale = 0.25;  // 1/sqrt(16)

HiddenProblem hidden_problem(Hidden hidden, Seed seed, std::uint32_t trial);

}  // namespace skt

// The estimator functions that statements call, so that a planted fault can be put in the place of a real one and some
// statement must notice (socketlab verify --fault NAME).
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "estimators/collision_scores.hpp"
#include "estimators/selection.hpp"

namespace skt {

struct EstimatorsUnderTest {
  std::function<Hyperplanes(Seed, std::uint32_t trial, Index tables, Index planes, Index dim)> draw = draw_hyperplanes;
  std::function<KeyCodes(const Hyperplanes&, const Matrix& keys)> hash = hash_keys;
  std::function<Vector(const Hyperplanes&, const KeyCodes&, const Vector& query, const SocketParameters&)> soft =
      soft_scores;
  std::function<std::vector<Index>(const Vector& scores, std::span<const Allowed> mask, const SelectionRule&)> select =
      select_keys;
};

// The planted faults: "no-scaling", "little-endian", "reused-table", "strict-sign", "wrong-normaliser", "wrong-ties",
// "uniform-planes". InputError for another name.
std::vector<std::string> fault_names();
EstimatorsUnderTest estimators_with_fault(const std::string& name);

// A fault changes nothing for a statement that never calls the function which is broken. One bit for each function.
enum class Function : unsigned { draw = 1, hash = 2, soft = 4, select = 8 };
Function broken_function(const std::string& fault);
// The real functions; each adds its bit to `called` when it is called, from whichever thread.
EstimatorsUnderTest recording_estimators(std::atomic<unsigned>& called);

}  // namespace skt

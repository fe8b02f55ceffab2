// A vector of any length, its entries named.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "sim/number.hpp"

namespace skt {

inline Vector vector_of(std::initializer_list<double> entries) {
  Vector v(static_cast<Index>(entries.size()));
  std::copy(entries.begin(), entries.end(), v.begin());
  return v;
}

}  // namespace skt

// One attention problem: a query, its keys and their values.
#pragma once

#include <string>

#include "sim/matrix.hpp"

namespace skt {

struct Instance {
  std::string name;
  Vector query;   // [dim]
  Matrix keys;    // [keys, dim]
  Matrix values;  // [keys, value_dim]

  Index num_keys() const { return keys.rows(); }
  Index dim() const { return keys.cols(); }
  Index value_dim() const { return values.cols(); }
};

}  // namespace skt

// Which exact population quantity is asked for, and what is it? In the words of `socketlab oracle` and of the Python
// package.
#pragma once

#include <optional>
#include <string>

#include "estimators/population/population.hpp"

namespace skt {

class Fields;

struct OracleRequest {
  std::string quantity;
  Scaling scaling = Scaling::inverse_sqrt_dim;
  std::optional<Index> dim, planes, tables;
  std::optional<double> temperature, query_norm, cosine, cosine_i, cosine_j, cosine_ij;
};

void add_fields(Fields& fields, OracleRequest& request);

// InputError for what the quantity needs and is not given, and for what the estimators refuse.
Estimate answer(const OracleRequest& request);

}  // namespace skt

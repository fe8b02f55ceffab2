// The arrays of a call as the commands attend and certify take them.
#pragma once

#include <optional>

#include "experiments/attend/problem.hpp"
#include "python/bindings/arrays.hpp"

namespace skt::python {

struct GivenArrays {
  AnyArray queries, keys, values;
  std::optional<AnyArray> hyperplanes, corners, mask;
};

inline AttendTensors tensors_of(const GivenArrays& given) {
  const auto if_given = [](const std::optional<AnyArray>& array, const char* name) {
    return array ? std::optional<TensorFile>(tensor_of(*array, name)) : std::nullopt;
  };
  return {.queries = tensor_of(given.queries, "q"),
          .keys = tensor_of(given.keys, "k"),
          .values = tensor_of(given.values, "v"),
          .hyperplanes = if_given(given.hyperplanes, "hyperplanes"),
          .corners = if_given(given.corners, "corners"),
          .mask = if_given(given.mask, "mask")};
}

}  // namespace skt::python

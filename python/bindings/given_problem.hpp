// The arrays of a call as the commands attend, certify and choose take them.
#pragma once

#include <nanobind/stl/map.h>

#include <map>
#include <optional>

#include "experiments/attend/problem.hpp"
#include "python/bindings/arrays.hpp"

namespace skt::python {

// "q", "k" and "v", and of the others by the names of their options those that are given.
using GivenArrays = std::map<std::string, AnyArray>;

// mask_true and causal: as the request has them.
inline AttendTensors tensors_of(const GivenArrays& given, const AttendFiles& asked = {}) {
  const auto if_given = [&given](const char* name) {
    const auto found = given.find(name);
    return found == given.end() ? std::nullopt : std::optional<TensorFile>(tensor_of(found->second, name));
  };
  return {.queries = tensor_of(given.at("q"), "q"),
          .keys = tensor_of(given.at("k"), "k"),
          .values = tensor_of(given.at("v"), "v"),
          .hyperplanes = if_given("hyperplanes"),
          .corners = if_given("corners"),
          .mask = if_given("mask"),
          .scores = if_given("scores"),
          .calibration = if_given("calibration"),
          .mask_true = asked.mask_true,
          .causal = asked.causal};
}

}  // namespace skt::python

// The options of a command as the package hands them over: texts by name, read by the command's own table
// (experiments/command/fields.hpp), so that a keyword has the command's ranges and refusals.
#pragma once

#include <string>
#include <vector>

#include "experiments/command/fields.hpp"
#include "python/bindings/given_problem.hpp"

namespace skt::python {

// arrays: they stand where the command has the names of files, so that the table sees which there are.
template <class Request>
Request request_of(const nb::dict& options, const GivenArrays& arrays = {}) {
  Request request;
  Fields fields;
  add_fields(fields, request);
  for (const auto& [name, array] : arrays)
    fields.set(name == "q" ? "queries" : name == "k" ? "keys" : name == "v" ? "values" : name, {name});
  for (const auto& [name, texts] : options)
    fields.set(nb::cast<std::string>(name), nb::cast<std::vector<std::string>>(texts));
  fields.check();
  return request;
}

}  // namespace skt::python

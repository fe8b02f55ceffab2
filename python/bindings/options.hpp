// The options of a command as the package hands them over: texts by name, read by the command's own table
// (experiments/command/fields.hpp), so that a keyword has the command's ranges and refusals.
#pragma once

#include <string>
#include <vector>

#include "experiments/command/fields.hpp"
#include "python/bindings/given_problem.hpp"

namespace skt::python {

// Arrays stand where the command has the names of files, so that the table sees which were given.
inline void note_arrays(Fields& fields, const GivenArrays& given) {
  for (const char* name : {"queries", "keys", "values"}) fields.set(name, {name});
  if (given.hyperplanes) fields.set("hyperplanes", {"hyperplanes"});
  if (given.corners) fields.set("corners", {"corners"});
  if (given.mask) fields.set("mask", {"mask"});
}

inline void read_options(Fields& fields, const nb::dict& options) {
  for (const auto& [name, texts] : options)
    fields.set(nb::cast<std::string>(name), nb::cast<std::vector<std::string>>(texts));
  fields.check();
}

template <class Request>
Request request_of(const nb::dict& options) {
  Request request;
  Fields fields;
  add_fields(fields, request);
  read_options(fields, options);
  return request;
}

template <class Request>
Request request_of(const nb::dict& options, const GivenArrays& given) {
  Request request;
  Fields fields;
  add_fields(fields, request);
  note_arrays(fields, given);
  read_options(fields, options);
  return request;
}

}  // namespace skt::python

// How are the kinds of things that stand in result files called there?
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "proofs_check/statement.hpp"
#include "sim/require.hpp"

namespace skt {

// What values are called, and what they are together, for messages.
template <class Value>
struct Naming {
  const char* what;
  std::vector<std::pair<Value, const char*>> names;
};
const Naming<Verdict>& naming(Verdict);
const Naming<Kind>& naming(Kind);
const Naming<Wording>& naming(Wording);
const Naming<Severity>& naming(Severity);
const Naming<Chance>& naming(Chance);
const Naming<Relation>& naming(Relation);
const Naming<IntervalLaw>& naming(IntervalLaw);
const Naming<Profile>& naming(Profile);

template <class Value>
concept Named = requires(Value value) { naming(value); };

template <Named Value>
std::string name_of(Value value) {
  for (const auto& [one, name] : naming(value).names)
    if (one == value) return name;
  throw std::logic_error("name_of: a value without a name");
}

// A text is its own name.
inline std::string name_of(const std::string& text) {
  return text;
}

// The inverse; InputError names what is allowed.
template <Named Value>
Value named(const std::string& wanted) {
  std::string allowed;
  for (const auto& [value, name] : naming(Value{}).names) {
    if (name == wanted) return value;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  refuse("{} is \"{}\": allowed are {}", naming(Value{}).what, wanted, allowed);
}

// What a share of the error is worth: "guaranteed" of a proportion and of bounded samples; "nominal" of Student's and of
// normal intervals, which keep their promise for normal samples only; "none" of a point.
std::string name_of_share(IntervalLaw law);

}  // namespace skt

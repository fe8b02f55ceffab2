#include "gpu/check/check_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "gpu/socketlab_gpu.h"
#include "sim/input_error.hpp"

namespace skt::gpu {
namespace {

// Calls visit(name, member) for every field, in the order of the text.
template <class Case, class Visit>
void for_each_field(Case& c, Visit&& visit) {
  visit("operation", c.operation);
  visit("inputs", c.inputs);
  visit("mask", c.mask);
  visit("type", c.type);
  visit("batch", c.batch);
  visit("heads", c.heads);
  visit("kv_heads", c.kv_heads);
  visit("keys", c.keys);
  visit("capacity", c.capacity);
  visit("dim", c.dim);
  visit("tables", c.tables);
  visit("planes", c.planes);
  visit("budget", c.budget);
  visit("sink", c.sink);
  visit("window", c.window);
  visit("temperature", c.temperature);
  visit("seed", c.seed);
}

void read(const std::string& value, std::string& field, const std::string&) {
  field = value;
}

template <class Number>
void read(const std::string& value, Number& field, const std::string& name) {
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, field);
  if (error != std::errc() || stop != end)
    throw InputError(fmt::format("case: {}={} is not a number", name, value));
}

void require_one_of(const std::string& name, const std::string& value,
                    const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  throw InputError(fmt::format("case: {}={}: allowed are {}", name, value, fmt::join(allowed, ", ")));
}

}  // namespace

std::string CheckCase::text() const {
  std::string text;
  for_each_field(*this, [&](const char* name, const auto& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  });
  return text;
}

CheckCase CheckCase::parse(const std::string& text) {
  CheckCase parsed;
  std::istringstream fields(text);
  for (std::string field; std::getline(fields, field, ',');) {
    const std::size_t equals = field.find('=');
    const std::string name = field.substr(0, equals);
    bool known = false;
    for_each_field(parsed, [&](const char* candidate, auto& value) {
      if (name != candidate || equals == std::string::npos) return;
      known = true;
      read(field.substr(equals + 1), value, name);
    });
    if (!known)
      throw InputError(fmt::format("case: '{}' is not of the form name=value with a known name", field));
  }
  require_one_of("operation", parsed.operation, check_operations());
  require_one_of("inputs", parsed.inputs, {"gaussian", "dyadic", "ties", "zeros", "low-contrast", "large"});
  require_one_of("mask", parsed.mask, {"none", "random", "padding", "nothing"});
  require_one_of("type", parsed.type, {"f32", "f16", "bf16"});
  if (parsed.kv_heads < 1 || parsed.heads % parsed.kv_heads != 0) {
    throw InputError("case: heads must be a multiple of kv_heads");
  }
  if (parsed.keys > parsed.capacity) throw InputError("case: keys must not exceed capacity");
  return parsed;
}

std::int32_t CheckCase::element_type() const {
  return type == "f32" ? SKT_F32 : type == "f16" ? SKT_F16 : SKT_BF16;
}

const std::vector<std::string>& check_operations() {
  static const std::vector<std::string> operations = {"hash-keys",    "build-index",      "value-norms",
                                                      "soft-buckets", "score-buckets",    "score-packed",
                                                      "select-keys",  "sparse-attention", "decode-step"};
  return operations;
}

}  // namespace skt::gpu

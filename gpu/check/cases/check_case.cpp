#include "gpu/check/cases/check_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <sstream>
#include <utility>

#include "gpu/check/cases/published_profile.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/socketlab_gpu.h"
#include "sim/require.hpp"

namespace skt::gpu {
namespace {

void read(const std::string& value, std::string& field, const std::string&) {
  field = value;
}

template <class Number>
void read(const std::string& value, Number& field, const std::string& name) {
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, field);
  if (error != std::errc() || stop != end) refuse("case: {}={} is not a number", name, value);
}

void require_one_of(const std::string& name, const std::string& value, const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  refuse("case: {}={}: allowed are {}", name, value, fmt::join(allowed, ", "));
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
  std::set<std::string> given;
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
    if (!known) refuse("case: '{}' is not of the form name=value with a known name", field);
    if (!given.insert(name).second) refuse("case: {} is given twice: allowed is once", name);
  }
  if (!given.contains("capacity")) parsed.fit_capacity();
  parsed.require_valid();
  return parsed;
}

void CheckCase::fit_capacity() {
  if (keys > 0 && keys <= INT64_MAX - kTileKeys) capacity = (keys + kTileKeys - 1) / kTileKeys * kTileKeys;
}

void CheckCase::require_valid() const {
  require_one_of("operation", operation, check_operations());
  require_one_of("profile", profile, profile_names());
  require_one_of("inputs", inputs, input_kinds());
  require_one_of("mask", mask, mask_kinds());
  require_one_of("type", type, {"f32", "f16", "bf16"});
  const auto at_least = [](const char* name, std::int64_t value, std::int64_t least) {
    if (value < least) refuse("case: {}={}: allowed is {} or more", name, value, least);
  };
  for (const auto& [name, value] : {std::pair{"batch", batch},
                                    {"kv_heads", kv_heads},
                                    {"heads", heads},
                                    {"keys", keys},
                                    {"dim", dim},
                                    {"tables", tables},
                                    {"planes", planes}}) {
    at_least(name, value, 1);
  }
  for (const auto& [name, value] : {std::pair{"budget", budget}, {"sink", sink}, {"window", window}}) {
    at_least(name, value, 0);
  }
  const std::vector<std::string>& longest = operations_of_16_planes();
  const bool packs = std::find(longest.begin(), longest.end(), operation) != longest.end();
  if (planes > (packs && profile == "paper" ? kMostInt16Planes + 1 : kMostInt16Planes))
    refuse("case: planes={}: allowed are 1 to {}, and {} with profile=paper in {}", planes, kMostInt16Planes,
           kMostInt16Planes + 1, fmt::join(longest, ", "));
  require_one_of("pages", pages, {"none", "hnd", "nhd"});
  if (page_size < 1 || page_size > 65536 || (page_size & (page_size - 1)) != 0)
    refuse("case: page_size={}: allowed is a power of two up to 65536", page_size);
  const auto on_device = static_cast<float>(temperature);
  if (!(on_device > 0 && std::isfinite(on_device)))
    refuse("case: temperature={}: allowed is above 0 and finite, in fp32", temperature);
  if (heads % kv_heads != 0) refuse("case: heads must be a multiple of kv_heads");
  if (keys > capacity) refuse("case: keys must not exceed capacity");
}

std::int32_t CheckCase::element_type() const {
  return type == "f32" ? SKT_F32 : type == "f16" ? SKT_F16 : SKT_BF16;
}

std::int32_t CheckCase::rule() const {
  return operation == "score-signed" || operation == "decode-signed" ? SKT_SIGNED_PROJECTION : SKT_SOFT_COLLISION;
}

const std::vector<std::string>& check_operations() {
  static const std::vector<std::string> operations = {
      "hash-keys",    "build-index",   "value-norms", "soft-buckets",     "score-buckets",
      "score-packed", "score-signed",  "select-keys", "sparse-attention", "published-list",
      "decode-step",  "decode-signed", "append-step", "pipeline",         "bad-codes",
      "refusals",     "far-addresses", "far-packed",  "far-attention",    "far-index"};
  return operations;
}

const std::vector<std::string>& operations_of_16_planes() {
  static const std::vector<std::string> operations = {"build-index",  "soft-buckets", "score-packed",
                                                      "score-signed", "decode-step",  "decode-signed"};
  return operations;
}

const std::vector<std::string>& input_kinds() {
  static const std::vector<std::string> kinds = {"gaussian",   "dyadic",       "ties",      "zeros",
                                                 "constant",   "low-contrast", "large",     "huge",
                                                 "subnormals", "needle",       "non-finite"};
  return kinds;
}

const std::vector<std::string>& mask_kinds() {
  static const std::vector<std::string> kinds = {"none", "random", "padding", "causal", "nothing"};
  return kinds;
}

std::vector<std::int64_t> sampled_keys(std::int64_t keys) {
  constexpr std::int64_t most = 2048;  // every block boundary below; what the reference does in milliseconds
  constexpr std::int64_t end = 160;    // more than two tiles at each end
  const std::int64_t step = keys <= most ? 1 : keys / 512 | 1;  // odd: all remainders of a power of two occur
  std::vector<std::int64_t> sampled;
  for (std::int64_t key = 0; key < keys;) {
    sampled.push_back(key++);
    if (key >= end && key < keys - end) key = std::min((key + step - 1) / step * step, keys - end);
  }
  return sampled;
}

std::vector<std::int64_t> sampled_rows(std::int64_t rows) {
  constexpr std::int64_t most = 8;
  std::vector<std::int64_t> sampled;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (rows <= most || row < 2 || row + 2 >= rows || row % (rows / 4 | 1) == 0) sampled.push_back(row);
  }
  return sampled;
}

}  // namespace skt::gpu

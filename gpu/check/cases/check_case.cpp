#include "gpu/check/cases/check_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gpu/functors/group_weights.hpp"
#include "gpu/functors/half_score.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/socketlab_gpu.h"
#include "sim/require.hpp"

namespace skt::gpu {
namespace {

std::vector<std::string_view> operations_of_16_planes() {
  std::vector<std::string_view> names;
  for (const Operation operation : values_of<Operation>()) {
    if (planes_of(operation).most > kMostInt16Planes) names.push_back(name_of(operation));
  }
  return names;
}

// Are the query heads of a kv head scored by one look-up?
bool collides_together(const CheckCase& c) {
  return c.group() <= 4 && scores_in_half(c.group(), c.tables, c.code_bits());
}

}  // namespace

std::string CheckCase::text() const {
  std::string text;
  for_each_field(*this, [&](const char* name, const auto& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, written(value));
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
      value = value_from<std::remove_reference_t<decltype(value)>>(name, field.substr(equals + 1));
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
  if (planes > (profile == Profile::paper ? planes_of(operation).most : kMostInt16Planes)) {
    refuse("case: planes={}: allowed are 1 to {}, and {} with profile=paper in {}", planes, kMostInt16Planes,
           kMostInt16Planes + 1, fmt::join(operations_of_16_planes(), ", "));
  }
  if (page_size < 1 || page_size > 65536 || (page_size & (page_size - 1)) != 0)
    refuse("case: page_size={}: allowed is a power of two up to 65536", page_size);
  const bool has_rows = operation == Operation::decode_rows || (operation == Operation::append_step && append > 0);
  if (query_rows < 1 || query_rows > (has_rows ? 8 : 1)) {
    refuse("case: query_rows={}: allowed is 1, and 1 to 8 in {}, and in {} with append", query_rows,
           name_of(Operation::decode_rows), name_of(Operation::append_step));
  }
  if (append < 0 || append > (operation == Operation::append_step ? 8 : 0))
    refuse("case: append={}: allowed is 0, and 0 to 8 in {}", append, name_of(Operation::append_step));
  const auto on_device = static_cast<float>(temperature);
  if (!(on_device > 0 && std::isfinite(on_device)))
    refuse("case: temperature={}: allowed is above 0 and finite, in fp32", temperature);
  if (heads % kv_heads != 0) refuse("case: heads must be a multiple of kv_heads");
  if (keys > capacity) refuse("case: keys must not exceed capacity");
  require_valid_lists();
}

void CheckCase::require_valid_lists() const {
  if (dense < 0 || dense > (1 << 30)) refuse("case: dense={}: allowed is 0 to {}", dense, 1 << 30);
  if (dense > 0 && mask != MaskKind::none) refuse("case: dense={}: allowed is 0 with mask={}", dense, name_of(mask));
  if (!shares_lists()) return;
  if (mask == MaskKind::causal) refuse("case: mask=causal: allowed with lists=kv-head is one mask for all heads");
  if (group() > kMostSharingHeads)
    refuse("case: heads={}: allowed with lists=kv-head are {} to a kv head", heads, kMostSharingHeads);
  const bool collides = operation == Operation::score_packed || operation == Operation::decode_step;
  if (collides && !collides_together(*this)) {
    refuse("case: lists=kv-head in {}: allowed are 4 heads to a kv head, whose half-tables take 64 KB",
           name_of(operation));
  }
}

std::vector<Operation> rules_of(const CheckCase& c) {
  if (c.shares_lists() && !collides_together(c)) return {Operation::decode_signed};
  return {Operation::decode_step, Operation::decode_signed};
}

std::int32_t CheckCase::rule() const {
  const bool is_signed = operation == Operation::score_signed || operation == Operation::decode_signed ||
                         operation == Operation::decode_rest;
  return is_signed ? SKT_SIGNED_PROJECTION : SKT_SOFT_COLLISION;
}

bool CheckCase::has_e4m3_cache() const {
  const bool reads_cache = operation == Operation::sparse_attention || operation == Operation::decode_step ||
                           operation == Operation::decode_signed || operation == Operation::decode_lengths ||
                           operation == Operation::decode_rows || operation == Operation::sharded_step ||
                           operation == Operation::append_step;
  return reads_cache && cache != CacheForm::of_type;
}

std::vector<std::int64_t> sampled_keys(std::int64_t keys) {
  constexpr std::int64_t kMostKeys = 2048;  // every block boundary below; what the reference does in milliseconds
  constexpr std::int64_t kEndKeys = 160;    // more than two tiles at each end
  const std::int64_t step = keys <= kMostKeys ? 1 : keys / 512 | 1;  // odd: all remainders of a power of two occur
  std::vector<std::int64_t> sampled;
  for (std::int64_t key = 0; key < keys;) {
    sampled.push_back(key++);
    if (key >= kEndKeys && key < keys - kEndKeys) key = std::min((key + step - 1) / step * step, keys - kEndKeys);
  }
  return sampled;
}

std::vector<std::int64_t> sampled_rows(std::int64_t rows) {
  constexpr std::int64_t kMostRows = 8;
  std::vector<std::int64_t> sampled;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (rows <= kMostRows || row < 2 || row + 2 >= rows || row % (rows / 4 | 1) == 0) sampled.push_back(row);
  }
  return sampled;
}

}  // namespace skt::gpu

// The words that the fields of a case may hold: one table for each field, in the order of its enumerators.
//
// Names stand in the text of a case, in case.json and on the command line; everything else compares values. A new word
// is one of its table and an enumerator; a new operation is a row of operations.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

enum class Operation {
#define SKT_OPERATION(operation, name, least_planes, most_planes, check, needs) operation,
#include "gpu/check/cases/operations.def"
#undef SKT_OPERATION
};
enum class Profile { paper, paper_f16, gpt_fast, hf, hub };
enum class InputKind {
  gaussian,
  dyadic,
  ties,
  zeros,
  constant,
  low_contrast,
  large,
  huge,
  subnormals,
  needle,
  non_finite
};
enum class MaskKind { none, random, padding, causal, nothing };
enum class NumberType : std::int32_t { f32 = SKT_F32, f16 = SKT_F16, bf16 = SKT_BF16 };
enum class PageLayout { none, hnd, nhd };
enum class CacheForm { of_type, e4m3, e4m3_unscaled };
enum class ListsOf : std::int32_t { head = SKT_LIST_OF_HEAD, kv_head = SKT_LIST_OF_KV_HEAD };

// words_of<Enum>: every word of a field, in the order of its enumerators, in which it is listed to a user.
template <class Enum>
inline constexpr std::string_view words_of[1] = {};
template <>
inline constexpr std::string_view words_of<Operation>[] = {
#define SKT_OPERATION(operation, name, least_planes, most_planes, check, needs) name,
#include "gpu/check/cases/operations.def"
#undef SKT_OPERATION
};
template <>
inline constexpr std::string_view words_of<Profile>[] = {"paper", "paper-f16", "gpt-fast", "hf", "hub"};
template <>
inline constexpr std::string_view words_of<InputKind>[] = {"gaussian",   "dyadic",       "ties",      "zeros",
                                                           "constant",   "low-contrast", "large",     "huge",
                                                           "subnormals", "needle",       "non-finite"};
template <>
inline constexpr std::string_view words_of<MaskKind>[] = {"none", "random", "padding", "causal", "nothing"};
template <>
inline constexpr std::string_view words_of<NumberType>[] = {"f32", "f16", "bf16"};
template <>
inline constexpr std::string_view words_of<PageLayout>[] = {"none", "hnd", "nhd"};
template <>
inline constexpr std::string_view words_of<CacheForm>[] = {"type", "e4m3", "e4m3-unscaled"};
template <>
inline constexpr std::string_view words_of<ListsOf>[] = {"head", "kv-head"};

template <class Enum>
constexpr std::string_view name_of(Enum value) {
  return words_of<Enum>[static_cast<std::size_t>(value)];
}

template <class Enum>
std::vector<std::string> names_of() {
  return {std::begin(words_of<Enum>), std::end(words_of<Enum>)};
}

template <class Enum>
std::vector<Enum> values_of() {
  std::vector<Enum> values;
  for (std::size_t i = 0; i < std::size(words_of<Enum>); ++i) values.push_back(static_cast<Enum>(i));
  return values;
}

// The value of a name; none if it is no word of the field.
template <class Enum>
std::optional<Enum> value_of(std::string_view name) {
  for (const Enum value : values_of<Enum>()) {
    if (name_of(value) == name) return value;
  }
  return std::nullopt;
}

// How many planes the kernels of an operation take.
struct PlaneRange {
  std::int64_t least, most;
};
constexpr PlaneRange planes_of(Operation operation) {
  switch (operation) {
#define SKT_OPERATION(operation, name, least_planes, most_planes, check, needs) \
  case Operation::operation:                                                    \
    return {least_planes, most_planes};
#include "gpu/check/cases/operations.def"
#undef SKT_OPERATION
  }
  return {};
}

}  // namespace skt::gpu

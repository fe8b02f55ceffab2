// The words that the fields of a case may hold: one table for each field, name beside value.
//
// Names stand in the text of a case, in case.json and on the command line; everything else compares values. A new word
// is a line of its table and an enumerator; a new operation is a row of operations.def.
#pragma once

#include <cstdint>
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

template <class Enum>
struct Word {
  Enum value;
  std::string_view name;
};

// Vocabulary<Enum>::words: every word of a field, in the order in which it is listed to a user.
template <class Enum>
struct Vocabulary;
template <>
struct Vocabulary<Operation> {
  static constexpr Word<Operation> words[] = {
#define SKT_OPERATION(operation, name, least_planes, most_planes, check, needs) {Operation::operation, name},
#include "gpu/check/cases/operations.def"
#undef SKT_OPERATION
  };
};
template <>
struct Vocabulary<Profile> {
  static constexpr Word<Profile> words[] = {{Profile::paper, "paper"},
                                            {Profile::paper_f16, "paper-f16"},
                                            {Profile::gpt_fast, "gpt-fast"},
                                            {Profile::hf, "hf"},
                                            {Profile::hub, "hub"}};
};
template <>
struct Vocabulary<InputKind> {
  static constexpr Word<InputKind> words[] = {{InputKind::gaussian, "gaussian"},
                                              {InputKind::dyadic, "dyadic"},
                                              {InputKind::ties, "ties"},
                                              {InputKind::zeros, "zeros"},
                                              {InputKind::constant, "constant"},
                                              {InputKind::low_contrast, "low-contrast"},
                                              {InputKind::large, "large"},
                                              {InputKind::huge, "huge"},
                                              {InputKind::subnormals, "subnormals"},
                                              {InputKind::needle, "needle"},
                                              {InputKind::non_finite, "non-finite"}};
};
template <>
struct Vocabulary<MaskKind> {
  static constexpr Word<MaskKind> words[] = {{MaskKind::none, "none"},
                                             {MaskKind::random, "random"},
                                             {MaskKind::padding, "padding"},
                                             {MaskKind::causal, "causal"},
                                             {MaskKind::nothing, "nothing"}};
};
template <>
struct Vocabulary<NumberType> {
  static constexpr Word<NumberType> words[] = {
      {NumberType::f32, "f32"}, {NumberType::f16, "f16"}, {NumberType::bf16, "bf16"}};
};
template <>
struct Vocabulary<PageLayout> {
  static constexpr Word<PageLayout> words[] = {
      {PageLayout::none, "none"}, {PageLayout::hnd, "hnd"}, {PageLayout::nhd, "nhd"}};
};

template <>
struct Vocabulary<CacheForm> {
  static constexpr Word<CacheForm> words[] = {
      {CacheForm::of_type, "type"}, {CacheForm::e4m3, "e4m3"}, {CacheForm::e4m3_unscaled, "e4m3-unscaled"}};
};
template <>
struct Vocabulary<ListsOf> {
  static constexpr Word<ListsOf> words[] = {{ListsOf::head, "head"}, {ListsOf::kv_head, "kv-head"}};
};

template <class Enum>
constexpr std::string_view name_of(Enum value) {
  for (const Word<Enum>& word : Vocabulary<Enum>::words) {
    if (word.value == value) return word.name;
  }
  return {};
}

// The value of a name; none if it is no word of the field.
template <class Enum>
constexpr std::optional<Enum> value_of(std::string_view name) {
  for (const Word<Enum>& word : Vocabulary<Enum>::words) {
    if (word.name == name) return word.value;
  }
  return std::nullopt;
}

template <class Enum>
std::vector<Enum> values_of() {
  std::vector<Enum> values;
  for (const Word<Enum>& word : Vocabulary<Enum>::words) values.push_back(word.value);
  return values;
}

template <class Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const Word<Enum>& word : Vocabulary<Enum>::words) names.emplace_back(word.name);
  return names;
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

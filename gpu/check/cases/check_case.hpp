// One comparison of gpu-check: an operation, its shape and its inputs, in one line of text that replays it.
//
// Fields, as `--case name=value,name=value` or the members of a case.json; what is left out has its default below. The
// words of the first five, of pages, cache and lists: field_values.hpp.
//   operation    which comparison: operations.def
//   profile      paper, paper-f16, gpt-fast, hf, hub: whose arithmetic, published_profile.hpp
//   inputs       gaussian, dyadic (multiples of 1/4: fp32 sums are exact), ties (the same; of scores, few values),
//                zeros, constant, low-contrast (scores that nearly agree), large, huge (squares overflow fp32),
//                subnormals, needle (one key towards the first query), non-finite
//   mask         none, random (half the keys), padding, causal (one mask to a head), nothing (forbids all)
//   type         f32, f16, bf16: of queries, keys and values
//   cache        type, e4m3 (bytes with a scale for each kv head), e4m3-unscaled: of keys and values as attention reads
//                them; of sparse-attention, decode-step, decode-signed, decode-lengths and decode-rows
//   lists        head, kv-head (the query heads of a kv head share one list): of packed scores, attention and steps
//   dense        0 to 2^30: sequences of at most so many keys are attended to whole; of attention and steps on one device
//   append       0 to 8: of append-step, the keys that the step itself appends; 0: they are appended before it
//   batch, heads, kv_heads, keys, dim, tables   1 or more; heads a multiple of kv_heads
//   capacity     keys or more; left out, the keys in whole tiles of 64
//   planes       1 to 15, of packed codes 4 to 16, and 16 of soft-buckets, half-tables alone; 16 of profile paper only
//   budget, sink, window   0 or more: of the selection
//   pages        none, hnd, nhd, and page_size, a power of two up to 65536: of attention; of paged-writes and
//                paged-index one of 64 or more
//   query_rows   1 to 8, of decode-rows, and of append-step where the step appends; 1 of all others
//   temperature  above 0; gpt-fast and hf have their own
//   seed         0 to 2^64 - 1
// Where an operation does not ask for a field, the field changes nothing.
//
// `--write-case` writes, of score-buckets and score-packed, C-ordered .npy files over the used keys:
//   queries, keys, values   float32 [batch, heads, dim] and twice [batch, kv_heads, keys, dim]; numbers of `type`, NaN
//                           where the mask forbids a key to all heads
//   hyperplanes             float32 [tables, planes, dim]
//   corners                 float32 [2^planes, planes], of gpt-fast
//   allowed                 bool [batch, keys], of mask=causal [batch, heads, keys]; not with mask=none
//   codes                   int16 [batch, kv_heads, tables, keys]; plane 0 is the most significant bit; of 16 planes
//                           the bits of an unsigned number
//   norms                   float16 [batch, kv_heads, keys]; of hub, whose norms are bf16, float32
//   probabilities           float32 [batch, heads, tables, 2^planes], of score-buckets; numbers of the profile's type
//   half_tables             float32 [batch, heads, tables, entries], gpu/functors/half_table.hpp, of score-packed
//   packed                  uint32 [batch, kv_heads, tiles, words, 64], gpu/functors/packed_codes.hpp, of score-packed
// `--candidate-scores` takes float32 (or float16, float64) [batch, heads, keys].
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu/check/cases/field_values.hpp"
#include "sim/require.hpp"

namespace skt::gpu {

struct CheckCase {
  Operation operation = Operation::decode_step;
  Profile profile = Profile::paper;
  InputKind inputs = InputKind::gaussian;
  MaskKind mask = MaskKind::none;
  NumberType type = NumberType::bf16;
  std::int64_t batch = 1, heads = 1, kv_heads = 1;
  std::int64_t keys = 33, capacity = 128;
  std::int64_t dim = 64, tables = 4, planes = 8;
  std::int64_t budget = 8, sink = 0, window = 0;
  PageLayout pages = PageLayout::none;  // attention: also from pages, see gpu/socketlab_gpu.h
  std::int64_t page_size = 16;          // a power of two
  CacheForm cache = CacheForm::of_type;
  ListsOf lists = ListsOf::head;
  std::int64_t dense = 0;       // keys of a sequence that is attended to whole
  std::int64_t append = 0;      // keys of a sequence
  std::int64_t query_rows = 1;  // of a sequence, of its last keys
  double temperature = 0.5;
  std::uint64_t seed = 1;

  // "operation=..,inputs=..,.."; parse(text()) gives the same case. parse throws InputError, naming the field, on
  // anything else and on a field given twice; fields left out keep their default, but a capacity left out follows the
  // keys.
  std::string text() const;
  static CheckCase parse(const std::string& text);

  // The least capacity for the keys that is whole tiles of 64.
  void fit_capacity();

  // InputError, naming the field, unless every field is one that the operations can be asked for.
  void require_valid() const;
  void require_valid_lists() const;  // the part of it that fields of lists have

  std::int32_t element_type() const { return static_cast<std::int32_t>(type); }  // enum skt_type
  std::int32_t rule() const;  // enum skt_rule; of packed scores and the steps, by the operation
  std::int64_t group() const { return heads / kv_heads; }
  bool has_e4m3_cache() const;  // of the operations that take it
  bool paged() const { return pages != PageLayout::none; }
  int code_bits() const { return static_cast<int>(planes); }  // as the functors of gpu/ count the planes

  std::int64_t rows() const { return batch * heads; }  // of one query row
  std::int64_t all_rows() const { return rows() * query_rows; }
  std::int64_t kv_rows() const { return batch * kv_heads; }
  std::int64_t list() const { return sink + budget + window; }  // the longest selection

  // Heads that have a list of their own, and so scores and counts; and how many query heads share it.
  std::int64_t list_heads() const { return lists == ListsOf::kv_head ? kv_heads : heads; }
  std::int64_t heads_of_list() const { return heads / list_heads(); }
  bool shares_lists() const { return heads_of_list() > 1; }
  bool weighs_heads() const { return shares_lists() && rule() == SKT_SIGNED_PROJECTION; }
  std::int64_t list_rows() const { return batch * list_heads(); }  // of one query row
  std::int64_t all_list_rows() const { return list_rows() * query_rows; }
};

// Of the published int16 codes, which have a sign, and of lists of all buckets; packed codes go to 16.
inline constexpr std::int64_t kMostInt16Planes = 15;

// Calls visit(name, &CheckCase::field) for every field, in the order of the text.
template <class Visit>
void for_each_member(Visit&& visit) {
  visit("operation", &CheckCase::operation);
  visit("profile", &CheckCase::profile);
  visit("inputs", &CheckCase::inputs);
  visit("mask", &CheckCase::mask);
  visit("type", &CheckCase::type);
  visit("batch", &CheckCase::batch);
  visit("heads", &CheckCase::heads);
  visit("kv_heads", &CheckCase::kv_heads);
  visit("keys", &CheckCase::keys);
  visit("capacity", &CheckCase::capacity);
  visit("dim", &CheckCase::dim);
  visit("tables", &CheckCase::tables);
  visit("planes", &CheckCase::planes);
  visit("budget", &CheckCase::budget);
  visit("sink", &CheckCase::sink);
  visit("window", &CheckCase::window);
  visit("pages", &CheckCase::pages);
  visit("page_size", &CheckCase::page_size);
  visit("cache", &CheckCase::cache);
  visit("lists", &CheckCase::lists);
  visit("dense", &CheckCase::dense);
  visit("append", &CheckCase::append);
  visit("query_rows", &CheckCase::query_rows);
  visit("temperature", &CheckCase::temperature);
  visit("seed", &CheckCase::seed);
}

// Calls visit(name, field) for every field of this case.
template <class Case, class Visit>
void for_each_field(Case& c, Visit&& visit) {
  for_each_member([&](const char* name, auto member) { visit(name, c.*member); });
}

// Calls visit(&CheckCase::field) for the field of this name. InputError if none has it.
template <class Visit>
void with_field(const std::string& name, Visit&& visit) {
  bool known = false;
  for_each_member([&](const char* candidate, auto member) {
    if (name != candidate) return;
    known = true;
    visit(member);
  });
  if (!known) refuse("case: '{}' is no field", name);
}

// What stands for a value in the text of a case and in case.json: a word's name, or the number.
template <class Value>
auto written(Value value) {
  if constexpr (std::is_enum_v<Value>) {
    return std::string(name_of(value));
  } else {
    return value;
  }
}

// The value of field `field` that is called `name`. InputError, naming the field and its words, if none is.
template <class Enum>
Enum value_of_field(const std::string& field, const std::string& name) {
  if (const std::optional<Enum> value = value_of<Enum>(name)) return *value;
  refuse("case: {}={}: allowed are {}", field, name, fmt::join(names_of<Enum>(), ", "));
}

// The value of field `name` that is written so. InputError, naming the field, if none is.
template <class Value>
Value value_from(const std::string& name, const std::string& text) {
  if constexpr (std::is_enum_v<Value>) {
    return value_of_field<Value>(name, text);
  } else {
    Value value = {};
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size()) refuse("case: {}={} is not a number", name, text);
    return value;
  }
}

// By which rules do the checks of steps that know both run a case? The operations of each; a kv head's list by the
// collision rule has heads of one look-up alone.
std::vector<Operation> rules_of(const CheckCase& c);

// Which elements of a long output are compared with the reference: all of the first few thousand, else both ends and a
// spread in between. What is left out is still compared between runs.
std::vector<std::int64_t> sampled_keys(std::int64_t keys);
std::vector<std::int64_t> sampled_rows(std::int64_t rows);

}  // namespace skt::gpu

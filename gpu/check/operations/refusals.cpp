// Does every function refuse what it cannot do, and take what it can?
#include "gpu/check/operations/refusals.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gpu/check/device/device_array.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/operations/refusal_tables.hpp"
#include "gpu/check/references/comparison.hpp"

namespace skt::gpu {
namespace {

// Calls visit(name, member) for each member of the arguments that a table names, also of the structs in them.
template <class Arguments, class Visit>
void for_each_argument(Arguments& a, const Visit& visit) {
  if constexpr (requires { a.shard; }) for_each_argument(a.shard, visit);
  if constexpr (requires { a.shape; }) for_each_argument(a.shape, visit);
  if constexpr (requires { a.sequences; }) for_each_argument(a.sequences, visit);
  if constexpr (requires { a.written; }) for_each_argument(a.written, visit);
  if constexpr (requires { a.paged; }) for_each_argument(a.paged, visit);
  if constexpr (requires { a.mask; }) for_each_argument(a.mask, visit);
  if constexpr (requires { a.cache; }) for_each_argument(a.cache, visit);
  if constexpr (requires { a.list.budget; }) for_each_argument(a.list, visit);
  if constexpr (requires { a.append; }) for_each_argument(a.append, visit);
  if constexpr (requires { a.rest; }) for_each_argument(a.rest, visit);
  // clang-format off
#define M(name) if constexpr (requires { requires !std::is_class_v<decltype(a.name)>; }) visit(#name, a.name);
  M(allowed) M(allowed_per_head) M(append_count) M(append_keys) M(append_norms) M(append_values) M(bad_codes) M(batch)
  M(best) M(block_table) M(blocks) M(budget) M(cache_form) M(capacity) M(codes) M(corners) M(count) M(counts)
  M(dense_up_to) M(digit) M(dim) M(first) M(form) M(half_tables) M(head_stride) M(heads) M(hyperplanes) M(key_scales)
  M(key_type) M(keys) M(kv_heads) M(last_counts) M(lengths) M(list) M(list_counts) M(lists) M(log_sum_exp) M(log_sums)
  M(logit_scale) M(marks) M(norm_type) M(norms) M(output) M(packed) M(page_size) M(page_stride) M(paged_index)
  M(pages) M(part) M(parts) M(planes) M(probabilities) M(probability_type) M(queries) M(query_rows) M(rank) M(ranks)
  M(rest_delta) M(rest_drawn) M(rest_flagged) M(rest_flags) M(rest_keys) M(rest_limit) M(rest_nominal) M(rest_output)
  M(rest_radius) M(rest_samples) M(rest_step) M(rest_target) M(rest_weight) M(rule) M(scale) M(score_type) M(scores) M(selected) M(sink) M(sparsity) M(tables)
  M(temperature) M(token_stride) M(type) M(used) M(value_scales) M(value_type) M(values) M(weight_scale) M(whole) M(work)
  M(window) M(workspace)
  M(workspace_bytes)
#undef M
  // clang-format on
}

// An array of its own to each pointer that is asked for.
class Arrays {
 public:
  explicit Arrays(void* memory) : next_(static_cast<char*>(memory)), last_(next_ + kMemoryOfCalls - kBytes) {}
  void* next() { return std::exchange(next_, next_ + kBytes); }
  void* misaligned() const { return last_ + 2; }

 private:
  static constexpr std::int64_t kBytes = 1 << 20;
  char *next_, *last_;
};

template <class T>
void read(std::string_view text, T*& pointer, Arrays& arrays) {
  pointer = text == "null" ? nullptr : static_cast<T*>(text == "@2" ? arrays.misaligned() : arrays.next());
}
template <class Number>
  requires std::is_arithmetic_v<Number>
void read(std::string_view text, Number& number, Arrays&) {
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr != end) refuse("refusals: {} is no number", text);
}

// Calls visit(part) for each part of `text` between these; the lines of a table without those that `\` joins.
template <class Visit>
void each_part(std::string_view text, std::string_view between, Visit&& visit) {
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + between.size())) {
    end = text.find(between);
    if (!text.substr(0, end).empty()) visit(text.substr(0, end));
    if (end == std::string_view::npos) return;
  }
}

template <class Arguments>
Arguments changed(Arguments args, std::string_view changes, Arrays& arrays) {
  each_part(changes, " ", [&](std::string_view change) {
    bool known = false;
    for_each_argument(args, [&](std::string_view name, auto& member) {
      if (change.substr(0, change.find('=')) != name) return;
      known = true;
      read(change.substr(name.size() + 1), member, arrays);
    });
    if (!known) refuse("refusals: {} names no member", change);
  });
  return args;
}

// The calls of one function.
template <class Arguments>
class Function {
 public:
  using Member = int (*Library::*)(const Arguments*, CUstream_st*, skt_error*);

  void add(const std::string& table, void* memory) {
    Arrays arrays(memory);
    Arguments good = {};
    bool first = true;
    std::string joined, common;
    each_part(table, "\n", [&](std::string_view line) {
      joined += line;
      if (joined.ends_with('\\')) return joined.pop_back();
      const auto call = [&](const std::string& change, const std::string& refusal) {
        Arrays others = arrays;
        const Arguments args = changed(changed(good, common, others), change, others);
        const auto run = [member = function, args](const Library& library, skt_error* error) {
          return (library.*member)(&args, nullptr, error);
        };
        calls.push_back({name, common + change, run, refusal, launches && refusal.empty()});
      };
      if (first) {
        good = changed(good, joined, arrays);
        call("", "");
      } else if (joined.ends_with(" ..") && joined.find(" => ") == std::string::npos) {
        common = joined.substr(0, joined.size() - 2);
      } else {
        add_line(joined, call);
      }
      first = false;
      joined.clear();
    });
  }

  std::vector<Call>& calls;
  const char* name;
  Member function;
  bool launches;

 private:
  template <class AddCall>
  static void add_line(const std::string& line, const AddCall& call) {
    if (const std::size_t arrow = line.find(" => "); arrow != std::string::npos) {
      const std::string refusal = line.substr(arrow + 4);
      const std::string change = line.substr(0, arrow);
      return call(change == "good" ? "" : change, refusal == "ok" ? "" : refusal);
    }
    const std::size_t colon = line.find(": ");
    const std::string before = line.substr(0, colon), behind = line.substr(colon + 2);
    const std::size_t equals = before.find('=');
    if (equals != std::string::npos) {
      const std::string name = before.substr(0, equals);
      return each_part(before.substr(equals + 1), "|", [&](std::string_view value) {
        call(fmt::format("{}={}", name, value), fmt::format("{} is {}: allowed is {}", name, value, behind));
      });
    }
    const std::string alignment = behind.substr(behind.find(' ') + 1);
    each_part(before, " ", [&](std::string_view name) {
      if (behind.starts_with("pointer"))
        call(fmt::format("{}=null", name), fmt::format("{} is 0: allowed is a device pointer", name));
      call(fmt::format("{}=@2", name), fmt::format("{}, modulo {}, is 2: allowed is 0", name, alignment));
    });
  }
};

template <class Arguments>
Function<Arguments> function_of(std::vector<Call>& calls, const char* name,
                                int (*Library::*function)(const Arguments*, CUstream_st*, skt_error*), bool launches) {
  return {calls, name, function, launches};
}

}  // namespace

std::vector<Call> calls_of_all_functions(void* memory) {
  std::vector<Call> calls;
  const auto add = [&](const char* name, auto function, bool launches, const std::string& table) {
    function_of(calls, name, function, launches).add(table, memory);
  };
  add("skt_hash_keys", &Library::hash_keys, false, kHashKeys);
  add("skt_value_norms", &Library::value_norms, false, kValueNorms);
  add("skt_pack_codes", &Library::pack_codes, false, kPackCodes);
  add("skt_build_index", &Library::build_index, false, kBuildIndex);
  add("skt_soft_buckets", &Library::soft_buckets, true, kSoftBuckets);
  add("skt_score_buckets", &Library::score_buckets, false, kScoreBuckets);
  add("skt_score_packed", &Library::score_packed, false, kScorePacked);
  add("skt_select_keys", &Library::select_keys, true, kSelectKeys);
  add("skt_sparse_attention", &Library::sparse_attention, true, kSparseAttention);
  add("skt_published_list", &Library::published_list, true, kPublishedList);
  add("skt_count_shard", &Library::count_shard, true, kCountShard);
  add("skt_select_shard", &Library::select_shard, true, kSelectShard);
  add("skt_merge_parts", &Library::merge_parts, true, kMergeParts);
  add("skt_decode_step", &Library::decode_step, true, kDecodeStep);
  return calls;
}

// Somebody else's library need not have everything: then there is nothing to refuse.
Comparison check_refusals(const Library& library, const CheckCase&) {
  DeviceArray<std::uint8_t> memory{std::vector<std::uint8_t>(kMemoryOfCalls)};
  Comparison result;
  std::string unsupported;
  std::int64_t number = 0;
  for (const Call& call : calls_of_all_functions(memory.data())) {
    if (call.function == unsupported) continue;
    skt_error error = {};
    const int code = call.run(library, &error);
    if (code == SKT_UNSUPPORTED && library.handle != nullptr && call.line.empty()) {
      unsupported = call.function;
      continue;
    }
    const bool as_it_must = call.line.empty() ? code == SKT_OK : code != SKT_OK && error.message[0] != '\0';
    const std::string what = fmt::format("{} {} {}", call.function, call.line.empty() ? "takes" : "refuses",
                                         call.changes.empty() ? "good arguments" : call.changes);
    result.holds(what.c_str(), ++number, as_it_must);
  }
  memory.to_host();  // waits for what was launched
  return result;
}

}  // namespace skt::gpu

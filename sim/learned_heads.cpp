#include "sim/learned_heads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/require.hpp"

namespace skt {
namespace {

Index queries_of(const LearnedHeads& heads) {
  return heads.queries.front().rows();
}

// The remainder of 64 random bits: one outcome is likelier than another by less than count / 2^64.
Index drawn_below(Index count, Seed seed, const DrawAddress& address) {
  const auto words = random_words(seed, address);
  const std::uint64_t bits = std::uint64_t{words[0]} << 32 | words[1];
  return static_cast<Index>(bits % static_cast<std::uint64_t>(count));
}

void require_place(const char* name, std::optional<Index> place, Index count) {
  if (place)
    require(*place >= 0 && *place < count, "the family learned: {} is {}: allowed are 0 to {}", name, *place,
            count - 1);
}

}  // namespace

Index keys_seen(const LearnedHeads& heads, Index query) {
  return heads.keys.front().rows() - queries_of(heads) + 1 + query;
}

FamilyParameters with_heads(FamilyParameters p, std::shared_ptr<const LearnedHeads> heads, std::optional<Index> head,
                            std::optional<Index> query) {
  p.family = InstanceFamily::learned;
  p.keys = keys_seen(*heads, head && query ? *query : 0);
  p.dim = heads->keys.front().cols();
  p.value_dim = heads->values.front().cols();
  p.learned = std::move(heads);
  p.head = head;
  p.query = query;
  require_learned(p);
  return p;
}

void require_learned(const FamilyParameters& p) {
  if (!p.learned) refuse("the family learned: it has no heads; allowed are those of a file");
  const LearnedHeads& heads = *p.learned;
  require_place("head", p.head, std::ssize(heads.queries));
  require_place("query", p.query, queries_of(heads));
  const auto require_same = [](const char* name, Index given, Index held) {
    require(given == held, "the family learned: {} is {}: allowed are the {} of its file", name, given, held);
  };
  require_same("keys", p.keys, keys_seen(heads, p.head && p.query ? *p.query : 0));
  require_same("dim", p.dim, heads.keys.front().cols());
  const Index value_dim = heads.values.front().cols();
  require_same("value_dim", p.value_dim.value_or(value_dim), value_dim);
}

LearnedPlace learned_place(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  const LearnedHeads& heads = *p.learned;
  const Index count = std::ssize(heads.queries);
  const Index in_turn = (drawn_below(count, seed, {.role = Role::instance_shape}) + trial) % count;
  const Index drawn = drawn_below(queries_of(heads), seed, {.role = Role::query, .trial = trial});
  return {p.head.value_or(in_turn), p.query.value_or(drawn)};
}

Instance learned_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  const LearnedHeads& heads = *p.learned;
  const auto [head, query] = learned_place(p, seed, trial);
  const Index group = std::ssize(heads.queries) / std::ssize(heads.keys), key_head = head / group;
  const Index seen = keys_seen(heads, query);
  Instance instance{fmt::format("learned-{}-{}", head, query), heads.queries[head].row(query),
                    heads.keys[key_head].topRows(seen), heads.values[key_head].topRows(seen)};
  if (p.query_norm) instance.query *= *p.query_norm / instance.query.norm();
  return instance;
}

Matrix other_queries(const FamilyParameters& p, Seed seed, std::uint32_t trial, Index count) {
  const auto [head, query] = learned_place(p, seed, trial);
  const Matrix& queries = p.learned->queries[head];
  const Index others = queries.rows() - 1, taken = std::min(count, others);
  require(others > 0,
          "the family learned: a head of its file has one query; allowed are 2 and more for an index that "
          "learns from others");
  Matrix spread(taken, queries.cols());
  for (Index i = 0; i < taken; ++i) spread.row(i) = queries.row((query + 1 + i * others / taken) % queries.rows());
  return spread;
}

FamilyParameters of_first_trial(const FamilyParameters& parameters, Seed seed) {
  if (parameters.family != InstanceFamily::learned) return parameters;
  const auto [head, query] = learned_place(parameters, seed, 0);
  return with_heads(parameters, parameters.learned, head, query);
}

}  // namespace skt

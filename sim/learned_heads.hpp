// Which attention problems do the queries, keys and values of a trained model's heads hold?
//
// One for each query of each query head: that query, the keys up to its position and their values. The queries are the
// last positions: query i of Q sees the first N - Q + 1 + i of the N keys, all of them, for the first and the last keys
// draw much of the attention. Query heads share the keys of a key head in equal groups, head h those of
// h / (heads / key heads). An instance that saw its query's future, or the keys of another head, would show in
// tests/sim/learned_heads_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/family_parameters.hpp"
#include "sim/instance.hpp"
#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt {

struct LearnedHeads {
  std::string source;           // where they come from, for the results
  std::vector<Matrix> queries;  // of each query head, [queries, dim], queries at most keys
  std::vector<Matrix> keys;     // of each key head, [keys, dim]
  std::vector<Matrix> values;   // of each key head, [keys, value_dim]
};

// How many keys a query sees, of every head: one more than its position.
Index keys_seen(const LearnedHeads& heads, Index query);

// The parameters with the learned family on these heads, their dim and their value_dim; keys are those of the one
// instance where head and query are given, else the fewest that an instance has. InputError for a head or a query that
// there is none of.
FamilyParameters with_heads(FamilyParameters parameters, std::shared_ptr<const LearnedHeads> heads,
                            std::optional<Index> head = {}, std::optional<Index> query = {});

// InputError for sizes and places of the learned family that with_heads does not give.
void require_learned(const FamilyParameters& parameters);

struct LearnedPlace {
  Index head = 0, query = 0;
};

// Which query of which head a trial stands for, where the parameters leave it open: trials take the heads in turn, from
// one that the seed draws, and each draws its query, the same one perhaps more than once. So every head has its share of
// the trials, and a mean over trials is that over the file; an interval says nothing of other heads, texts or models.
LearnedPlace learned_place(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// The query has its own length unless query_norm is given. Called "learned-HEAD-QUERY".
Instance learned_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// Up to `count` other queries of the instance's head, evenly spread [queries, dim]: what an index may learn from.
// InputError where the head has no other.
Matrix other_queries(const FamilyParameters& parameters, Seed seed, std::uint32_t trial, Index count);

// For a command that measures one instance: of the learned family the parameters with head, query and keys of trial 0,
// so that results name them; those of other families as they are.
FamilyParameters of_first_trial(const FamilyParameters& parameters, Seed seed);

}  // namespace skt

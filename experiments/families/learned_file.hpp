// How do the heads of a trained model come from a file into the learned family?
//
// The file is a .safetensors with q [heads, queries, dim], k [key_heads, keys, dim] and v [key_heads, keys, value_dim],
// the queries being the last positions, as `attend --causal` reads it. Wrong if a number of the file came to another
// head, key or query: tests/experiments/families/learned_file_test.cpp writes one by hand.
#pragma once

#include <memory>
#include <string>

#include "sim/learned_heads.hpp"

namespace skt {

class AttendProblem;

// `source` is the name of the file without folders and its content hash (files/content_hash.hpp). InputError, naming
// the file, for one that is missing, is none of these, holds an element that is not finite, or a query or key of length
// zero, which has no direction.
std::shared_ptr<const LearnedHeads> read_learned_heads(const std::string& file);

// Of a problem in memory. where: what stands before q, k and v in a refusal.
std::shared_ptr<const LearnedHeads> learned_heads_of(AttendProblem& problem, const std::string& source,
                                                     const std::string& where = "");

}  // namespace skt

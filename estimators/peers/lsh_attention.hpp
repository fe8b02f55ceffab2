// Who attends to whom when tokens are grouped by the signs of several hyperplanes (document 003)?
//
// Tokens of equal signature form a bucket; sorting by signature makes the attention mask block-diagonal; several
// rounds with fresh planes give the union of their masks. A pair that meets in two rounds counts once: the document
// does not say so, and averaging the outputs of the rounds is something else. It would be wrong if the result
// differed from dense attention under the mask "equal signature in some round".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimators/key_codes.hpp"

namespace skt {

// Tokens sorted by signature, those of one bucket by index.
struct SortedBuckets {
  std::vector<Index> order;      // [tokens]
  std::vector<Index> begin;      // where in `order` each occupied bucket begins, then the number of tokens
  std::vector<Index> bucket_of;  // [tokens], position of the token's bucket in `begin`
};
SortedBuckets sort_into_buckets(std::span<const std::uint32_t> signatures);

// sum_b n_b^2: the pairs that one round attends.
std::uint64_t attended_pairs(const SortedBuckets& buckets);

// Tokens that share a bucket with `token` in some round, in index order, each once; `token` is among them.
std::vector<Index> attended_tokens(std::span<const SortedBuckets> rounds, Index token);

// Softmax attention of each token over its attended tokens, [tokens, value_dim]. queries, keys [tokens, dim];
// signatures.tables is the number of rounds, signatures.planes the planes to a round.
Matrix lsh_attention(const Matrix& queries, const Matrix& keys, const Matrix& values, const KeyCodes& signatures);

// Number of sign patterns that `planes` hyperplanes through the origin in general position cut R^dim into:
// 2 sum_{i < dim} binomial(planes - 1, i) (Cover 1965); 2^planes if planes <= dim. 1 <= planes <= 63, dim >= 1.
std::uint64_t realisable_signatures(Index planes, Index dim);

// P(two tokens at this angle share no bucket in any round): (1 - (1 - angle/pi)^planes)^rounds.
double miss_probability(double angle, Index planes, Index rounds);

}  // namespace skt

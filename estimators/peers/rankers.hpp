// Which rankers are compared, by what name, at what memory?
//
// One plain list. A group builds its index once and gives every ranking that reads it; memory is what scoring reads, in
// bits per token, codes packed and half-precision numbers at 16 bits. Wrong if a name stood for other scores than those
// of the function that its own file describes; tests/estimators/peers/rankers_test.cpp compares them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "estimators/collision_scores.hpp"
#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt {

struct RankerInput {
  const Matrix& keys;                 // [keys, dim]
  const Matrix& values;               // [keys, value_dim]
  const Matrix& calibration_queries;  // [queries, dim]
  Seed seed;
  std::uint32_t trial = 0;
  const Hyperplanes* hyperplanes = nullptr;  // of hash tables; null: drawn at seed and trial
};

struct Ranking {
  std::string name;
  double bits_per_token = 0;
  std::function<Vector(const Vector& query)> scores;  // [keys]; valid as long as the keys and values it was built on
};

using RankerGroup = std::function<std::vector<Ranking>(const RankerInput&)>;

struct HashSettings {
  Index tables = 60;
  Index planes = 8;
  SocketParameters socket;  // temperature 0.5
  Index top = 4;            // buckets that Bucket Attention opens (document 001)
  Index bits = 128;         // of the signatures and signed projections
};

// socket (paper, eq. (4)), socket-value (times the value norm, Algorithm 4), hard-lsh (eq. (3)), hamming (equal bits
// over all tables) and bucket-attention, on the same hash codes.
RankerGroup hash_rankers(const HashSettings& settings);

// signature-hamming, signed-orthogonal, signed-orthogonal-norm and rabitq on orthogonal blocks;
// signed-independent and qjl (with the key's norm) on independent rows.
RankerGroup signature_rankers(Index bits);

RankerGroup quest_ranker(Index page, const std::string& name);
RankerGroup double_sparsity_ranker(Index channels);
RankerGroup loki_ranker(Index rank);
RankerGroup pqcache_ranker(Index groups, Index bits);

// No index: value-norm, random, streaming-llm; and the truth: value-distance-oracle, cosine-oracle, oracle-top-k.
RankerGroup reference_rankers();

// Every method at the memory of the paper's Table 1: SOCKET as set, Quest 512, Double Sparsity 512, PQCache 256,
// signatures as set; Loki beside Double Sparsity; signed projection at 128 bits too.
std::vector<RankerGroup> published_rankers(const HashSettings& settings, Index dim);

// Every method with an index at the largest size whose codes fit `bits` a token (factors, norms and codebooks on top;
// the rankings report them). Fewer tables for the hash codes, pages, channels, axes, groups and signature bits.
std::vector<RankerGroup> rankers_within(Index bits, const HashSettings& settings, Index dim);

}  // namespace skt

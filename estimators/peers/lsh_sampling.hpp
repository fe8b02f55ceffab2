// Attention from a sample of keys that hash collisions draw (MagicPIG: Chen et al., ICLR 2025).
//
// Keys less their mean are hashed (softmax does not see a shift of all keys, and the centred ones spread over the
// buckets); a key is drawn if it shares the query's bucket in at least two tables, which has probability
// u = P(Bin(tables, (1 - theta/pi)^planes) >= 2); its attention weight is divided by u.
// Wrong if sum_{drawn} e^logit v / u were not, on average over the tables, the sum over all keys.
#pragma once

#include <optional>

#include "estimators/attention.hpp"
#include "estimators/key_codes.hpp"

namespace skt {

struct LshSamplingParameters {
  Index planes = 10;
  Index tables = 150;
  Index collisions = 2;  // 1 .. tables: shared buckets that it takes
};

// Probability that a key at this angle to the query is drawn.
double sampling_probability(double angle, const LshSamplingParameters& parameters);

// The fewest tables at which a key orthogonal to the query is drawn with probability `density`, in (0, 1).
Index tables_for_density(Index planes, Index collisions, double density);

class LshSampler {
 public:
  LshSampler(const Matrix& keys, const LshSamplingParameters& parameters, Seed seed, std::uint32_t trial);

  Vector collisions(const Vector& query) const;  // [keys]: tables in which key and query share the bucket

  struct Sample {
    std::vector<Index> keys;  // drawn, by index
    Vector probability;       // [all keys] of being drawn
  };
  Sample sample(const Vector& query) const;

  double bits_per_token() const;

 private:
  LshSamplingParameters parameters_;
  Matrix centred_;  // [keys, dim]
  Hyperplanes hyperplanes_;
  KeyCodes codes_;
};

// sum_{drawn} e^logit v / u over sum_{drawn} e^logit / u; nullopt if nothing was drawn. logits [all keys].
std::optional<Vector> importance_attention(const Vector& logits, const Matrix& values,
                                           const LshSampler::Sample& sample);

}  // namespace skt

// How well do a few centroid numbers rank a key? PQCache (Zhang et al., SIGMOD 2025): the coordinates are cut into
// successive groups, each group of the keys is clustered by k-means, and a key is scored by the dot products of the
// query with its centroids. Wrong if a codebook that holds every key does not give q.k, or a round of k-means raises
// the distortion.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt {

struct ProductQuantiserParameters {
  Index groups = 32;  // must divide dim
  Index bits = 4;     // 1 .. 12 to a group: 2^bits centroids, fewer where there are fewer keys
  Index rounds = 10;  // of Lloyd's algorithm
};

// Centroids [min(2^bits, rows), cols] of the rows and the nearest one of each row (ties to the lower number).
// Starts from distinct rows drawn with (seed, trial, group); an empty cluster keeps its centroid.
struct Clusters {
  Matrix centroids;
  std::vector<std::uint16_t> nearest;
  double distortion = 0;  // sum of squared distances to the nearest centroid
};
Clusters k_means(const Matrix& points, Index count, Index rounds, Seed seed, std::uint32_t trial, std::uint32_t group);

class ProductQuantiser {
 public:
  ProductQuantiser(const Matrix& keys, const ProductQuantiserParameters& parameters, Seed seed, std::uint32_t trial);

  Vector scores(const Vector& query) const;  // [keys]
  double bits_per_token() const;             // the codes, and the half-precision codebook shared over the keys

 private:
  ProductQuantiserParameters parameters_;
  Index keys_ = 0;
  Index dim_ = 0;
  std::vector<Clusters> groups_;
};

}  // namespace skt

// How far do a few coordinates go? Double Sparsity (Yang et al. 2024): calibration ranks the channels by the size of
// their contribution |q_c k_c|; a token's score is q.k over the heaviest channels only. Wrong if all channels do not
// give q.k itself, or zero channels outside the chosen ones change it.
#pragma once

#include <vector>

#include "sim/matrix.hpp"

namespace skt {

// The `count` channels of largest mean |q_c k_c| over all pairs of a calibration query and a key, which is
// mean|q_c| mean|k_c|; ties to the lower channel; in rising order.
std::vector<Index> heavy_channels(const Matrix& keys, const Matrix& calibration_queries, Index count);

class HeavyChannels {
 public:
  // InputError unless 1 <= count <= dim and there is a calibration query.
  HeavyChannels(const Matrix& keys, const Matrix& calibration_queries, Index count);

  Vector scores(const Vector& query) const;  // [keys]
  double bits_per_token() const;             // a half-precision number to a channel
  const std::vector<Index>& channels() const { return channels_; }

 private:
  std::vector<Index> channels_;
  Matrix labels_;  // [keys, count]: the chosen columns of the keys
};

}  // namespace skt

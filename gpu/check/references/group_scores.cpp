#include "gpu/check/references/group_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/check/cases/element_type.hpp"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/score_bins.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr double kUnit = 0x1p-24;

std::int64_t tiles_of(const GroupKeys& keys) {
  return (keys.length + kTileKeys - 1) / kTileKeys;
}

bool is_there(const GroupKeys& keys, std::int64_t key) {
  return key < keys.length && keys.is_allowed(key);
}

GroupHead head_of(const CheckCase& c, std::span<const float> half_sums) {
  GroupHead head{twin_fixed_weights(half_sums, c.tables, c.planes)};
  head.weights.unit *= weight_scale_of(c);
  return head;
}

// Of a tile that has keys: the largest logit rounded up, and the sum in the kernel's order. A lane has two keys of each
// quarter of the tile; lanes are added in pairs of pairs.
SoftmaxPart<float> twin_of_tile(const CheckCase& c, const FixedWeights& weights, const GroupKeys& keys,
                                std::int64_t tile) {
  constexpr int kLanes = 8, kLaneKeys = 2;  // of one head
  constexpr std::int64_t kQuarter = kLanes * kLaneKeys;
  std::vector<float> logits(kTileKeys);
  SoftmaxPart<float> part;
  for (std::int64_t i = 0; i < kTileKeys; ++i) {
    const std::int64_t key = tile * kTileKeys + i;
    if (!is_there(keys, key)) continue;
    logits[i] = twin_signed_sum(weights, keys.codes_of(key), c.planes, keys.norm_of(key));
    part.exponent = std::fmax(part.exponent, std::ceil(logits[i]));
  }
  float sums[kLanes] = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    for (std::int64_t first = kLaneKeys * lane; first < kTileKeys; first += kQuarter) {
      for (std::int64_t i = first; i < first + kLaneKeys; ++i) {
        if (is_there(keys, tile * kTileKeys + i) && may_be_selected(logits[i]))
          sums[lane] += weight_power(logits[i] - part.exponent);
      }
    }
  }
  part.sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  return part;
}

}  // namespace

GroupHead twin_group_head(const CheckCase& c, std::span<const float> half_sums, const GroupKeys& keys) {
  GroupHead head = head_of(c, half_sums);
  const auto tiles = static_cast<unsigned>(tiles_of(keys));
  head.normaliser = normaliser_of_tiles(
      tiles, [&](unsigned i) { return twin_of_tile(c, head.weights, keys, sampled_tile(i, tiles)); });
  return head;
}

GroupHead twin_group_head(const CheckCase& c, std::span<const float> half_sums, float log_sum) {
  GroupHead head = head_of(c, half_sums);
  head.normaliser = normaliser_of_log_sum(log_sum);
  return head;
}

float twin_group_score(const CheckCase& c, std::span<const GroupHead> heads, std::span<const std::int16_t> codes,
                       float norm) {
  float weights[kMostSharingHeads] = {};
  for (std::size_t h = 0; h < heads.size(); ++h) {
    weights[h] = weight_of_head(twin_signed_sum(heads[h].weights, codes, c.planes, norm), heads[h].normaliser);
  }
  float sum = (weights[0] + weights[1]) + (weights[2] + weights[3]);
  if (heads.size() > 4) sum += (weights[4] + weights[5]) + (weights[6] + weights[7]);
  return round_to(SKT_BF16, sum);
}

namespace {

// A logit to base 2, and how far the kernel's may be off.
struct ExactLogit {
  double value, error;
};

ExactLogit exact_logit(const CheckCase& c, const SignedProjections& projections, double error,
                       std::span<const std::int16_t> codes, double norm) {
  const double scale = double{weight_scale_of(c)} * norm;
  const double value = scale * signed_sum(c, projections, codes);
  return {value, 1.01 * (scale * error + 2 * kUnit * (std::abs(value) + scale * error))};
}

constexpr double kWeightError = 1.01 * (kPowerError + 125 * kUnit);
constexpr double kSumError = kWeightError + 1.01 * 40 * kUnit;

}  // namespace

namespace {

// log2 on powers of two, and a straight line between them.
double lines_of_log2(double x) {
  int octave = 0;
  const double fraction = std::frexp(x, &octave);  // 1/2 to 1
  return octave - 1 + (2 * fraction - 1);
}

// The normaliser of these logits, [sampled tiles, keys that are there]: of 16 tiles at most log2 of their sum of powers; of
// more, those between the first and the last stand for all between by the mean of lines_of_log2 of their sums.
double exact_normaliser(std::int64_t tiles, const std::vector<std::vector<double>>& logits) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const std::vector<double>& tile : logits) {
    for (const double x : tile) largest = std::max(largest, x);
  }
  double total = 0, logarithms = 0, between = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    double sum = 0;
    for (const double x : logits[i]) sum += std::exp2(x - std::ceil(largest));
    if (sum == 0) continue;
    if (tiles <= std::int64_t{kSampledTiles} || i == 0 || i + 1 == logits.size()) {
      total += sum;
    } else {
      logarithms += lines_of_log2(sum);
      between += 1;
    }
  }
  if (between > 0) total += between * real(tiles - 2) / (kSampledTiles - 2) * std::exp2(logarithms / between);
  return std::ceil(largest) + std::log2(total);
}

}  // namespace

ExactGroupHead exact_group_head(const CheckCase& c, const SignedProjections& projections, const GroupKeys& keys) {
  ExactGroupHead head{projections, signed_sum_error(c, projections)};
  const auto tiles = static_cast<unsigned>(tiles_of(keys));
  std::vector<std::vector<double>> low(sampled_tiles(tiles)), high = low;
  bool has_keys = false;
  for (unsigned i = 0; i < sampled_tiles(tiles); ++i) {
    const std::int64_t tile = sampled_tile(i, tiles);
    for (std::int64_t key = tile * kTileKeys; key < (tile + 1) * kTileKeys; ++key) {
      if (!is_there(keys, key)) continue;
      has_keys = true;
      const ExactLogit logit = exact_logit(c, projections, head.error, keys.codes_of(key), keys.norm_of(key));
      low[i].push_back(logit.value - logit.error);
      high[i].push_back(logit.value + logit.error);
    }
  }
  if (!has_keys) return head;  // c is 0
  head.normaliser = {exact_normaliser(tiles, low), exact_normaliser(tiles, high)};
  const double largest = std::max(std::abs(head.normaliser.low), std::abs(head.normaliser.high));
  const double off = 4 * kSumError + 20 * kUnit * largest;
  head.normaliser = {head.normaliser.low - off, head.normaliser.high + off};
  return head;
}

ExactGroupHead exact_group_head(const CheckCase& c, const SignedProjections& projections, float log_sum) {
  ExactGroupHead head{projections, signed_sum_error(c, projections)};
  if (!std::isfinite(log_sum)) return head;
  const double octaves = double{log_sum} / std::log(2.0);
  const double off = 3 * kUnit * std::abs(octaves) + 2 * kWeightError;
  head.normaliser = {octaves - off, octaves + off};
  return head;
}

ScoreInterval group_score_interval(const CheckCase& c, std::span<const ExactGroupHead> heads,
                                   std::span<const std::int16_t> codes, double norm) {
  constexpr double kMost = kMostPower;
  ScoreInterval sum;
  for (const ExactGroupHead& head : heads) {
    const ExactLogit logit = exact_logit(c, head.projections, head.error, codes, norm);
    const double low = std::exp2(std::min(logit.value - logit.error - head.normaliser.high, kMost - 1));
    const double high = std::exp2(std::min(logit.value + logit.error - head.normaliser.low, kMost));
    sum.low += low * (1 - kWeightError);
    sum.high += high * (1 + kWeightError) + std::exp2(1 - kMost);
  }
  const double rounding = 1.01 * (kScoreRounding + 8 * kUnit);
  return {sum.low * (1 - rounding) - 0x1p-134, sum.high * (1 + rounding) + 0x1p-134};
}

}  // namespace skt::gpu

#include "gpu/check/references/group_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/check/cases/element_type.hpp"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/lengths.hpp"
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

// Whether a normaliser may be sampled from it: the newest keys may have no codes yet.
bool may_be_sampled(const GroupKeys& keys, std::int64_t key) {
  return is_there(keys, key) && key < keys.length - kMostAppended;
}

GroupHead head_of(const CheckCase& c, std::span<const float> half_sums) {
  GroupHead head{twin_fixed_weights(half_sums, c.tables, c.planes)};
  head.weights.unit *= weight_scale_of(c) * kOctaveSteps;
  return head;
}

// Some of the tables, and their half sums.
struct SomeTables {
  std::vector<std::int64_t> tables;
  std::vector<float> half_sums;
};

// The parts that a sampled key's sum over signs is made in: quads of tables in turn.
std::vector<SomeTables> sampled_parts(const CheckCase& c, std::span<const float> half_sums) {
  const std::int64_t entries = half_table_entries(c.code_bits());
  std::vector<SomeTables> parts(c.group() > 4 ? 1 : 2);
  for (std::int64_t table = 0; table < c.tables; ++table) {
    SomeTables& part = parts[table / kQuadTables % std::ssize(parts)];
    const std::span<const float> own = float_row(half_sums, table, entries);
    part.tables.push_back(table);
    part.half_sums.insert(part.half_sums.end(), own.begin(), own.end());
  }
  return parts;
}

float twin_sampled_sum(const CheckCase& c, const std::vector<SomeTables>& parts,
                       const std::vector<std::int16_t>& codes) {
  float sum = 0;
  std::vector<std::int16_t> of_part;
  for (const SomeTables& part : parts) {
    of_part.clear();
    for (const std::int64_t table : part.tables) of_part.push_back(codes[table]);
    const float more = twin_signed_score(part.half_sums, of_part, c.planes, 1);
    sum = &part == parts.data() ? more : sum + more;
  }
  return sum;
}

// Of the keys of a tile that may be selected, in steps. Powers of 32 keys are added in pairs 16, 8, .. apart, then those of
// both halves of the tile.
float twin_log_sum(const CheckCase& c, const std::vector<SomeTables>& parts, const GroupKeys& keys, std::int64_t tile) {
  constexpr std::int64_t kLanes = 32;
  const float unit = weight_scale_of(c) * kOctaveSteps;
  std::vector<float> logits(kTileKeys, -INFINITY), powers(kTileKeys);
  float largest = -INFINITY;
  for (std::int64_t i = 0; i < kTileKeys; ++i) {
    const std::int64_t key = tile * kTileKeys + i;
    if (may_be_sampled(keys, key)) {
      const float sum = twin_sampled_sum(c, parts, keys.codes_of(key));
      logits[i] = sampled_logit(sum, unit, keys.norm_of(key));
    }
    largest = std::fmax(largest, logits[i]);
  }
  for (std::int64_t i = 0; i < kTileKeys; ++i) {
    powers[i] = may_be_selected(logits[i]) ? weight_power(logits[i] - finite_normaliser(largest)) : 0.0f;
  }
  for (std::int64_t apart = kLanes / 2; apart > 0; apart /= 2) {
    for (std::int64_t i = 0; i < apart; ++i) {
      powers[i] += powers[i + apart];
      powers[kLanes + i] += powers[kLanes + i + apart];
    }
  }
  return largest > -INFINITY ? largest + steps_of(powers[0] + powers[kLanes]) : -INFINITY;
}

float twin_weight(const CheckCase& c, const GroupHead& head, std::span<const std::int16_t> codes, float norm) {
  const float scaled = twin_signed_sum(head.weights, codes, c.planes, 1);
  return weight_of_bits(weight_bits(scaled, norm, weight_offset(head.normaliser)) & 0xffff);
}

float sum_in_bf16(float a, float b) {
  return round_to(SKT_BF16, double{a} + b);
}

}  // namespace

GroupHead twin_group_head(const CheckCase& c, std::span<const float> half_sums, const GroupKeys& keys) {
  GroupHead head = head_of(c, half_sums);
  const auto tiles = static_cast<unsigned>(tiles_of(keys));
  const std::vector<SomeTables> parts = sampled_parts(c, half_sums);
  TilesInArray sampled;
  for (unsigned i = 0; i < kSampledTiles; ++i) {
    const bool is_sampled = i < sampled_tiles(tiles);
    sampled.log_sums[i] = is_sampled ? twin_log_sum(c, parts, keys, sampled_tile(i, tiles)) : -INFINITY;
  }
  head.normaliser = normaliser_of_tiles(tiles, sampled);
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
  for (std::size_t h = 0; h < heads.size(); ++h) weights[h] = twin_weight(c, heads[h], codes, norm);
  for (int h = 0; h < 4 && heads.size() > 4; ++h) weights[h] = sum_in_bf16(weights[h], weights[h + 4]);
  return sum_in_bf16(sum_in_bf16(weights[0], weights[2]), sum_in_bf16(weights[1], weights[3]));
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

constexpr double kStep = 1 / double{kOctaveSteps};
const double kLine =
    std::log2(1 + kPowerError);  // that a straight line is above a power, and below a logarithm, in octaves

double log_sum_of(const std::vector<double>& logits) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const double x : logits) largest = std::max(largest, x);
  if (largest == -std::numeric_limits<double>::infinity()) return largest;
  for (const double x : logits) sum += std::exp2(x - largest);
  return largest + std::log2(sum);
}

// The normaliser of the sampled tiles' log-sums: of more than 16 tiles those between the first and the last stand for all
// between by their mean.
double exact_normaliser(std::int64_t tiles, const std::vector<double>& log_sums) {
  std::vector<double> all;
  double between = 0, mean = 0;
  for (std::size_t i = 0; i < log_sums.size(); ++i) {
    if (std::isinf(log_sums[i])) continue;
    if (tiles <= std::int64_t{kSampledTiles} || i == 0 || i + 1 == log_sums.size()) {
      all.push_back(log_sums[i]);
    } else {
      mean += log_sums[i];
      between += 1;
    }
  }
  if (between > 0) all.push_back(mean / between + std::log2(between * real(tiles - 2) / (kSampledTiles - 2)));
  return log_sum_of(all);
}

}  // namespace

ExactGroupHead exact_group_head(const CheckCase& c, const SignedProjections& projections, const GroupKeys& keys) {
  ExactGroupHead head{projections, signed_sum_error(c, projections)};
  const auto tiles = static_cast<unsigned>(tiles_of(keys));
  std::vector<double> low, high;  // log-sums of tiles
  for (unsigned i = 0; i < sampled_tiles(tiles); ++i) {
    const std::int64_t tile = sampled_tile(i, tiles);
    std::vector<double> least, most;
    for (std::int64_t key = tile * kTileKeys; key < (tile + 1) * kTileKeys; ++key) {
      if (!may_be_sampled(keys, key)) continue;
      const ExactLogit logit = exact_logit(c, projections, head.error, keys.codes_of(key), keys.norm_of(key));
      if (std::isnan(logit.value)) continue;  // it cannot be selected
      least.push_back(logit.value - logit.error);
      most.push_back(logit.value + logit.error);
    }
    low.push_back(log_sum_of(least));
    high.push_back(log_sum_of(most));
  }
  const ScoreInterval exact = {exact_normaliser(tiles, low), exact_normaliser(tiles, high)};
  if (std::isinf(exact.low)) return head;  // no keys: c is 0
  const double roundings = 1.1 * kStep + 100 * kUnit * std::max({1.0, std::abs(exact.low), std::abs(exact.high)});
  head.normaliser = {exact.low - 3 * kLine - roundings, exact.high + 2 * kLine + roundings};
  return head;
}

ExactGroupHead exact_group_head(const CheckCase& c, const SignedProjections& projections, float log_sum) {
  ExactGroupHead head{projections, signed_sum_error(c, projections)};
  if (!std::isfinite(log_sum)) return head;
  const double octaves = double{log_sum} / std::log(2.0), off = 4 * kUnit * std::abs(octaves);
  head.normaliser = {octaves - off, octaves + off};
  return head;
}

ScoreInterval group_score_interval(const CheckCase& c, std::span<const ExactGroupHead> heads,
                                   std::span<const std::int16_t> codes, double norm) {
  const auto power = [](double octaves) { return std::exp2(std::clamp<double>(octaves, -kMostOctaves, kMostOctaves)); };
  ScoreInterval sum;
  for (const ExactGroupHead& head : heads) {
    const ExactLogit logit = exact_logit(c, head.projections, head.error, codes, norm);
    sum.low += power(logit.value - logit.error - head.normaliser.high - 1.01 * kStep);
    sum.high += power(logit.value + logit.error - head.normaliser.low + 1.01 * kStep) * (1 + kPowerError);
  }
  return {sum.low * (1 - 3 * kScoreRounding), sum.high * (1 + 3.03 * kScoreRounding)};
}

}  // namespace skt::gpu

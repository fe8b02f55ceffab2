#include "estimators/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/normal_rows.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// Keys strictly on the positive side of the plane with this normal, or on the negative one if those are more.
Index larger_side(const Matrix& keys, const Vector& normal) {
  const Vector projected = keys * normal;
  return std::max((projected.array() > 0).count(), (projected.array() < 0).count());
}

constexpr int kAscentSteps = 60;  // the count has stopped growing well before, for up to 1e5 keys in 128 dimensions

// Climbs a smooth count: each key pulls the normal by the slope of a sigmoid of its projection, which sharpens.
Index climb(const Matrix& directions, Vector normal) {
  Index best = 0;
  for (int step = 0; step < kAscentSteps; ++step) {
    normal.normalize();
    best = std::max(best, larger_side(directions, normal));
    const Vector projected = directions * normal;
    const double width = std::sqrt(projected.squaredNorm() / real(projected.size())) / (1 + 0.1 * step);
    const Vector pull = (projected.array() / width).tanh().square().matrix();
    normal += directions.transpose() * (1 - pull.array()).matrix() / real(projected.size()) / width;
  }
  return best;
}

constexpr Index kMostCountedPlanes = 16;  // 65,536 counts, which a core's cache holds

Index fullest_by_counts(std::span<const std::uint32_t> table, Index planes, std::vector<Index>& counts) {
  counts.assign(Index{1} << planes, 0);
  Index fullest = 0;
  for (const std::uint32_t code : table) fullest = std::max(fullest, ++counts[code]);
  return fullest;
}

Index fullest_by_sorting(std::span<const std::uint32_t> table) {
  std::vector<std::uint32_t> sorted(table.begin(), table.end());
  std::sort(sorted.begin(), sorted.end());
  Index fullest = 0;
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto next = std::upper_bound(at, sorted.end(), *at);
    fullest = std::max<Index>(fullest, next - at);
    at = next;
  }
  return fullest;
}

}  // namespace

std::vector<Index> fullest_buckets(const KeyCodes& codes) {
  std::vector<Index> fullest(codes.tables);
  std::vector<Index> counts;
  for (Index l = 0; l < codes.tables; ++l) {
    fullest[l] = codes.planes <= kMostCountedPlanes ? fullest_by_counts(codes.table(l), codes.planes, counts)
                                                    : fullest_by_sorting(codes.table(l));
  }
  return fullest;
}

Index realised_occupancy(const KeyCodes& codes) {
  const std::vector<Index> fullest = fullest_buckets(codes);
  return fullest.empty() ? 0 : *std::max_element(fullest.begin(), fullest.end());
}

BucketLoad bucket_load(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                       const SocketParameters& parameters) {
  require(codes.tables == hyperplanes.tables && codes.planes == hyperplanes.planes,
          "codes of {} tables with {} planes do not belong to hyperplanes of {} and {}", codes.tables, codes.planes,
          hyperplanes.tables, hyperplanes.planes);
  const std::vector<Index> fullest = fullest_buckets(codes);
  const Matrix signal = query_signal(hyperplanes, query, parameters.scaling);
  const std::vector<std::uint32_t> own = hash_query(hyperplanes, query);
  BucketLoad load;
  for (Index l = 0; l < codes.tables; ++l) {
    const double miss = 1 - bucket_probability(row_of(signal, l), parameters.temperature, own[l]);
    load.fullest = std::max(load.fullest, fullest[l]);
    load.occupied_miss += real(fullest[l]) * miss / real(codes.tables);
  }
  return load;
}

Index half_plane_occupancy(const Matrix& keys) {
  if (keys.cols() != 2) refuse("keys have dim {}: the sweep is for dim 2", keys.cols());
  std::vector<double> angles;
  for (Index j = 0; j < keys.rows(); ++j)
    if (!keys.row(j).isZero(0)) angles.push_back(std::atan2(keys(j, 1), keys(j, 0)));
  const Index zero_keys = keys.rows() - std::ssize(angles);
  std::sort(angles.begin(), angles.end());
  const Index n = std::ssize(angles);
  for (Index j = 0; j < n; ++j) angles.push_back(angles[j] + 2 * std::numbers::pi);
  Index best = 0, end = 0;
  for (Index first = 0; first < n; ++first) {  // the half-plane that starts just before this key
    end = std::max(end, first);
    while (end < first + n && angles[end] < angles[first] + std::numbers::pi) ++end;
    best = std::max(best, end - first);
  }
  return zero_keys + best;
}

Index half_space_occupancy_at_least(const Matrix& keys, Seed seed, std::uint32_t starts) {
  if (keys.rows() == 0) return 0;
  const Index zero_keys = (keys.rowwise().squaredNorm().array() == 0).count();
  const Matrix directions = keys.rowwise().normalized();
  Index best = (keys.rows() - zero_keys + 1) / 2;
  for (std::uint32_t start = 0; start < starts; ++start) {
    const Vector normal =
        start == 0 ? directions.colwise().sum().transpose() : normal_vector(seed, {.trial = start}, keys.cols());
    if (normal.norm() > 0) best = std::max(best, climb(directions, normal));
  }
  return zero_keys + best;
}

}  // namespace skt

#include "estimators/peers/lsh_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "estimators/attention.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

SortedBuckets sort_into_buckets(std::span<const std::uint32_t> signatures) {
  SortedBuckets buckets;
  buckets.order.resize(signatures.size());
  buckets.bucket_of.resize(signatures.size());
  std::iota(buckets.order.begin(), buckets.order.end(), Index{0});
  const auto signature = [&](Index token) { return signatures[token]; };
  std::stable_sort(buckets.order.begin(), buckets.order.end(),
                   [&](Index a, Index b) { return signature(a) < signature(b); });
  for (Index at = 0; at < std::ssize(buckets.order); ++at) {
    const Index token = buckets.order[at];
    if (at == 0 || signature(token) != signature(buckets.order[at - 1])) {
      buckets.begin.push_back(at);
    }
    buckets.bucket_of[token] = std::ssize(buckets.begin) - 1;
  }
  buckets.begin.push_back(std::ssize(signatures));
  return buckets;
}

std::uint64_t attended_pairs(const SortedBuckets& buckets) {
  std::uint64_t pairs = 0;
  for (std::size_t b = 0; b + 1 < buckets.begin.size(); ++b) {
    const std::uint64_t size = buckets.begin[b + 1] - buckets.begin[b];
    pairs += size * size;
  }
  return pairs;
}

std::vector<Index> attended_tokens(std::span<const SortedBuckets> rounds, Index token) {
  std::vector<Index> attended;
  for (const SortedBuckets& buckets : rounds) {
    const Index bucket = buckets.bucket_of[token];
    attended.insert(attended.end(), buckets.order.begin() + buckets.begin[bucket],
                    buckets.order.begin() + buckets.begin[bucket + 1]);
  }
  std::sort(attended.begin(), attended.end());
  attended.erase(std::unique(attended.begin(), attended.end()), attended.end());
  return attended;
}

Matrix lsh_attention(const Matrix& queries, const Matrix& keys, const Matrix& values, const KeyCodes& signatures) {
  if (queries.rows() != signatures.keys || keys.rows() != signatures.keys || values.rows() != signatures.keys) {
    refuse("{} queries, {} keys, {} values: the signatures are of {} tokens", queries.rows(), keys.rows(),
           values.rows(), signatures.keys);
  }
  std::vector<SortedBuckets> rounds;
  for (Index r = 0; r < signatures.tables; ++r) rounds.push_back(sort_into_buckets(signatures.table(r)));
  Matrix output(signatures.keys, values.cols());
  for (Index token = 0; token < signatures.keys; ++token) {
    const std::vector<Index> attended = attended_tokens(rounds, token);
    const Matrix near = keys(attended, Eigen::all);
    const Vector weights = *softmax(scaled_logits(queries.row(token).transpose(), near));
    output.row(token) = weights.transpose() * values(attended, Eigen::all);
  }
  return output;
}

std::uint64_t realisable_signatures(Index planes, Index dim) {
  if (planes < 1 || planes > 63) refuse("planes is {}: allowed are 1 to 63", planes);
  if (dim < 1) refuse("dim is {}: allowed are 1 and more", dim);
  std::uint64_t sum = 0;
  std::uint64_t choose = 1;  // binomial(planes - 1, i); times (planes - 1 - i) stays below 2^64 up to 63 planes
  for (std::uint64_t i = 0, end = std::min(dim, planes); i < end; ++i) {
    sum += choose;
    choose = choose * (planes - 1 - i) / (i + 1);
  }
  return 2 * sum;
}

double miss_probability(double angle, Index planes, Index rounds) {
  return std::pow(1 - std::pow(1 - angle / std::numbers::pi, real(planes)), real(rounds));
}

}  // namespace skt

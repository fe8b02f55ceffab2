#include "experiments/parts/work_estimates.hpp"

#include <algorithm>
#include <cmath>

#include "estimators/error_terms/table_moments.hpp"

namespace skt {
namespace {

constexpr double kOperation = 4e-5;    // of a product, microseconds
constexpr double kLookup = 1e-2;       // of a score in its table
constexpr double kValue = 4e-3;        // of a sum over the values
constexpr double kSum = 6e-4;          // of one table's sum over the values
constexpr double kSample = 9e-2;       // drawing a key
constexpr double kSelected = 5e-2;     // ordering a key by its score
constexpr double kSecondsOfPart = 20;  // of one core

}  // namespace

double hash_work(const HashedSize& s) {
  return kOperation * 2 * real(s.keys) * real(s.dim) * real(s.tables) * real(s.planes);
}

double scores_work(const HashedSize& s) {
  return kLookup * real(s.keys) * real(s.tables);
}

double tables_work(const HashedSize& size) {
  return hash_work(size) + scores_work(size);
}

double values_work(Index keys, Index value_dim) {
  return kValue * real(keys) * real(value_dim);
}

double sums_work(Index keys, Index value_dim, Index tables) {
  return kSum * real(keys) * real(value_dim) * real(tables);
}

double samples_work(Index samples, Index value_dim) {
  return real(samples) * (kSample + kOperation * 2 * real(value_dim));
}

double selection_work(Index keys, Index budget, Index value_dim) {
  return kSelected * real(keys) + kOperation * 4 * real(budget) * real(value_dim);
}

double pairs_work(Index keys) {
  return kPairBlockWork * real(pair_blocks(keys));
}

std::uint64_t trials_of_a_part(double work_of_trial) {
  constexpr double kThreads = 16;
  const double trials = 1e6 * kSecondsOfPart / std::max(1.0, work_of_trial);
  return static_cast<std::uint64_t>(kThreads * std::max(1.0, std::floor(trials / kThreads)));
}

}  // namespace skt

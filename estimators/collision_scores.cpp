#include "estimators/collision_scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr Index kScoreBlock = 1024;  // scores of a block stay in the first-level cache

void check_match(const Hyperplanes& hyperplanes, const KeyCodes& codes) {
  if (codes.tables != hyperplanes.tables || codes.planes != hyperplanes.planes)
    refuse("codes of {} tables with {} planes do not belong to hyperplanes of {} and {}", codes.tables, codes.planes,
           hyperplanes.tables, hyperplanes.planes);
}

// sum_l term(l, code of the key in table l), tables in order, keys in parallel blocks.
template <class Term>
auto sum_over_tables(const KeyCodes& codes, Term&& term) {
  using Real = decltype(term(Index{0}, std::uint32_t{0}));
  Eigen::Matrix<Real, Eigen::Dynamic, 1> scores = Eigen::Matrix<Real, Eigen::Dynamic, 1>::Zero(codes.keys);
  const Index blocks = (codes.keys + kScoreBlock - 1) / kScoreBlock;
#pragma omp parallel for schedule(static) if (blocks > 1)
  for (Index b = 0; b < blocks; ++b) {
    const Index first = b * kScoreBlock;
    const Index last = std::min(first + kScoreBlock, codes.keys);
    for (Index l = 0; l < codes.tables; ++l) {
      const std::span<const std::uint32_t> table = codes.table(l);
      for (Index j = first; j < last; ++j) scores[j] += term(l, table[j]);
    }
  }
  return scores;
}

HalfTables half_tables_of(const Matrix& signal, Index table, double temperature) {
  return half_tables(row_of(signal, table), temperature);
}

std::vector<HalfTables> half_tables_of_query(const Hyperplanes& hyperplanes, const Vector& query,
                                             const SocketParameters& parameters) {
  const Matrix signal = query_signal(hyperplanes, query, parameters.scaling);
  std::vector<HalfTables> halves;
  for (Index l = 0; l < hyperplanes.tables; ++l) halves.push_back(half_tables_of(signal, l, parameters.temperature));
  return halves;
}

}  // namespace

Vector soft_scores(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                   const SocketParameters& parameters) {
  check_match(hyperplanes, codes);
  const std::vector<HalfTables> halves = half_tables_of_query(hyperplanes, query, parameters);
  return sum_over_tables(codes, [&](Index l, std::uint32_t code) { return halves[l].probability(code); });
}

Eigen::VectorXf soft_scores_f32(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                                const SocketParameters& parameters) {
  check_match(hyperplanes, codes);
  const std::vector<HalfTables> halves = half_tables_of_query(hyperplanes, query, parameters);
  return sum_over_tables(codes, [&](Index l, std::uint32_t code) {
    const HalfTables& h = halves[l];
    return static_cast<float>(h.high[code >> h.low_planes]) *
           static_cast<float>(h.low[code & ((1u << h.low_planes) - 1u)]);
  });
}

Vector soft_scores_of_table(const Hyperplanes& hyperplanes, const KeyCodes& codes, Index table, const Vector& query,
                            const SocketParameters& parameters) {
  check_match(hyperplanes, codes);
  if (table < 0 || table >= codes.tables) refuse("table is {}: allowed are 0 to {}", table, codes.tables - 1);
  const Matrix signal = query_signal(hyperplanes, query, parameters.scaling);
  const HalfTables halves = half_tables_of(signal, table, parameters.temperature);
  const std::span<const std::uint32_t> column = codes.table(table);
  Vector scores(codes.keys);
  for (Index j = 0; j < codes.keys; ++j) scores[j] = halves.probability(column[j]);
  return scores;
}

Vector hard_scores(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query) {
  check_match(hyperplanes, codes);
  const std::vector<std::uint32_t> own = hash_query(hyperplanes, query);
  return sum_over_tables(codes, [&](Index l, std::uint32_t code) { return code == own[l] ? 1.0 : 0.0; });
}

Vector hamming_scores(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query) {
  check_match(hyperplanes, codes);
  const std::vector<std::uint32_t> own = hash_query(hyperplanes, query);
  return sum_over_tables(
      codes, [&](Index l, std::uint32_t code) { return real(codes.planes - std::popcount(code ^ own[l])); });
}

}  // namespace skt

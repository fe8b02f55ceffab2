#include "estimators/tables/table_sums.hpp"

#include <algorithm>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr Index kBlock = 256;  // keys; their scores in all tables stay in the second-level cache

}  // namespace

Vector TableSums::output() const {
  const double mass = normalisers.sum();
  require(mass > 0, "the scores of all tables underflow: use fewer planes or a higher temperature");
  return numerators.colwise().sum().transpose() / mass;
}

TableSums empty_table_sums(Index tables, Index value_dim) {
  return {Matrix::Zero(tables, value_dim), Vector::Zero(tables)};
}

void add_table_sums(TableSums& sums, const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                    Index first, const Eigen::Ref<const Matrix>& values, const SocketParameters& parameters) {
  const Index tables = sums.tables(), keys = values.rows();
  if (codes.tables != tables || hyperplanes.tables != tables || codes.planes != hyperplanes.planes ||
      first + keys > codes.keys || values.cols() != sums.numerators.cols()) {
    refuse("codes of {} tables and {} keys with values [{}, {}] from key {} on do not fit sums of {} tables, dim {}",
           codes.tables, codes.keys, keys, values.cols(), first, tables, sums.numerators.cols());
  }
  const Matrix signal = query_signal(hyperplanes, query, parameters.scaling);
  std::vector<HalfTables> halves;
  for (Index l = 0; l < tables; ++l) halves.push_back(half_tables(row_of(signal, l), parameters.temperature));

  Matrix scores(tables, kBlock);
  for (Index begin = 0; begin < keys; begin += kBlock) {
    const Index count = std::min(kBlock, keys - begin);
    for (Index l = 0; l < tables; ++l) {
      const std::span<const std::uint32_t> table = codes.table(l).subspan(first + begin, count);
      for (Index j = 0; j < count; ++j) scores(l, j) = halves[l].probability(table[j]);
    }
    const auto block = scores.leftCols(count);
    sums.normalisers += block.rowwise().sum();
    sums.numerators.noalias() += block * values.middleRows(begin, count);
  }
}

TableSums table_sums(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                     const Eigen::Ref<const Matrix>& values, const SocketParameters& parameters) {
  require(values.rows() == codes.keys, "{} values for {} keys: allowed are equally many", values.rows(), codes.keys);
  TableSums sums = empty_table_sums(hyperplanes.tables, values.cols());
  add_table_sums(sums, hyperplanes, codes, query, 0, values, parameters);
  return sums;
}

}  // namespace skt

#include "experiments/attend/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/number.hpp"

namespace skt {
namespace {

constexpr Index kAllHeads = -1;

// Number of keys at each density.
std::vector<Index> counts_of(Index allowed, Index always) {
  std::vector<Index> counts;
  for (const double density : curve_densities()) {
    const auto share = static_cast<Index>(density * real(allowed));
    counts.push_back(std::min(allowed, always + std::max<Index>(1, share)));
  }
  return counts;
}

struct Shells {
  std::vector<std::uint8_t> of_key;  // [keys]; the last shell holds what no density selects
  Vector mass;                       // [shells]
  Matrix context;                    // [shells, value_dim], sum of weight times value
};

Shells empty_shells(const std::vector<Index>& order, const std::vector<Index>& counts, Index keys, Index value_dim) {
  const Index shells = std::ssize(counts) + 1;
  Shells made{std::vector<std::uint8_t>(keys, 0), Vector::Zero(shells), Matrix::Zero(shells, value_dim)};
  std::uint8_t shell = 0;
  for (Index rank = 0; rank < std::ssize(order); ++rank) {
    while (shell < std::ssize(counts) && counts[shell] <= rank) ++shell;  // an empty one where two counts are equal
    made.of_key[order[rank]] = shell;
  }
  return made;
}

RankingCurve curve_of(const std::string& ranking, const Shells& shells, const std::vector<Index>& counts) {
  const Index last = shells.mass.size() - 1;
  const Vector dense = shells.context.colwise().sum() / shells.mass.sum();
  const double length = dense.norm();
  RankingCurve curve{ranking, {}};
  for (Index i = 0; i < last; ++i) {
    DensityPoint point{curve_densities()[i], counts[i], 0, std::nullopt};
    const double kept = shells.mass.head(i + 1).sum(), pruned = shells.mass.tail(last - i).sum();
    point.residual_weight = pruned / (kept + pruned);
    const Vector sparse = shells.context.topRows(i + 1).colwise().sum() / kept;
    // A selection whose every weight underflows against the largest of all has no output here.
    if (length > 0 && kept > 0) point.relative_error = (sparse - dense).norm() / length;
    curve.points.push_back(point);
  }
  return curve;
}

}  // namespace

const std::vector<double>& curve_densities() {
  static const std::vector<double> densities{0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5};
  return densities;
}

std::vector<RankingCurve> density_curves(AttendProblem& problem, Index key_head, const Vector& logits,
                                         const std::vector<KeyOrder>& orders, Index always) {
  if (orders.empty() || orders.front().keys.empty()) return {};
  const std::vector<Index> counts = counts_of(std::ssize(orders.front().keys), always);
  std::vector<Shells> shells;
  for (const KeyOrder& order : orders)
    shells.push_back(empty_shells(order.keys, counts, logits.size(), problem.value_dim()));
  const double largest = logits.maxCoeff();
  problem.visit_values(key_head, [&](Index first, const Matrix& rows) {
    for (Index i = 0; i < rows.rows(); ++i) {
      const double weight = std::exp(logits[first + i] - largest);
      for (Shells& s : shells) {
        const std::uint8_t shell = s.of_key[first + i];
        s.mass[shell] += weight;
        s.context.row(shell) += weight * rows.row(i);
      }
    }
  });
  std::vector<RankingCurve> curves;
  for (Index i = 0; i < std::ssize(orders); ++i) curves.push_back(curve_of(orders[i].ranking, shells[i], counts));
  return curves;
}

void CurveMeans::add(Index head, const std::vector<RankingCurve>& curves) {
  for (const RankingCurve& curve : curves) {
    for (const Index h : {kAllHeads, head}) {
      std::vector<Sums>& sums = sums_[{h, curve.ranking}];
      sums.resize(curve.points.size());
      for (Index i = 0; i < std::ssize(sums); ++i) {
        const DensityPoint& point = curve.points[i];
        ++sums[i].queries;
        sums[i].keys += real(point.keys);
        sums[i].residual_weight += point.residual_weight;
        if (!point.relative_error) continue;
        ++sums[i].errors;
        sums[i].relative_error += *point.relative_error;
      }
    }
  }
}

CsvTable CurveMeans::table() const {
  CsvTable table({"head", "ranking", "density", "queries", "keys_mean", "residual_weight_mean", "relative_error_mean"});
  for (const auto& [place, sums] : sums_) {
    const std::string head = place.first == kAllHeads ? "all" : fmt::format("{}", place.first);
    for (Index i = 0; i < std::ssize(sums); ++i) {
      const double queries = real(sums[i].queries);
      table.add({head, place.second, curve_densities()[i], sums[i].queries, sums[i].keys / queries,
                 sums[i].residual_weight / queries,
                 sums[i].errors == 0 ? std::nan("") : sums[i].relative_error / real(sums[i].errors)});
    }
  }
  return table;
}

}  // namespace skt

// How does the error of exact softmax attention over the best keys fall with their share of all keys?
//
// For one ranking of the keys and every density at once: the keys between two densities form a shell, one pass over the
// values gives each shell's softmax mass and weighted sum, and their running sums are the selections. A shell in the
// wrong place would show at the density of the run itself, where the summary has the same numbers from another route.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/attend/problem.hpp"
#include "experiments/files/csv.hpp"

namespace skt {

// Of the keys that a mask allows; the paper's Table 1 runs from 2% to 50%.
const std::vector<double>& curve_densities();

struct DensityPoint {
  double density = 0;                    // asked for
  Index keys = 0;                        // selected
  double residual_weight = 0;            // softmax mass of the others
  std::optional<double> relative_error;  // ||output - dense|| / ||dense||; empty for a dense output of 0
};

struct RankingCurve {
  std::string ranking;
  std::vector<DensityPoint> points;
};

struct KeyOrder {
  std::string ranking;
  std::vector<Index> keys;  // all allowed keys, best first
};

// `always` keys come on top of each density's share, which is at least one key. logits [keys], -infinity where
// forbidden. Every order holds the same keys.
std::vector<RankingCurve> density_curves(AttendProblem& problem, Index key_head, const Vector& logits,
                                         const std::vector<KeyOrder>& orders, Index always);

// Means over queries, for each head and for all.
class CurveMeans {
 public:
  void add(Index head, const std::vector<RankingCurve>& curves);
  CsvTable table() const;

 private:
  struct Sums {
    Index queries = 0, errors = 0;
    double keys = 0, residual_weight = 0, relative_error = 0;
  };
  // Head -1 stands for all, and comes first.
  std::map<std::pair<Index, std::string>, std::vector<Sums>> sums_;
};

}  // namespace skt

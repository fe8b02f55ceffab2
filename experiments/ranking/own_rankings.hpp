// What does each ranker keep of dense attention on keys, values and queries that the caller brings?
//
// The rows of density_table.hpp for one instance after another, with the caller's arrays in place of a family's. It would
// be wrong if a query of a family's instance gave other numbers there: tests/experiments/ranking/own_rankings_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "estimators/metrics/kept_by_selection.hpp"
#include "estimators/peers/rankers.hpp"

namespace skt {

struct OwnRankingPlan {
  HashSettings hash;
  std::vector<std::string> rankers;                          // of ranker_names(); none: all
  std::vector<double> densities{0.02, 0.05, 0.1, 0.2, 0.5};  // in (0, 1]
};

// Its options, which refuse what is out of range.
class Fields;
void add_fields(Fields& fields, OwnRankingPlan& plan);

// Query i is the trial `trial + i` of a family in what decides ties; the indices are drawn at `trial`.
struct OwnRankingInput {
  Matrix keys;                 // [keys, dim]
  Matrix values;               // [keys, value_dim]
  Matrix queries;              // [queries, dim]
  Matrix calibration_queries;  // [calibration, dim]: what an index may learn from
  Seed seed;
  std::uint32_t trial = 0;
};

struct OwnRanking {
  std::string ranker;
  double bits_per_token = 0;
  std::vector<KeptBySelection> kept;  // [queries, densities]
};

// Of the published sizes (estimators/peers/rankers.hpp), in their order.
std::vector<std::string> ranker_names();

// Called with how many queries of how many, each counted once for each ranker, are done.
using RankingsDone = std::function<void(std::uint64_t done, std::uint64_t total)>;

// InputError for shapes that do not fit and numbers that are not finite.
std::vector<OwnRanking> rank_keys(const OwnRankingInput& input, const OwnRankingPlan& plan,
                                  const RankingsDone& done = {});

}  // namespace skt

// Of which parts is a ranking run made?
//
// Of each setting of the curves, each family of the rankers, each family of the temperatures and each setting of the
// predictions. Trials are not cut: their moments would merge in another order, to other bits. A family that came out
// another beside others would show in rank_parts_test.cpp.
#pragma once

#include <vector>

#include "experiments/parts/part_work.hpp"
#include "experiments/ranking/rank.hpp"

namespace skt {

// InputError, before anything is computed, for a plan out of range. build_seconds: where parts that run here leave the
// time to build each index, which no result holds since no two runs agree in it; must outlive the parts.
std::vector<Part> rank_parts(const RankPlan& plan, Seed seed, const WorkSeen& seen = {},
                             BuildSeconds* build_seconds = nullptr);

// From the results in the order of the parts. InputError for results of another list.
RankResult assemble_rank(const RankPlan& plan, const std::vector<Json>& results,
                         const BuildSeconds& build_seconds = {});

}  // namespace skt

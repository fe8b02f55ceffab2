// One problem at the size at which SOCKET is used (paper, Table 6: P = 8, L = 60, tau = .5): which keys does it select?
//
// 4096 Gaussian keys in d = 128, and the 410 (10x sparsity) of largest w^|v| for one draw of the tables. It would be
// wrong if the scores were not those of the estimators under test.
#pragma once

#include <vector>

#include "proofs_check/context.hpp"
#include "sim/instance.hpp"

namespace skt {

struct ProblemInUse {
  Instance instance;
  Vector scores;                // w^ [keys]
  Vector norms;                 // |v_j| [keys]
  std::vector<Index> selected;  // by falling w^|v|
};

inline constexpr Index kPlanesInUse = 8;
inline constexpr Index kTablesInUse = 60;
inline constexpr const char* kProblemInUse = "4096 Gaussian keys, d=128 P=8 L=60 tau=.5, 410 selected";

ProblemInUse problem_in_use(const Context& context);

}  // namespace skt

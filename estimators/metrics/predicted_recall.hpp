// Which recall does a ranker's exact correlation with q.k predict on Gaussian keys?
//
// By the ranker's name and memory, as estimators/peers/rankers.hpp gives them. Wrong if a ranker's measured recall
// parted from it.
#pragma once

#include <optional>
#include <string>

#include "estimators/peers/rankers.hpp"

namespace skt {

// Correlation of the scores with q.k over Gaussian keys and random tables or rows, by the ranker's name; nullopt where
// no closed form is known. bits_per_token: as the ranker reports it.
std::optional<double> exact_correlation(const std::string& ranker, double bits_per_token, const HashSettings& hash,
                                        Index dim, double query_norm);

}  // namespace skt

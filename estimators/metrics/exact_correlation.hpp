// How well does a ranker's score correlate with q.k on Gaussian keys, exactly?
//
// By the ranker's name and memory, as estimators/peers/rankers.hpp gives them. Wrong if the formulas of
// ranking_correlation.hpp were, or if a name stood for another score than that of its ranker.
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

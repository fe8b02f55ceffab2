// With which probability is each key among those of highest soft score, before any table is drawn?
//
// By mean, deviation and skewness of the score (soft_score_moments.hpp) where a key at a right angle to the query has
// a skewness below kMostSkewness over the tables; by the whole law (soft_score_law.hpp) beyond, where three moments no
// longer tell it. Either way with the APPROXIMATIONS of predicted_inclusion.hpp. Wrong if the two ways parted where both
// hold, by more than the law's own error.
#pragma once

#include "estimators/population/parameters.hpp"
#include "estimators/prediction/predicted_inclusion.hpp"

namespace skt {

// At it the two differ by less than .01 in a probability, and by .001 in a recall.
inline constexpr double kMostSkewness = 0.5;

// The law of the mean of the soft scores over the tables. cosines [keys] in [-1, 1]; InputError for tables below 1.
ScoreLaws soft_score_laws(const Vector& cosines, const PopulationParameters& parameters, Index tables);

// Skewness of that mean for a key at a right angle.
double skewness_of_right_angle(const PopulationParameters& parameters, Index tables);

// pi by budget, for the scores times a factor [keys], 0 and more, such as the norms of the values (Algorithm 4).
InclusionAt soft_inclusion_by_moments(const Vector& cosines, const Vector& factors,
                                      const PopulationParameters& parameters, Index tables);
InclusionAt soft_inclusion_by_law(const Vector& cosines, const Vector& factors, const PopulationParameters& parameters,
                                  Index tables);

// The one of the two that the skewness asks for.
InclusionAt soft_inclusion(const Vector& cosines, const Vector& factors, const PopulationParameters& parameters,
                           Index tables);

}  // namespace skt

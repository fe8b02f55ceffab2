// From which L and M on, and up to which temperature, is the error itself below a wanted level?
//
// Exact errors at the population, mean squares C/L and S/M and the bias: no bound. A wrong threshold would show when
// the errors are computed at it (tests).
#pragma once

#include "estimators/error_terms/population_figures.hpp"

namespace skt {

// From which L and M on, and up to which tau, a level is kept. Infinite tau: at every temperature.
struct Thresholds {
  double tables = 0;
  double samples = 0;
  double temperature = 0;
};

// Smallest n >= 1 with coefficient/sqrt(n) <= level.
double smallest_count(double coefficient, double level);

struct ErrorThresholds {
  Thresholds alone;     // where one term alone meets the level
  Thresholds together;  // a third of the mean square each, at their own temperature
};

// target: the wanted error over max ||v||. The centre of `at` has its limits in L. Where a lower temperature is needed,
// its limits in L take the time of all pairs of keys again, with `done` for their progress. InputError as of the next.
ErrorThresholds error_thresholds(const Instance& instance, const PopulationFigures& at, double target,
                                 const PairBlocksDone& done = {});

// InputError for a target that the bias alone exceeds at every temperature: the query is too short for hard buckets at
// the lowest one, or the target too small. Cheap, and of `at` without its limits in L.
void require_target_in_reach(const Instance& instance, const PopulationFigures& at, double target);

}  // namespace skt

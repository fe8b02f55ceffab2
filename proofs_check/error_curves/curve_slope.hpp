// With which power does an error term fall along an axis, and is it the power that the theory knows?
//
// A weighted line through the logarithms of the root mean squares (sim/statistics/slope.hpp). A wrong rate shows as a
// verdict `refuted`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proofs_check/statement.hpp"
#include "sim/statistics/moments.hpp"
#include "sim/statistics/slope.hpp"

namespace skt {

// One point of the fitted curve, and the exact value there (NaN: not known).
struct FitPoint {
  CurvePoint measured;
  double exact = 0;
};

// The deviation of log(root mean square) comes from the spread of the squares over the trials.
FitPoint fit_point(double value, const Moments& squares, double exact);

// What the slope is held against.
enum class SlopeTheory {
  inverse_root,  // -1/2: E||error||^2 is proportional to 1/L, or 1/M; judged
  exact_values,  // the slope of the exact values, NaN where there are none; not judged
};

// d log(root mean square)/d log(axis).
struct CurveSlope {
  double slope = 0;
  Interval interval{};
  double predicted = 0;
  double first_value = 0;  // of the axis, in the fit
  std::optional<Verdict> verdict{};
};

// None with fewer than two points, or with one that has no logarithm or no deviation. name: of the term, for the
// evidence.
std::optional<CurveSlope> fit_slope(const std::string& name, SlopeTheory theory, const std::vector<FitPoint>& points,
                                    double error_share);

}  // namespace skt

// How improbable is a sum of squared deviations if each is that of a normal number?
//
// It would be wrong if the tail of two degrees were not exp(-x/2), or that of one not the normal law's two tails.
#pragma once

namespace skt {

// Upper tail of the chi-square law. InputError unless statistic >= 0 and degrees > 0; an infinite statistic gives 0.
double chi_square_p_value(double statistic, double degrees);

}  // namespace skt

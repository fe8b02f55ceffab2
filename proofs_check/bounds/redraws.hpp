// How far is one's own error likely to be out, by the same error on independent draws of the tables?
//
// Source: docs/bounds/redraws.md, Theorem 5. For any functional of the draw: finite-table error, total error,
// output error of a selection, lost recall. The promise is on average over the redraws. It would be wrong if the own
// error exceeded the bound more often than delta in repetitions of the whole.
#pragma once

#include <vector>

#include "sim/number.hpp"

namespace skt {

// kk = ceil((1 - delta)(redraws + 1)). InputError for a delta outside (0, 1), or if kk > redraws, with the least number
// that would do.
Index redraw_rank(Index redraws, double delta);

// The kk-th smallest of the errors of the redraws. InputError as above or for an error that is NaN.
double redraw_bound(std::vector<double> errors, double delta);

}  // namespace skt

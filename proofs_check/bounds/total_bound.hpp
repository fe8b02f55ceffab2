// How far is the sampling estimator T from the angular target y*, all three errors together?
//
// Source: docs/bounds/total.md, Theorem 9(a) and (b): squares add, not lengths. It would be wrong if one draw of
// two values, at an offset that lengthens the longer error, left the radius more often than it may.
#pragma once

#include "proofs_check/bounds/sampling_bounds.hpp"

namespace skt {

// `table_radius`: what |y_{tau,L} - y*| exceeds with probability delta_tables at most, finite and from 0. `law` is that
// of a draw on the realised tables. With probability at least (1 - delta_tables)(1 - delta_samples) |T - y*| is at most
// the result. InputError as in sampling_bounds.hpp; infinite for an infinite radius.
double total_error_bound(double table_radius, const SamplingLaw& law, Index samples, double delta_samples);

// `offset` is y_{tau,L} - y* of the realised tables, [value_dim]: y* takes one pass over the keys. Then chance is in the
// samples alone, and |T - y*| is at most the result with probability at least 1 - delta given the tables, hence in all.
// InputError as in sampling_bounds.hpp.
double total_error_bound_at(const Vector& offset, const SamplingLaw& law, Index samples, double delta);

}  // namespace skt

// The target of SOCKET: the angular kernel w_j = (1 - angle(q, k_j)/pi)^P (paper, eq. (5)).
// Angles lost near 0 or pi, as by an arc cosine, would show on nearly parallel vectors.
#pragma once

#include "sim/instance.hpp"

namespace skt {

// Cosine of the angle between two non-zero vectors, in [-1, 1]. Throws InputError on a zero vector.
double cosine(const Vector& a, const Vector& b);

// Angle in [0, pi] as 2 atan2(|a/|a| - b/|b||, |a/|a| + b/|b||): accurate near 0 and pi, never NaN (Kahan 2006).
double angle(const Vector& a, const Vector& b);

// Of every key; InputError on a zero query or key, naming it.
Vector cosines_to_query(const Instance& instance);               // [keys]
Vector angles_to_query(const Instance& instance);                // [keys]
Vector angular_weights(const Instance& instance, Index planes);  // [keys], each in [0, 1]; planes >= 1

}  // namespace skt

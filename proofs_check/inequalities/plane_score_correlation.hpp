// How well does a per-plane score s correlate with q.k? (Lemma 6 and Remark 7)
//
// With x = Wq for orthonormal rows, |q| = 1 and C = sqrt(2/pi): Gamma(s) = C x.s/|s|. For the statements and for the
// adversarial search. It would be wrong if Gamma(x) differed from C|x|_2.
#pragma once

#include "sim/matrix.hpp"

namespace skt {

double projection_constant();                       // C
double gamma_of(const Vector& x, const Vector& s);  // C x.s/|s|
double gamma_hard(const Vector& x);                 // (C/sqrt P)|x|_1
double gamma_soft(const Vector& x);                 // Gamma(tanh x)
double gamma_most(const Vector& x);                 // C|x|_2

}  // namespace skt

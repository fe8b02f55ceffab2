// What do the steps of appendix B compare that hold for every law of tables?
// (Eqs. (9), (13), (14), (18), (19), (37) to (39).)
//
// Each step once, for the statements (random and tight laws) and for the adversarial search (all small laws). It would
// be wrong if I-GRID did not give equality in eq. (9).
#pragma once

#include <functional>

#include "proofs_check/inequalities/bias_proof_steps.hpp"
#include "proofs_check/inequalities/inequality_sides.hpp"
#include "proofs_check/inequalities/table_law.hpp"

namespace skt {

// Left and right side of each step; of a step about single tables, those of the table with the largest ratio.
using SidesOfLaw = std::function<InequalitySides(const TableLaw&)>;

InequalitySides normaliser_sides(const TableLaw& law);         // (9): Z^(l) <= B of the table
InequalitySides square_sides(const TableLaw& law);             // (13): |s|^2 <= Z^(l)
InequalitySides numerator_sides(const TableLaw& law);          // (14): |n^(l)| <= |V| sqrt(B)
InequalitySides mean_numerator_sides(const TableLaw& law);     // (18), first step: |n_tau| <= E|n^(l)|
InequalitySides numerator_mean_sides(const TableLaw& law);     // (18), second step: E|n^(l)| <= |V| sqrt(B)
InequalitySides deviation_sides(const TableLaw& law);          // (19): |n^(l) - n_tau| <= 2|V| sqrt(B)
InequalitySides sharper_deviation_sides(const TableLaw& law);  // the same with sqrt(2) for 2
InequalitySides inside_sides(const TableLaw& law);             // (37): sum over b_q of 1 - p <= B(1 - p)
InequalitySides outside_sides(const TableLaw& law);            // (38): sum over the other buckets of s_j <= B(1 - p)
InequalitySides distance_sides(const TableLaw& law);           // (39): sum |s_j - I_j| <= 2B(1 - p)

// A step of the bias, of the population of a law: {0, 1} where a mass is so small that outputs are not defined.
SidesOfLaw of_population(BiasSide left, BiasSide right);

}  // namespace skt

// Independent N(0,1) numbers as matrices and vectors.
//
// Row j of a matrix is drawn at the address whose row is j places further: its bits depend neither on the number of
// rows nor on the number of threads, and the first rows of a larger draw are the rows of a smaller one.
#pragma once

#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt {

Matrix normal_rows(Seed seed, const DrawAddress& first, Index rows, Index dim);  // [rows, dim]

Vector normal_vector(Seed seed, const DrawAddress& at, Index dim);  // [dim]

}  // namespace skt

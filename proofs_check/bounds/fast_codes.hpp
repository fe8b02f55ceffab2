// Which bucket does each key fall into, at the speed of single precision and without its errors?
//
// A projection in single precision has the right sign where it is larger than its rounding, (dim + 4) 2^-24 |w| for a
// key of length 1; the few others are computed again in double. So a million tables take a third of the time, and their
// law is that of hash_keys. It would be wrong if a code differed from that of hash_keys on a projection that double
// precision tells from 0, or with the place of the key or the number of threads.
#pragma once

#include "estimators/key_codes.hpp"

namespace skt {

using MatrixF = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Keys of length 1, which have the codes of the keys; a zero key stays.
struct UnitKeys {
  Matrix rows;      // [keys, dim]
  MatrixF rounded;  // the same in single precision
};
// InputError for a key that is not finite.
UnitKeys unit_keys(const Matrix& keys);

// InputError if dim differs or a hyperplane is not finite.
KeyCodes fast_codes(const Hyperplanes& hyperplanes, const UnitKeys& keys);

}  // namespace skt

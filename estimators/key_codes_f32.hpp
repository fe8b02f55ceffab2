// The hash codes of keys in single precision, fast: what a CPU that serves attention would compute.
//
// The same codes as hash_keys where no projection is within its rounding of 0; each projection is a float product of
// float hyperplanes. It would be wrong if a code differed on a projection larger than (dim + 1) 2^-24 |w| |k|, or with
// the place of the key or the number of threads.
#pragma once

#include "estimators/key_codes.hpp"

namespace skt {

using MatrixF = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// keys [keys, dim]. InputError if dim differs or a projection is not finite, naming the first such block of keys.
KeyCodes hash_keys_f32(const Hyperplanes& hyperplanes, const Eigen::Ref<const MatrixF>& keys);

}  // namespace skt

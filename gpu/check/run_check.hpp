// Runs one case on the device and compares it with the reference. Needs a device.
#pragma once

#include "gpu/check/check_case.hpp"
#include "gpu/check/comparison.hpp"

namespace skt::gpu {

// Passed iff failures() == 0 and compared() > 0. std::runtime_error if an operation refuses the case or CUDA
// fails.
Comparison run_check(const CheckCase& c);

// One for each operation; run_check chooses.
Comparison check_hash_keys(const CheckCase& c);
Comparison check_build_index(const CheckCase& c);
Comparison check_value_norms(const CheckCase& c);
Comparison check_soft_buckets(const CheckCase& c);
Comparison check_scores(const CheckCase& c);  // score-buckets and score-packed
Comparison check_select_keys(const CheckCase& c);
Comparison check_sparse_attention(const CheckCase& c);
Comparison check_decode_step(const CheckCase& c);

}  // namespace skt::gpu

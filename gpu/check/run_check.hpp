// Runs one case on the device and compares it with the reference. Needs a device.
#pragma once

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/device/library.hpp"
#include "gpu/check/references/comparison.hpp"

namespace skt::gpu {

// Passed iff failures() == 0 and compared() > 0. std::runtime_error if an operation refuses the case or CUDA
// fails.
Comparison run_check(const Library& library, const CheckCase& c);

// One for each operation; run_check chooses.
Comparison check_hash_keys(const Library& library, const CheckCase& c);
Comparison check_build_index(const Library& library, const CheckCase& c);
Comparison check_value_norms(const Library& library, const CheckCase& c);
Comparison check_soft_buckets(const Library& library, const CheckCase& c);
Comparison check_scores(const Library& library, const CheckCase& c);  // score-buckets and score-packed
Comparison check_signed_scores(const Library& library, const CheckCase& c);
Comparison check_bad_codes(const Library& library, const CheckCase& c);  // score-buckets with checked codes
Comparison check_select_keys(const Library& library, const CheckCase& c);
Comparison check_published_list(const Library& library, const CheckCase& c);
Comparison check_sparse_attention(const Library& library, const CheckCase& c);
Comparison check_decode_step(const Library& library, const CheckCase& c);  // and decode-signed
Comparison check_append_step(const Library& library, const CheckCase& c);
Comparison check_pipeline(const Library& library, const CheckCase& c);  // published, from keys to the output
Comparison check_refusals(const Library& library, const CheckCase& c);
Comparison check_far_addresses(const Library& library, const CheckCase& c);
Comparison check_far_packed(const Library& library, const CheckCase& c);
Comparison check_far_attention(const Library& library, const CheckCase& c);
Comparison check_far_index(const Library& library, const CheckCase& c);

}  // namespace skt::gpu

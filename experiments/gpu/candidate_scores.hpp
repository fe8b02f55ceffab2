// gpu-check --candidate-scores: are the scores in a file, computed by a candidate elsewhere, those of a case?
//
// The candidate needs no interface to this project but files: --write-case gives it the inputs (case_files.hpp), and its
// scores are held here to the intervals of gpu/check/references/score_bounds.hpp. Needs neither CUDA nor a device.
#pragma once

#include <string>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/references/comparison.hpp"
#include "gpu/check/references/score_bounds.hpp"

namespace skt {

// Checks the float16, float32 or float64 array [batch, heads, keys] in the .npy file `path` as the scores of the case.
// InputError, naming the file, for anything else in it.
gpu::Comparison check_candidate_scores(const gpu::CheckCase& c, gpu::ScoredFrom from, const std::string& path);

}  // namespace skt

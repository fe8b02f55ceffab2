// gpu-check --candidate-FILE: are the scores, codes, norms, keys or outputs in a file, computed by a candidate elsewhere,
// those of a case?
//
// The candidate needs no interface to this project but files: --write-case gives it the inputs (case_files.hpp), and its
// scores are held here to the intervals of gpu/check/references/score_bounds.hpp, the other stages to those of
// stage_bounds.hpp there. Needs neither CUDA nor a device.
#pragma once

#include <string>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/references/comparison.hpp"
#include "gpu/check/references/score_bounds.hpp"
#include "gpu/check/references/stage_bounds.hpp"

namespace skt {

// Checks the float16, float32 or float64 array [batch, heads, keys] in the .npy file `path` as the scores of the case.
// InputError, naming the file, for anything else in it.
gpu::Comparison check_candidate_scores(const gpu::CheckCase& c, gpu::ScoredFrom from, const std::string& path);

// int64 [batch, kv_heads, tables, keys], and numbers [batch, kv_heads, keys], [batch, heads, dim]. A selection is int64
// [batch, heads, any], keys in any order and -1 where there are fewer; an output goes with the selection it is of.
gpu::Comparison check_candidate_codes(const gpu::CheckCase& c, const std::string& path);
gpu::Comparison check_candidate_norms(const gpu::CheckCase& c, const std::string& path);
gpu::Comparison check_candidate_selection(const gpu::CheckCase& c, const std::string& path);
gpu::Comparison check_candidate_output(const gpu::CheckCase& c, const std::string& selection, const std::string& path);

}  // namespace skt

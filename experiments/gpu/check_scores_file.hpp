// Scores computed elsewhere: a case is written out as files, and scores for it are read back and checked.
// Needs neither CUDA nor a device.
#pragma once

#include <string>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/references/comparison.hpp"
#include "gpu/check/references/score_bounds.hpp"

namespace skt {

// InputError, naming the option, unless the case is one of a scoring kernel that soft collisions are written
// for: score-buckets, or score-packed as its kernel takes it.
void require_scoring_case(const gpu::CheckCase& c, const char* option);

// Writes case.json and the arrays of the case into `folder`: which, gpu/check/cases/check_case.hpp says.
void write_case(const gpu::CheckCase& c, const std::string& folder);

// The case in a case.json. InputError, naming the file and the field.
gpu::CheckCase read_case(const std::string& path);

// Checks the float16, float32 or float64 array [batch, heads, keys] in `path` as the scores of the case.
gpu::Comparison check_scores_file(const gpu::CheckCase& c, gpu::ScoredFrom from, const std::string& path);

}  // namespace skt

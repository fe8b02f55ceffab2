// gpu-check --write-case, and the case.json it writes: how does a case of gpu-check reach a program elsewhere?
//
// As files: the case itself and the arrays that its scores are computed from. What that program makes of them comes
// back as a file of scores, checked in candidate_scores.hpp. Needs neither CUDA nor a device.
#pragma once

#include <string>

#include "gpu/check/cases/check_case.hpp"

namespace skt {

// InputError, naming the option, unless the case is one of a scoring kernel that soft collisions are written for:
// score-buckets, or score-packed as its kernel takes it.
void require_scoring_case(const gpu::CheckCase& c, const char* option);

// Writes case.json and the arrays of the case into `folder`: which, gpu/check/cases/check_case.hpp says.
void write_case(const gpu::CheckCase& c, const std::string& folder);

// The case in a case.json. InputError, naming the file and the field.
gpu::CheckCase read_case(const std::string& path);

}  // namespace skt

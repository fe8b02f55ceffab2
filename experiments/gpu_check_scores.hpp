// Scores computed elsewhere: a case is written out as files, and scores for it are read back and checked.
// Needs neither CUDA nor a device.
#pragma once

#include <string>

#include "gpu/check/check_case.hpp"
#include "gpu/check/comparison.hpp"

namespace skt {

// InputError, naming the option, unless the case is one of a scoring kernel that soft collisions are written
// for: score-buckets, or score-packed as its kernel takes it.
void require_scoring_case(const gpu::CheckCase& c, const char* option);

// Writes case.json and the inputs of the case into `folder`, as float32 .npy files of the arrays that the
// header of gpu/socketlab_gpu.h names, over the used keys only: queries [batch, heads, dim], keys and values
// [batch, kv_heads, keys, dim], hyperplanes [tables, planes, dim], corners [2^planes, planes] for a profile
// that has its own, and allowed (bool, [batch, keys] or [batch, heads, keys]) where a mask is set.
void write_case(const gpu::CheckCase& c, const std::string& folder);

// The case in a case.json. InputError, naming the file and the field.
gpu::CheckCase read_case(const std::string& path);

// Checks the float16, float32 or float64 array [batch, heads, keys] in `path` as the scores of the case.
gpu::Comparison check_scores_file(const gpu::CheckCase& c, const std::string& path);

}  // namespace skt

// What arrays does a candidate hand in as .npy files? Numbers and keys in C order, of the shape that the case asks for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/files/tensor_layout.hpp"

namespace skt {

// float16, float32 or float64 of this shape. InputError, naming the file, for anything else in it.
std::vector<double> read_numbers(const std::string& path, const std::vector<Index>& shape);

// int64 of this shape, likewise. A last dimension of 0 is any, and set to the file's.
std::vector<std::int64_t> read_integers(const std::string& path, std::vector<Index>& shape);

}  // namespace skt

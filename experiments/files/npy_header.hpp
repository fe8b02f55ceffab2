// What does the head of a .npy file say (NumPy's format specification, versions 1.0 to 3.0), and how is one written?
//
// Read strictly: what is not exactly a header that NumPy writes is refused with one line that says what is wrong and
// what is allowed. A wrong reading would show against files that NumPy itself has written.
#pragma once

#include <string>
#include <string_view>

#include "experiments/files/tensor_layout.hpp"

namespace skt {

// The header of a file that starts with `start`: its first kNpyHeaderLimit bytes, or all of it. Little-endian,
// C-ordered f16, f32, f64, int64 and bool; anything else is an InputError that starts with `name`.
TensorLayout parse_npy_header(std::string_view start, const std::string& name);
constexpr std::size_t kNpyHeaderLimit = std::size_t{1} << 16;  // NumPy's own need is a few hundred bytes

// Magic, version 1.0 and a dictionary padded to 64 bytes, as NumPy writes it.
std::string npy_header(ElementType type, const std::vector<Index>& shape);
// Likewise for a type that is written only, in NumPy's own words, such as "<i2".
std::string npy_header(const char* descr, const std::vector<Index>& shape);

}  // namespace skt

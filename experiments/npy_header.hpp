// What does the head of a .npy file say (NumPy's format specification, versions 1.0 to 3.0), and how is one
// written?
//
// Read strictly: what is not exactly a header that NumPy writes is refused with one line that says what is
// wrong and what is allowed. A wrong reading would show against files that NumPy itself has written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/matrix.hpp"

namespace skt {

enum class ElementType { f16, f32, f64, i64, boolean };

std::string type_name(ElementType type);  // as NumPy calls it, e.g. "float32"
Index size_of(ElementType type);          // bytes

struct NpyHeader {
  ElementType type = ElementType::f64;
  std::vector<Index> shape;
  std::uint64_t data_offset = 0;  // bytes before the first element
};

std::string describe(const NpyHeader& header);           // e.g. "float32 [4, 128]"
std::string bracketed(const std::vector<Index>& shape);  // e.g. "[4, 128]"

// The header of a file that starts with `start`: its first kNpyHeaderLimit bytes, or all of it.
// Little-endian, C-ordered f16, f32, f64, int64 and bool; anything else is an InputError that starts with
// `name`.
NpyHeader parse_npy_header(std::string_view start, const std::string& name);
constexpr std::size_t kNpyHeaderLimit = std::size_t{1} << 16;  // NumPy's own need is a few hundred bytes

// Magic, version 1.0 and a dictionary padded to 64 bytes, as NumPy writes it.
std::string npy_header(ElementType type, const std::vector<Index>& shape);

}  // namespace skt

// What is an array in a file: of which type, of which shape, and where do its elements start?
//
// Shared by the formats that hold one. A wrong size would show against files that NumPy itself has written.
#pragma once

#include <bit>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/matrix.hpp"

namespace skt {

static_assert(std::endian::native == std::endian::little,
              "elements are copied to and from little-endian files as they are");

enum class ElementType { f16, bf16, f32, f64, i64, boolean };

std::string type_name(ElementType type);  // as NumPy or PyTorch calls it, e.g. "float32"
Index size_of(ElementType type);          // bytes
bool is_floating(ElementType type);

// Which index moves fastest from one element of the file to the next: the last, or the first?
enum class ElementOrder { c, fortran };

struct TensorLayout {
  ElementType type = ElementType::f64;
  std::vector<Index> shape;
  ElementOrder order = ElementOrder::c;
  std::uint64_t data_offset = 0;  // bytes of the file before the first element
};

std::string bracketed(const std::vector<Index>& shape);  // e.g. "[4, 128]"
std::string describe(const TensorLayout& layout);        // e.g. "float32 [4, 128]"

// The number in these bytes, at most eight, the lowest first: the lengths in the heads of both formats.
std::uint64_t little_endian(std::string_view bytes);

// An array's elements as the bytes of a file, as they lie in memory.
template <class Element>
void write_elements(std::ostream& file, const std::vector<Element>& elements) {
  file.write(reinterpret_cast<const char*>(elements.data()), std::ssize(elements) * Index{sizeof(Element)});
}

// Bytes of all elements. InputError that starts with `name` if there are none, or more than a file can have.
Index data_bytes(const TensorLayout& layout, const std::string& name);

}  // namespace skt

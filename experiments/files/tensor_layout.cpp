#include "experiments/files/tensor_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/require.hpp"

namespace skt {

std::string type_name(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return "float16";
    case ElementType::bf16:
      return "bfloat16";
    case ElementType::f32:
      return "float32";
    case ElementType::f64:
      return "float64";
    case ElementType::i64:
      return "int64";
    case ElementType::boolean:
      break;
  }
  return "bool";
}

Index size_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
    case ElementType::bf16:
      return 2;
    case ElementType::f32:
      return 4;
    case ElementType::f64:
    case ElementType::i64:
      return 8;
    case ElementType::boolean:
      break;
  }
  return 1;
}

bool is_floating(ElementType type) {
  return type != ElementType::i64 && type != ElementType::boolean;
}

std::string bracketed(const std::vector<Index>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string describe(const TensorLayout& layout) {
  return type_name(layout.type) + " " + bracketed(layout.shape);
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (Index i = std::ssize(bytes) - 1; i >= 0; --i) {
    const std::uint8_t byte = bytes[i];
    number = number << 8 | byte;
  }
  return number;
}

Index data_bytes(const TensorLayout& layout, const std::string& name) {
  Index bytes = size_of(layout.type);
  for (const Index size : layout.shape) {
    if (size == 0) refuse("{}: empty, its shape is {}; at least one element is needed", name, bracketed(layout.shape));
    if (__builtin_mul_overflow(bytes, size, &bytes))
      refuse("{}: its shape {} is larger than any file", name, bracketed(layout.shape));
  }
  return bytes;
}

}  // namespace skt

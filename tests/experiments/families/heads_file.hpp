// The heads of tests/sim/two_key_heads.hpp as a .safetensors file of bf16, put together byte by byte.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/sim/two_key_heads.hpp"

namespace skt {

// One tensor of the file: its name, its shape as JSON, its rows in order.
struct WrittenTensor {
  std::string name, shape;
  std::vector<Matrix> rows;
};

// bf16 is the upper half of a float32, little-endian; exact for the whole numbers up to 256.
inline std::string bf16_bytes(double number) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number)) >> 16;
  return {static_cast<char>(bits & 255), static_cast<char>(bits >> 8)};
}

inline std::filesystem::path write_tensors(const std::filesystem::path& path,
                                           const std::vector<WrittenTensor>& tensors) {
  std::string header, data;
  for (const WrittenTensor& tensor : tensors) {
    const std::size_t start = data.size();
    for (const Matrix& rows : tensor.rows)
      for (const double number : rows.reshaped<Eigen::RowMajor>()) data += bf16_bytes(number);
    header += fmt::format(R"({}"{}":{{"dtype":"BF16","shape":{},"data_offsets":[{},{}]}})", header.empty() ? "" : ",",
                          tensor.name, tensor.shape, start, data.size());
  }
  header = "{" + header + "}";
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i) & 255);
  std::ofstream(path, std::ios::binary) << length << header << data;
  return path;
}

// q [4, 2, 2], k [2, 5, 2] and v [2, 5, 1].
inline std::vector<WrittenTensor> tensors_of(const LearnedHeads& heads) {
  return {{"q", "[4,2,2]", heads.queries}, {"k", "[2,5,2]", heads.keys}, {"v", "[2,5,1]", heads.values}};
}

inline std::string write_two_key_heads(const std::filesystem::path& folder) {
  return write_tensors(folder / "heads.safetensors", tensors_of(*two_key_heads())).string();
}

}  // namespace skt

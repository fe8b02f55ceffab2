// Which tensors does a .safetensors file hold, and where (the format's README, version 0.x)?
//
// Eight bytes with the length of a JSON object, little-endian; the object, tensor name -> {dtype, shape, data_offsets},
// and "__metadata__" with texts; then the elements. Read strictly, as the format demands: no name twice, the tensors
// cover the elements without a gap or an overlap. A wrong reading would show against files that the test writes byte by
// byte from the format's description.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/files/tensor_layout.hpp"

namespace skt {

struct StoredTensor {
  std::string dtype;                   // as the file says it, e.g. "BF16"
  std::optional<TensorLayout> layout;  // empty for a type that is not read here
};

// A name from a file for an error's one line: what is not printable ASCII as '?', a long one cut.
std::string printable(const std::string& text);

constexpr std::uint64_t kSafetensorsHeaderLimit = 100'000'000;  // the format's own

// The bytes of the length and of the JSON object, from the file's first eight. InputError that starts with `name` if
// the file of `file_bytes` cannot hold them.
std::uint64_t safetensors_head_bytes(std::string_view start, std::uint64_t file_bytes, const std::string& name);

// The tensors of a file of `file_bytes` that starts with `head`, of exactly that many bytes. InputError that starts
// with `name` for whatever breaks the format.
std::map<std::string, StoredTensor> parse_safetensors_header(std::string_view head, std::uint64_t file_bytes,
                                                             const std::string& name);

}  // namespace skt

#include "experiments/gpu/candidate_scores.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

#include "experiments/files/npy_header.hpp"
#include "experiments/files/result_file.hpp"
#include "gpu/check/cases/element_type.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// What a candidate hands in as .npy files: numbers and keys in C order, of the shape that the case asks for.
double element(ElementType type, const char* at) {
  if (type == ElementType::f16) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return gpu::half_from_bits(bits);
  }
  if (type == ElementType::f32) {
    float x = 0;
    std::memcpy(&x, at, sizeof x);
    return x;
  }
  double x = 0;
  std::memcpy(&x, at, sizeof x);
  return x;
}

// The bytes of the elements; how many there are is said by the header.
std::string elements_of(const std::string& bytes, const TensorLayout& header, const std::string& path) {
  if (header.order == ElementOrder::fortran)
    refuse("{}: in Fortran order; allowed is C order (numpy.ascontiguousarray)", path);
  Index announced = size_of(header.type);
  for (const Index size : header.shape) announced *= size;
  const Index held = bytes.size() - header.data_offset;
  if (held != announced) refuse("{}: has {} bytes of data, its header announces {}", path, held, announced);
  return bytes.substr(header.data_offset);
}

TensorLayout header_of(const std::string& bytes, const std::string& path) {
  return parse_npy_header(std::string_view(bytes).substr(0, kNpyHeaderLimit), path);
}

// float16, float32 or float64 of this shape. InputError, naming the file, for anything else in it.
std::vector<double> read_numbers(const std::string& path, const std::vector<Index>& shape) {
  const std::string bytes = read_file(path);
  const TensorLayout header = header_of(bytes, path);
  if (!is_floating(header.type) || header.type == ElementType::bf16 || header.shape != shape)
    refuse("{}: is {}: allowed is float16, float32 or float64 {}", path, describe(header), bracketed(shape));
  const std::string elements = elements_of(bytes, header, path);
  std::vector<double> numbers;
  for (Index at = 0; at < std::ssize(elements); at += size_of(header.type))
    numbers.push_back(element(header.type, elements.data() + at));
  return numbers;
}

// int64 of this shape, likewise. A last dimension of 0 is any, and set to the file's.
std::vector<std::int64_t> read_integers(const std::string& path, std::vector<Index>& shape) {
  const std::string bytes = read_file(path);
  const TensorLayout header = header_of(bytes, path);
  const bool free = shape.back() == 0 && header.shape.size() == shape.size();
  std::vector<Index> wanted = shape;
  if (free) wanted.back() = header.shape.back();
  const std::string allowed =
      shape.back() != 0 ? bracketed(shape) : bracketed(shape).replace(bracketed(shape).size() - 2, 1, "any");
  if (header.type != ElementType::i64 || header.shape != wanted)
    refuse("{}: is {}: allowed is int64 {}", path, describe(header), allowed);
  shape = wanted;
  const std::string elements = elements_of(bytes, header, path);
  std::vector<std::int64_t> numbers(elements.size() / sizeof(std::int64_t));
  std::memcpy(numbers.data(), elements.data(), elements.size());
  return numbers;
}

}  // namespace

gpu::Comparison check_candidate_scores(const gpu::CheckCase& c, gpu::ScoredFrom from, const std::string& path) {
  return gpu::compare_scores(c, from, read_numbers(path, {c.batch, c.heads, c.keys}));
}

gpu::Comparison check_candidate_codes(const gpu::CheckCase& c, const std::string& path) {
  std::vector<Index> shape = {c.batch, c.kv_heads, c.tables, c.keys};
  return gpu::compare_codes(c, read_integers(path, shape));
}

gpu::Comparison check_candidate_norms(const gpu::CheckCase& c, const std::string& path) {
  return gpu::compare_norms(c, read_numbers(path, {c.batch, c.kv_heads, c.keys}));
}

gpu::Comparison check_candidate_selection(const gpu::CheckCase& c, const std::string& path) {
  std::vector<Index> shape = {c.batch, c.heads, 0};
  const std::vector<std::int64_t> lists = read_integers(path, shape);
  return gpu::compare_selection(c, lists, shape.back());
}

gpu::Comparison check_candidate_output(const gpu::CheckCase& c, const std::string& selection, const std::string& path) {
  std::vector<Index> shape = {c.batch, c.heads, 0};
  const std::vector<std::int64_t> lists = read_integers(selection, shape);
  return gpu::compare_outputs(c, lists, shape.back(), read_numbers(path, {c.batch, c.heads, c.dim}));
}

}  // namespace skt

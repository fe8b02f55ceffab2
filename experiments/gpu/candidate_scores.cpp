#include "experiments/gpu/candidate_scores.hpp"

#include <cstdint>
#include <vector>

#include "experiments/files/tensor_file.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// What a candidate hands in: numbers and keys of the shape that the case asks for. InputError, naming the file, for
// anything else in it.
std::vector<double> read_numbers(const std::string& path, const std::vector<Index>& shape) {
  TensorFile file(path);
  if (!is_floating(file.type()) || file.shape() != shape)
    refuse("{}: is {}: allowed is float16, float32 or float64 {}", path, file.describe(), bracketed(shape));
  const Matrix numbers = file.read_elements(0, file.rows());
  return {numbers.data(), numbers.data() + numbers.size()};
}

// A last dimension of 0 is any, and set to the file's.
std::vector<std::int64_t> read_integers(const std::string& path, std::vector<Index>& shape) {
  TensorFile file(path);
  std::string allowed = bracketed(shape);
  if (shape.back() == 0) {
    allowed.replace(allowed.size() - 2, 1, "any");
    shape.back() = file.shape().size() == shape.size() ? file.shape().back() : 0;
  }
  if (file.type() != ElementType::i64 || file.shape() != shape)
    refuse("{}: is {}: allowed is int64 {}", path, file.describe(), allowed);
  return file.read_integers(0, file.rows());
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

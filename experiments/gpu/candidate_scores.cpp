#include "experiments/gpu/candidate_scores.hpp"

#include "experiments/gpu/candidate_arrays.hpp"

namespace skt {

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

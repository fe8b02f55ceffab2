#include "experiments/families/learned_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/attend/problem.hpp"
#include "experiments/files/content_hash.hpp"
#include "experiments/files/result_file.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

namespace fs = std::filesystem;

AttendProblem opened(const std::string& file) {
  if (!fs::is_regular_file(file)) refuse("the family learned: {}: there is no such file", file);
  if (fs::path(file).extension() != ".safetensors")
    refuse("the family learned: {}: allowed is a .safetensors file with q, k and v", file);
  AttendFiles files;
  files.queries = file + ":q";
  files.keys = file + ":k";
  files.values = file + ":v";
  return AttendProblem(files);
}

void require_directions(const Matrix& rows, const std::string& where, const char* tensor, Index head) {
  for (Index i = 0; i < rows.rows(); ++i)
    if (rows.row(i).squaredNorm() == 0)
      refuse("{}{}: row {} of head {} is zero; allowed are vectors with a direction", where, tensor, i, head);
}

Matrix queries_of(AttendProblem& problem, Index head, Index per_head) {
  Matrix queries(per_head, problem.dim());
  for (Index i = 0; i < per_head; ++i) queries.row(i) = problem.query(head * per_head + i);
  return queries;
}

}  // namespace

std::shared_ptr<const LearnedHeads> read_learned_heads(const std::string& file) {
  AttendProblem problem = opened(file);
  const std::string name = fs::path(file).filename().string();
  return learned_heads_of(problem, fmt::format("{}, content hash {}", name, content_hash(read_file(file))), file + ":");
}

std::shared_ptr<const LearnedHeads> learned_heads_of(AttendProblem& problem, const std::string& source,
                                                     const std::string& where) {
  const Index per_head = problem.num_queries() / problem.heads();
  if (per_head > problem.num_keys())
    refuse("{}q: {} queries to a head for {} keys; allowed are at most as many, for they are the last positions", where,
           per_head, problem.num_keys());
  const auto heads = std::make_shared<LearnedHeads>();
  heads->source = source;
  for (Index h = 0; h < problem.heads(); ++h) {
    heads->queries.push_back(queries_of(problem, h, per_head));
    require_directions(heads->queries.back(), where, "q", h);
  }
  for (Index g = 0; g < problem.key_heads(); ++g) {
    HeadArrays head = problem.head(g);
    require_directions(head.keys, where, "k", g);
    heads->keys.push_back(std::move(head.keys));
    heads->values.push_back(std::move(head.values));
  }
  return heads;
}

}  // namespace skt

#include "proofs_check/laws/sparse_attention_problems.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace skt {
namespace {

constexpr Index kMostKeys = 33;
constexpr Index kValueDim = 3;
constexpr double kLargestRange = 16;

}  // namespace

SparseProblem random_sparse_problem(Seed seed, std::uint64_t trial, ActiveChoice policy) {
  std::vector<double> uniforms(3 + kMostKeys * (2 + kValueDim));
  fill_uniform(seed, {Role::test_draw, static_cast<std::uint32_t>(trial), 0, 0, 0}, uniforms);
  const double* next = uniforms.data();
  const auto whole_below = [&](Index bound) { return static_cast<Index>(*next++ * real(bound)); };
  const Index keys = 2 + whole_below(kMostKeys - 1);
  const double range = kLargestRange * std::exp2(-7 * *next++);  // 1/8 .. 16
  const Index kept = 1 + whole_below(keys - 1);

  SparseProblem split{Vector(keys), Matrix(keys, kValueDim), std::vector<Index>(keys)};
  const double step = std::exp2(-20);
  for (double& s : split.scores) s = step * std::round((*next++ - 0.5) * range / step);
  for (double& v : split.values.reshaped()) v = (2 * *next++ - 1) / std::sqrt(real(kValueDim));
  std::vector<double> order(next, next + keys);
  if (policy == ActiveChoice::top_k)
    std::transform(split.scores.begin(), split.scores.end(), order.begin(), std::negate<>());
  std::iota(split.active.begin(), split.active.end(), Index{0});
  std::stable_sort(split.active.begin(), split.active.end(), [&](Index a, Index b) { return order[a] < order[b]; });
  split.active.resize(kept);
  return split;
}

Vector scores_within(const Context& context, std::uint64_t trial, double range) {
  Vector scores = random_sparse_problem(context.seed, trial, ActiveChoice::any).scores;
  const double drawn = scores.maxCoeff() - scores.minCoeff();
  if (drawn > range) scores *= range / drawn;
  return scores;
}

double sparse_output_rounding() {
  return 8 * (kLargestRange + 1 + real(kMostKeys)) * std::numeric_limits<double>::epsilon();
}

Evidence same_on_sparse_problems(const Context& context, std::uint64_t splits, ActiveChoice policy,
                                 const std::string& quantity,
                                 const std::function<void(const SparseProblem&, BothSides&)>& compare) {
  BothSides sides;
  for (std::uint64_t trial = 0; trial < context.trials(splits); ++trial) {
    compare(random_sparse_problem(context.seed, trial, policy), sides);
  }
  return sides.evidence({policy == ActiveChoice::top_k ? "random top-k sets" : "random splits", quantity});
}

ActiveSet staircase(Index kept, Index pruned, double peak, double cut, double floor) {
  Vector scores = Vector::Constant(kept + pruned, floor);
  std::vector<Index> active;
  for (Index j = 0; j < kept; ++j) {
    scores(j) = j == 0 ? peak : cut;
    active.push_back(j);
  }
  return describe_active_set(scores, active);
}

Evidence largest_ratio_of_sets(const Context& context, std::uint64_t splits, ActiveChoice policy,
                               const std::string& quantity, const std::function<double(const ActiveSet&)>& ratio,
                               const std::function<bool(const ActiveSet&)>& in_scope) {
  double largest = 0;
  std::uint64_t tried = 0;
  for (std::uint64_t trial = 0; trial < context.trials(splits); ++trial) {
    const SparseProblem problem = random_sparse_problem(context.seed, trial, policy);
    const ActiveSet set = describe_active_set(problem.scores, problem.active);
    if (!in_scope(set)) continue;
    ++tried;
    largest = larger(largest, ratio(set));
  }
  return supremum({policy == ActiveChoice::top_k ? "random top-k sets" : "random sets", quantity}, largest,
                  sparse_output_rounding(), context.trials(splits), tried);
}

}  // namespace skt

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

double sparse_output_rounding() {
  return 8 * (kLargestRange + 1 + real(kMostKeys)) * std::numeric_limits<double>::epsilon();
}

Evidence no_error_on_sparse_problems(const Context& context, std::uint64_t splits, ActiveChoice policy,
                                     const std::string& quantity,
                                     const std::function<double(const SparseProblem&)>& error) {
  double worst = 0;
  for (std::uint64_t trial = 0; trial < context.trials(splits); ++trial) {
    worst = larger(worst, error(random_sparse_problem(context.seed, trial, policy)));
  }
  const std::string instance = policy == ActiveChoice::top_k ? "random top-k sets" : "random splits";
  return exact({instance, quantity}, worst, equals(0, sparse_output_rounding()));
}

}  // namespace skt

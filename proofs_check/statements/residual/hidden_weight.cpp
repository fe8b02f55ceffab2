#include "proofs_check/statements/residual/hidden_weight.hpp"

#include <algorithm>
#include <cmath>

#include "estimators/selection.hpp"
#include "sim/families.hpp"
#include "sim/normal_rows.hpp"

namespace skt {
namespace {

constexpr Index kKeys = 256, kDim = 16, kValueDim = 3, kListed = 32;

Instance drawn(Hidden hidden, Seed seed, std::uint32_t trial) {
  const Index drawn_keys = hidden == Hidden::equal_keys ? 1 : kKeys;
  FamilyParameters of{.keys = drawn_keys, .dim = kDim, .value_dim = kValueDim, .clusters = 8};
  if (hidden == Hidden::sinks) of.family = InstanceFamily::attention_sink;
  if (hidden == Hidden::cluster) of.family = InstanceFamily::clustered;
  if (hidden == Hidden::mean_key) of.family = InstanceFamily::sink_mean, of.query_norm = 12;
  Instance one = make_instance(of, seed, trial);
  if (hidden == Hidden::needle) one.keys.row(kKeys - 1) = 1.5 * one.query.transpose();
  if (hidden == Hidden::equal_keys) {
    one.keys = Matrix(one.keys.replicate(kKeys, 1));
    one.values = normal_rows(seed, {.role = Role::value, .trial = trial}, kKeys, kValueDim);
  }
  if (hidden == Hidden::heavy_norms) {
    std::vector<double> uniforms(kKeys);
    fill_uniform(seed, {.role = Role::test_draw, .trial = trial}, uniforms);
    // |tan| of a uniform angle is Cauchy; at most 8, so that weights stay within e^100.
    for (Index j = 0; j < kKeys; ++j) one.keys.row(j) *= std::min(8.0, std::tan(1.5707963267948966 * uniforms[j]));
  }
  return one;
}

// Keys that the list may not have.
std::vector<Index> barred_from(Hidden hidden, const Vector& logits) {
  std::vector<Index> barred;
  if (hidden == Hidden::needle) barred = {kKeys - 1};
  if (hidden == Hidden::sinks) barred = {0, 1, 2, 3};
  if (hidden == Hidden::mean_key) barred = {0};
  if (hidden == Hidden::cluster)
    for (Index j = 0; j < kKeys; j += 16) barred.push_back(j);
  if (hidden == Hidden::heavy_norms) {
    Index best = 0;
    logits.maxCoeff(&best);
    barred = {best};
  }
  return barred;
}

}  // namespace

std::string name_of(Hidden hidden) {
  switch (hidden) {
    case Hidden::nothing:
      return "Gaussian";
    case Hidden::needle:
      return "needle in the rest";
    case Hidden::sinks:
      return "sinks barred";
    case Hidden::cluster:
      return "half a cluster barred";
    case Hidden::equal_keys:
      return "equal keys";
    case Hidden::heavy_norms:
      return "Cauchy lengths, longest barred";
    case Hidden::mean_key:
      return "mean key, sink barred";
  }
  return "";
}

HiddenProblem hidden_problem(Hidden hidden, Seed seed, std::uint32_t trial) {
  HiddenProblem problem{drawn(hidden, seed, trial), {}, {}};
  problem.logits = kHiddenScale * (problem.instance.keys * problem.instance.query);
  std::vector<Allowed> allowed(kKeys, Allowed::yes);
  for (const Index j : barred_from(hidden, problem.logits)) allowed[j] = Allowed::no;
  problem.list = select_keys(problem.logits, allowed, {.budget = kListed});
  std::ranges::sort(problem.list);
  return problem;
}

}  // namespace skt

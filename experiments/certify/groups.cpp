#include "experiments/certify/groups.hpp"

#include <algorithm>
#include <span>

#include "experiments/files/content_hash.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

std::vector<Group> groups_of(AttendProblem& problem) {
  std::vector<Group> groups;
  for (Index i = 0; i < problem.num_queries(); ++i) {
    std::vector<Allowed> mask = problem.mask(i);
    const Index key_head = problem.key_head_of(i);
    if (groups.empty() || groups.back().key_head != key_head || groups.back().mask != mask)
      groups.push_back({key_head, {}, std::move(mask)});
    groups.back().queries.push_back(i);
  }
  return groups;
}

Index allowed_keys(const Group& group, Index keys) {
  return group.mask.empty() ? keys : std::count(group.mask.begin(), group.mask.end(), Allowed::yes);
}

Instance instance_of(AttendProblem& problem, const Group& group) {
  HeadArrays head = problem.head(group.key_head);
  std::vector<Index> allowed;
  for (Index j = 0; j < std::ssize(group.mask); ++j)
    if (group.mask[j] == Allowed::yes) allowed.push_back(j);
  if (!group.mask.empty()) head = {head.keys(allowed, Eigen::all), head.values(allowed, Eigen::all)};
  return {"files", {}, std::move(head.keys), std::move(head.values)};
}

// A refusal with the number of its query.
template <class Compute>
auto named(Index query, Compute&& compute) {
  try {
    return compute();
  } catch (const InputError& error) {
    refuse("query {}: {}; a key that has no direction can be left out by --mask", query, error.what());
  }
}

}  // namespace

LoadedGroups::LoadedGroups(AttendProblem& problem, const CertifyPlan& plan)
    : problem_(problem), plan_(plan), list_(groups_of(problem)) {
  for (const Group& group : list_) {
    const Index allowed = allowed_keys(group, problem.num_keys());
    require(allowed > 0, "--mask leaves no key for query {}: allowed is at least one", group.queries.front());
    require(plan.setting.budget <= allowed, "--budget selects {} keys, but query {} sees {}: allowed are 1 to {}",
            plan.setting.budget, group.queries.front(), allowed, allowed);
  }
}

ProblemSize LoadedGroups::size_of(std::size_t group) const {
  return {allowed_keys(list_[group], problem_.num_keys()), problem_.dim(), problem_.value_dim()};
}

Instance LoadedGroups::first_of(std::size_t group) const {
  Instance instance = instance_of(problem_, list_[group]);
  instance.query = problem_.query(list_[group].queries.front());
  return instance;
}

const LoadedGroup& LoadedGroups::at(std::size_t group) {
  if (loaded_ && last_ == group) return *loaded_;
  loaded_.reset();  // never two in memory
  LoadedGroup loaded{instance_of(problem_, list_.at(group)), {}, {}};
  // Sampling by length has to find a value to draw.
  require(loaded.keys_and_values.values.rowwise().squaredNorm().maxCoeff() > 0,
          "--values: of those that query {} may see every square of a length is 0: allowed is one above 0 at least",
          list_[group].queries.front());
  for (const Index i : list_[group].queries) {
    loaded.queries.push_back(problem_.query(i));
    loaded.keys_and_values.query = loaded.queries.back();
    loaded.targets.push_back(named(i, [&] { return targets_of(loaded.keys_and_values, plan_.setting); }));
  }
  last_ = group;
  return loaded_.emplace(std::move(loaded));
}

std::string hash_of_arrays(AttendProblem& problem) {
  std::string hashes;
  const auto add = [&hashes](const auto& numbers) {
    const auto bytes = std::as_bytes(std::span(numbers.data(), numbers.size()));
    hashes += content_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  for (Index head = 0; head < problem.key_heads(); ++head) {
    problem.visit_keys(head, [&](Index, const Matrix& rows) { add(rows); });
    problem.visit_values(head, [&](Index, const Matrix& rows) { add(rows); });
  }
  for (Index i = 0; i < problem.num_queries(); ++i) {
    add(problem.query(i));
    add(problem.mask(i));
  }
  return content_hash(hashes);
}

}  // namespace skt

// Which queries of the user's files are certified together?
//
// Those that share the keys of a key head under the same mask, hence one hash. Keys, values and targets of one group are
// in memory at a time. Not for use by two threads. A query with another's keys would show against NumPy
// (tests/experiments/certify/certify_test.py).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/attend/problem.hpp"
#include "proofs_check/certificate/certify_plan.hpp"
#include "proofs_check/certificate/measured_errors.hpp"

namespace skt {

struct Group {
  Index key_head = 0;
  std::vector<Index> queries;
  std::vector<Allowed> mask;
};

struct LoadedGroup {
  Instance keys_and_values;  // that the mask allows; the query is filled in one after the other
  std::vector<Vector> queries;
  std::vector<Targets> targets;
};

class LoadedGroups {
 public:
  // Everything that certify refuses of the groups, before any work: InputError. Both must outlive this.
  LoadedGroups(AttendProblem& problem, const CertifyPlan& plan);

  AttendProblem& problem() { return problem_; }
  const CertifyPlan& plan() const { return plan_; }
  const std::vector<Group>& list() const { return list_; }
  ProblemSize size_of(std::size_t group) const;

  // The keys and values of a group with the first of its queries; no targets, so quick.
  Instance first_of(std::size_t group) const;

  // Until the next call for another group. InputError, with the number of the query, for what has no targets.
  const LoadedGroup& at(std::size_t group);

 private:
  AttendProblem& problem_;
  const CertifyPlan& plan_;
  std::vector<Group> list_;
  std::size_t last_ = 0;
  std::optional<LoadedGroup> loaded_;
};

// Digits that differ where an array of the problem does, so that no redraws of other arrays are taken for these.
std::string hash_of_arrays(AttendProblem& problem);

}  // namespace skt

// What can be said of one query on the user's own keys and values: which errors were made, and which are to be expected?
//
// A list of numbers, each with what it rests on. For the tables at hand the errors are known exactly; the bounds answer
// which error another draw, another L or another M would make (docs/bounds/). It would be wrong if a proved number were
// exceeded by redraws more often than its delta: tests/proofs_check/certificate/certificate_test.cpp counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proofs_check/certificate/a_priori.hpp"
#include "proofs_check/certificate/measured_errors.hpp"

namespace skt {

enum class Basis {
  measured,   // of the tables at hand, exact
  certified,  // proved, from the drawn tables and exact numbers
  expected,   // proved, of another draw, before it is made
  redrawn,    // proved on average over the redraws (Theorem 5)
  estimated,  // a number in it is an estimate: no guarantee
  predicted,  // an approximation: no guarantee
  printed     // the paper's bound at constants of the instance
};
std::string name_of(Basis basis);

// The terms that numbers are given for, in the order of a report.
std::vector<std::string> certified_terms();

struct CertifiedNumber {
  std::string term;  // as in kFunctionals, and "bias", "angular-to-dense"
  Basis basis = Basis::measured;
  std::string name;  // "Theorem 1(b)"
  double delta = 0;  // probability that it is exceeded; 0: not random, or no guarantee
  double value = 0;  // +infinity where no radius exists
};

struct Certificate {
  double longest_value = 0;  // max ||v_j||: no output is longer
  double dense_norm = 0;     // ||dense||
  double query_norm = 0;
  double effective_rank = 0;  // T1^2/T2; NaN without pairs
  // B of the paper's bounds, in keys: the fullest bucket of the drawn tables, and what any B that holds for every draw
  // is at least.
  Index occupancy_drawn = 0, occupancy_sure = 0;
  std::vector<CertifiedNumber> numbers{};
  std::optional<SmallestCounts> needs{};
};

// The instance is one query with its keys and values; `codes` are those of its keys under `hyperplanes`; `half_space` is
// how many keys some open half-space holds (half_space_occupancy_at_least). InputError for what check refuses, or shapes
// that do not fit.
Certificate certify(const Instance& instance, const CertifyPlan& plan, const Targets& targets,
                    const Hyperplanes& hyperplanes, const KeyCodes& codes, Index half_space,
                    const std::vector<DrawErrors>& redraws, Seed seed, const WorkDone& done = {});

}  // namespace skt

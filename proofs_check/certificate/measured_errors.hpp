// What does one draw of the tables make of one query: how far are its outputs from what they stand for?
//
// The same numbers for the user's own tables and for every redraw (Theorem 5), exactly, in O(keys (dim + value_dim)
// tables) each. It would be wrong if a term disagreed with measure_terms (estimators/error_terms/measured_terms.hpp) or
// with attend.
#pragma once

#include <array>
#include <vector>

#include "estimators/error_terms/exact_terms.hpp"
#include "estimators/key_codes.hpp"
#include "proofs_check/certificate/certify_plan.hpp"
#include "sim/randomness.hpp"

namespace skt {

// What depends on no table.
struct Targets {
  Vector population_weights, angular_weights;  // [keys]
  double population_mass = 0;                  // Z_tau
  double angular_mass = 0;                     // Z
  Vector population_output, angular_output;    // y_tau, y*, [value_dim]
  Vector logits, softmax, dense_output;        // of q.k/sqrt(dim), [keys], [keys], [value_dim]
  Vector value_norms;                          // [keys]
  std::vector<Index> top;                      // the `budget` keys of largest q.k
  double longest_value = 0;
};
// InputError for a zero query or key, which have no angle: a key that is to be left out wants a mask.
Targets targets_of(const Instance& instance, const Setting& setting);

// Lengths in the unit of the values; shares without one.
struct DrawErrors {
  double finite_tables = 0;      // ||y_{tau,L} - y_tau||
  double tables_to_angular = 0;  // ||y_{tau,L} - y*||
  double sampling = 0;           // ||T - y_{tau,L}|| of one draw of T
  double total = 0;              // ||T - y*||
  double selection = 0;          // ||y_S - dense||, S the keys of highest score times value norm (Algorithms 3 and 4)
  double missed_mass = 0;        // softmax probability of the keys that are not in S
  double missed_top = 0;         // share of the true top keys that are not in S
};

// The functionals by name, in this order: what redraws bound.
struct NamedFunctional {
  const char* term;
  double DrawErrors::* value;
};
inline constexpr std::array<NamedFunctional, 7> kFunctionals{{{"finite-tables", &DrawErrors::finite_tables},
                                                              {"tables-to-angular", &DrawErrors::tables_to_angular},
                                                              {"sampling", &DrawErrors::sampling},
                                                              {"total", &DrawErrors::total},
                                                              {"top-m", &DrawErrors::selection},
                                                              {"missed-mass", &DrawErrors::missed_mass},
                                                              {"missed-top", &DrawErrors::missed_top}}};

struct DrawnScores {
  Vector scores;                // soft, summed over the tables, [keys]
  std::vector<Index> selected;  // S
  DrawErrors errors;
};
// `codes` are those of the keys under `hyperplanes`; T is drawn at (seed, trial).
DrawnScores measure_draw(const Vector& query, const Matrix& values, const Setting& setting, const Targets& targets,
                         const Hyperplanes& hyperplanes, const KeyCodes& codes, Seed seed, std::uint32_t trial);

// Some of the redraws.
struct RedrawRange {
  Index first = 0, count = 0;
};

// The errors of these redraws of the tables, query by query: [queries][count]. A redraw is the same in whatever range. One
// hash of the keys serves all queries; memory for one hash a thread.
std::vector<std::vector<DrawErrors>> redraw_errors(const Matrix& keys, const Matrix& values,
                                                   const std::vector<Vector>& queries,
                                                   const std::vector<Targets>& targets, const CertifyPlan& plan,
                                                   const RedrawRange& range, Seed seed, const WorkDone& done = {});

// Of all `plan.redraws`.
std::vector<std::vector<DrawErrors>> redraw_errors(const Matrix& keys, const Matrix& values,
                                                   const std::vector<Vector>& queries,
                                                   const std::vector<Targets>& targets, const CertifyPlan& plan,
                                                   Seed seed, const WorkDone& done = {});

}  // namespace skt

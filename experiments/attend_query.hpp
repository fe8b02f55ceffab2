// What does one query get from its selected keys, and what does it lose against dense attention?
#pragma once

#include <optional>
#include <vector>

#include "estimators/attention.hpp"
#include "estimators/collision_scores.hpp"
#include "experiments/attend_problem.hpp"

namespace skt {

enum class Ranker { socket, hard_lsh, hamming };
enum class Precision { f64, f32 };

struct AttendSettings {
  Ranker ranker = Ranker::socket;
  SocketParameters socket;
  SelectionRule selection;
  OutputRule output = OutputRule::exact_softmax;
  Precision precision = Precision::f64;
};

// A quantity that is not defined for the query is left empty: without a selected key there is no output;
// without a pruned one no SNR and no divergence.
struct QueryResult {
  Vector scores;                 // [keys], times the value norm; -infinity where the mask forbids
  std::vector<Index> selected;   // as select_keys orders them
  Index allowed = 0;             // keys that the mask allows
  std::optional<Vector> output;  // [value_dim]

  std::optional<double> absolute_error;   // ||output - dense||
  std::optional<double> relative_error;   // over ||dense||
  std::optional<double> residual_weight;  // softmax mass of the pruned keys, eps
  std::optional<double> snr;  // mass of the selected over mass of the pruned keys, rho = (1 - eps)/eps
  std::optional<double>
      context_divergence;        // distance of the softmax means over selected and over pruned keys
  std::optional<double> recall;  // share of the selected keys among as many of largest q.k
};

// Reads keys and values once more. `codes` are those of the problem's keys.
QueryResult attend_to(AttendProblem& problem, Index query, const Hyperplanes& hyperplanes,
                      const KeyCodes& codes, const AttendSettings& settings);

}  // namespace skt

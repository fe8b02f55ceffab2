// What does one query get from its selected keys, and what does it lose against dense attention?
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "estimators/attention.hpp"
#include "estimators/collision_scores.hpp"
#include "estimators/peers/rules.hpp"
#include "estimators/published_profile.hpp"
#include "estimators/residual/logit_ceilings.hpp"
#include "experiments/attend/curves.hpp"
#include "experiments/attend/problem.hpp"
#include "proofs_check/certificate/residual.hpp"

namespace skt {

enum class Ranker { socket, hard_lsh, hamming };
enum class ScorePrecision { f64, f32 };
enum class Lists { head, kv_head };  // one for each query head, or one for all that share a KV head

// What the logits of keys that are not read are limited by.
enum class ErrorRange { signs, norms };

// A sample of the rest, beside the list.
struct ErrorSettings {
  ResidualPlan plan;
  ErrorRange range = ErrorRange::signs;
  Index bits = 512;  // of signs
};

struct AttendSettings {
  Ranker ranker = Ranker::socket;
  SocketParameters socket;
  SelectionRule selection;
  OutputRule output = OutputRule::exact_softmax;
  ScorePrecision precision = ScorePrecision::f64;
  bool value_norm = true;  // the ranker's score is multiplied by ||v_j||
  std::string rule{};      // of estimators/peers/rules.hpp, in the ranker's place; empty: none
  Lists lists = Lists::head;
  GroupRule group{};  // of a list for a KV head
  Index bits = HashSettings{}.bits;
  std::optional<ErrorSettings> error{};
};

// A rule on the keys and values of the key head at hand.
struct RuleOfHead {
  HeadArrays arrays;
  Ranking ranking{};  // refers to them
};

// What the error of a key head is estimated by.
struct ErrorIndex {
  Matrix values;
  LogitCeilings ceilings;
};

// One way to attend: the paper's, or a published implementation's.
struct AttendVariant {
  std::string profile = "paper";
  AttendSettings settings;
  Hyperplanes hyperplanes;                          // as the keys are hashed
  std::optional<PublishedHash> published;           // empty: the paper's
  KeyCodes codes{};                                 // of the keys of the key head at hand
  Seed seed{1};                                     // of what a rule draws
  std::shared_ptr<const RuleOfHead> ranked{};       // null: the codes are ranked by
  std::shared_ptr<const ErrorIndex> error_index{};  // of the key head at hand; null: no error is estimated

  Index width(Index keys) const;  // the most entries that a list of selected keys can have
};

// What every variant needs of a query, read once.
struct QueryView {
  Index index = 0, key_head = 0;
  std::vector<Allowed> mask;  // [keys]; empty: all allowed
  Index visible = 0;          // keys before those of the query's future, which no window reaches
  Index allowed = 0;          // keys that the mask allows
  Vector logits;              // q.k/sqrt(dim), [keys]; -infinity where the mask forbids

  // The mask of the visible keys.
  std::span<const Allowed> past() const { return std::span(mask).first(mask.empty() ? 0 : visible); }
};
QueryView view_query(AttendProblem& problem, Index query);

// The queries at the view's position of all heads that share its KV head, head by head. InputError where one has another
// mask: a list is for all of them.
std::vector<Index> queries_of_group(AttendProblem& problem, const QueryView& view);

// A quantity that is not defined for the query is left empty: without a selected key there is no output; without a
// pruned one no SNR and no divergence.
struct QueryResult {
  Vector scores;                // [keys], times the value norm; -infinity where the mask forbids
  std::vector<Index> listed;    // as the variant orders them; a published list may hold a key twice
  std::vector<Index> selected;  // the same keys, each once
  Index allowed = 0;
  Index infinite_norms = 0;      // value norms that the variant's precision cannot hold
  std::optional<Vector> output;  // [value_dim]; a published one is NaN where nothing is selected

  std::optional<double> absolute_error;      // ||output - dense||
  std::optional<double> relative_error;      // over ||dense||
  std::optional<double> residual_weight;     // softmax mass of the pruned keys, eps
  std::optional<double> snr;                 // mass of the selected over mass of the pruned keys, rho = (1 - eps)/eps
  std::optional<double> context_divergence;  // distance of the softmax means over selected and over pruned keys
  std::optional<double> log_sum_exp;         // natural, of q.k/sqrt(dim) over the selected keys
  std::optional<double> recall;              // share of the selected keys among as many of largest q.k
  std::optional<double> recall_failure;      // 1 if the key of largest q.k is not selected (document 004), else 0

  std::optional<ResidualReport> sampled;  // of a target, `listed` is its list
  std::optional<double> corrected_error;  // ||corrected - dense||

  std::vector<RankingCurve> curves;  // of this variant's ranking and of the ranking by q.k
};

// Those that may not be defined, by their names in summary.json.
struct QueryNumber {
  const char* name;
  std::optional<double> QueryResult::* of;
};
inline constexpr std::array<QueryNumber, 8> kQueryNumbers{{{"absolute_error", &QueryResult::absolute_error},
                                                           {"relative_error", &QueryResult::relative_error},
                                                           {"residual_weight", &QueryResult::residual_weight},
                                                           {"snr", &QueryResult::snr},
                                                           {"context_divergence", &QueryResult::context_divergence},
                                                           {"log_sum_exp", &QueryResult::log_sum_exp},
                                                           {"recall", &QueryResult::recall},
                                                           {"recall_failure", &QueryResult::recall_failure}}};

// Likewise those of a sample of the rest.
struct SampledNumber {
  const char* name;
  double ResidualReport::* of;
};
inline constexpr std::array<SampledNumber, 5> kSampledNumbers{
    {{"residual_weight", &ResidualReport::estimate},
     {"residual_weight_limit", &ResidualReport::limit},
     {"residual_weight_nominal_limit", &ResidualReport::nominal_limit},
     {"error", &ResidualReport::error_estimate},
     {"error_limit", &ResidualReport::error_limit}}};

// Reads the values once more.
QueryResult attend_to(AttendProblem& problem, const QueryView& view, const AttendVariant& variant);

}  // namespace skt

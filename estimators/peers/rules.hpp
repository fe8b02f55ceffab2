// Which rules can choose keys of the caller's arrays, by which name, and how does each score them?
//
// The rankers of estimators/peers/rankers.hpp at their published sizes. NAME-value ranks by the weight that NAME sees
// times ||v_j||: SOCKET's and LSH's scores stand for softmax weights and are multiplied; an estimate s of q.k stands for
// a logit, so that it ranks by s/sqrt(d) + log ||v_j||. Scores that know only an order of directions have no such form.
// It would be wrong if a name stood for another ranker's scores: python/tests/choose_test.py.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "estimators/groups/group_scores.hpp"
#include "estimators/peers/rankers.hpp"

namespace skt {

inline constexpr const char* kMagicPig = "magicpig";  // draws its keys: no order of all keys
inline constexpr const char* kOwnScores = "own";      // the caller's array

// Every name of a ranker on its own, in the order of the tables.
const std::vector<std::string>& rule_names();
// Those that also exist as NAME-value.
const std::vector<std::string>& value_rule_names();
// Both: every name that a caller may ask for.
const std::vector<std::string>& all_rule_names();
// Those that read HashSettings::bits, with -value behind them too where that exists.
std::vector<std::string> signature_names();
// What is compared where nothing is asked for.
const std::vector<std::string>& default_rules();

// Is the rule told the true logits, so that no engine can use it?
bool is_oracle(const std::string& rule);
// Does it learn from queries that are not ranked?
bool learns(const std::string& rule);

// What a score stands for: a softmax weight; an estimate of q.k, times the value norm one of a weight's logarithm; or an
// order alone.
enum class ScoreKind { weight, product, log_weight, order };
ScoreKind kind_of(const std::string& rule);

// Scores [keys] for one list of a KV head, from those of each of its query heads by one rule. Of what is an order alone
// the largest, which is not normalised; of all others a log2.
Vector kv_head_scores(const std::string& rule, const std::vector<Vector>& of_heads, Index dim, const GroupRule& group,
                      std::span<const Allowed> mask);

// In the order of `rules`, kMagicPig and kOwnScores left out; each index is built once. InputError for a rule that
// learns without calibration queries, for bucket-attention with too many planes.
std::vector<Ranking> built_rules(const std::vector<std::string>& rules, const HashSettings& hash,
                                 const RankerInput& input);

}  // namespace skt

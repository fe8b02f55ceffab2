// Which words does a user type for the choices of attend, and what does each mean?
//
// The same words stand in the help, in the refusals and in summary.json.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "experiments/attend/query.hpp"
#include "sim/require.hpp"

namespace skt {

template <class T>
using Words = std::map<std::string, T>;

inline const Words<Ranker> kRankers = {
    {"socket", Ranker::socket}, {"hard-lsh", Ranker::hard_lsh}, {"hamming", Ranker::hamming}};
inline const Words<OutputRule> kOutputRules = {{"exact-softmax", OutputRule::exact_softmax},
                                               {"score-softmax", OutputRule::score_softmax}};
inline const Words<ScorePrecision> kPrecisions = {{"f64", ScorePrecision::f64}, {"f32", ScorePrecision::f32}};
inline const Words<Scaling> kScalings = {{"inverse-sqrt-dim", Scaling::inverse_sqrt_dim}, {"none", Scaling::none}};
inline const Words<MaskTrue> kMaskTrue = {{"allowed", MaskTrue::allowed}, {"forbidden", MaskTrue::forbidden}};
// The paper's own profile is none of the published ones.
inline const Words<std::optional<Published>> kProfiles = {
    {"paper", std::nullopt}, {"gpt-fast", Published::gpt_fast}, {"hf", Published::hf}, {"hub", Published::hub}};

template <class T>
std::string word_for(const Words<T>& words, T value) {
  for (const auto& [word, meant] : words)
    if (meant == value) return word;
  return "";
}

template <class T>
std::string listed(const Words<T>& words) {
  std::string all;
  for (const auto& [word, meant] : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

// What `word` means; InputError naming what was asked for.
template <class T>
const T& meant_by(const Words<T>& words, const char* what, const std::string& word) {
  const auto found = words.find(word);
  if (found == words.end()) refuse("{} {}: allowed are {}", what, word, listed(words));
  return found->second;
}

}  // namespace skt

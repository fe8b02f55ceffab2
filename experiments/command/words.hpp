// Which words does a user type for a choice, and what does each mean?
//
// The same words stand in the help, in the refusals and in the results.
#pragma once

#include <map>
#include <string>

#include "estimators/soft_buckets.hpp"
#include "sim/require.hpp"

namespace skt {

template <class T>
using Words = std::map<std::string, T>;

inline const Words<Scaling> kScalings = {{"inverse-sqrt-dim", Scaling::inverse_sqrt_dim}, {"none", Scaling::none}};

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

// How are kept trials written down, in a journal and in the two files that a plot reads?
//
// trials.csv   id, measured (claim, or the name of a mutant or control), instance, quantity, value, count: how many trials
//              had the value; values ascend
// laws.csv     id, measured, instance, quantity, relation, value, probability, band: the claimed P(X <= value) and how the
//              true one relates to it; band is half the width of a band around the empirical distribution. All bands of
//              the file miss somewhere with probability 0.05 at most
#pragma once

#include <string>
#include <vector>

#include "proofs_check/context.hpp"
#include "sim/json.hpp"

namespace skt {

// Of which statement, and of what of it.
struct KeptOf {
  std::string id{};
  std::string measured{};
  KeptTrials trials{};
};

Json to_json(const std::vector<KeptTrials>& kept);
// The inverse. InputError, or an exception of the JSON library, for what is missing or of the wrong type.
std::vector<KeptTrials> kept_trials_from(const Json& json);

std::string trials_csv(const std::vector<KeptOf>& kept);
std::string laws_csv(const std::vector<KeptOf>& kept);

}  // namespace skt

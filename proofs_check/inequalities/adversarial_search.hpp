// How close to a violation can an optimiser bring an inequality?
//
// Many starts of NLopt's SBPLX (Rowan's subspace form of Nelder-Mead), drawn in the box, maximise left over right. The
// best instance of each inequality is rounded to multiples of 2^-20, measured again and archived, so that a test can
// replay it without the optimiser. It would be wrong if it found no violation of the printed inequalities that are
// false.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proofs_check/inequalities/searched_inequalities.hpp"
#include "sim/randomness.hpp"

namespace skt {

struct SearchEffort {
  std::uint64_t starts = 40;
  int evaluations = 3000;  // of each start
};

struct WorstInstance {
  std::string inequality;
  double ratio = 0;
  std::vector<double> parameters;
  std::uint64_t evaluations = 0;  // spent in all
};

// Was this program built with NLopt?
bool can_search();

// The same result for any number of threads. Throws InputError without NLopt.
WorstInstance search(const SearchedInequality& inequality, const SearchEffort& effort, Seed seed);

// Is the ratio on the right side of 1?
bool as_expected(const SearchedInequality& inequality, double ratio);

// The archive, and an entry of the list by name.
std::string to_json(const std::vector<WorstInstance>& instances);
std::vector<WorstInstance> worst_instances_from_json(const std::string& text);
std::optional<SearchedInequality> searched_inequality(const std::string& name);

}  // namespace skt

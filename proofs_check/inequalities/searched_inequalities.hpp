// Which deterministic inequalities does the adversarial search attack, and what are their parameters?
//
// One entry each, in one plain list: a name, how many numbers make an instance, and the two sides as a function of
// them. Every number lies in [-kSearchBox, kSearchBox]. The sides are those of the statements of the same name. A
// printed inequality that is false stands in the list too, and there the search must find a ratio above 1.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "proofs_check/inequalities/inequality_sides.hpp"

namespace skt {

constexpr double kSearchBox = 4;

enum class SearchExpectation { holds, fails };

struct SearchedInequality {
  std::string name;
  int parameters;
  SearchExpectation expectation;
  std::function<InequalitySides(std::span<const double>)> sides;  // {0, 1} where the hypotheses are not met
};

std::vector<SearchedInequality> searched_inequalities();

}  // namespace skt

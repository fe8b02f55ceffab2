// What is asked of choose, and what does it answer? The command and the Python package ask and answer in the same words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/choose/search.hpp"

namespace skt {

class Fields;

struct ChooseRequest {
  AttendFiles files;
  std::vector<std::string> budgets{"0.05"};
  std::optional<Index> tables, planes;
  SearchPlan plan;  // its budgets, hyperplanes and seed follow from the rest and the arrays
  double family_error = 0.05;
  bool search = false;
};

void add_fields(Fields& fields, ChooseRequest& request);

// Calls `expect` once with the number of steps. The problem's elements have been checked, of a batch merged. InputError for
// budgets that the keys do not have and hyperplanes of another size.
Chosen chosen(const ChooseRequest& request, AttendProblem& problem, Seed seed,
              const std::function<void(std::uint64_t)>& expect, const std::function<void()>& step);

}  // namespace skt

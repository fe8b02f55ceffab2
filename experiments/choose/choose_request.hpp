// What is asked of choose?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/choose/search.hpp"

namespace skt {

class Fields;

struct ChooseRequest {
  AttendFiles files;
  std::string scores, calibration;  // files; empty: none
  std::vector<std::string> rankers = default_rules();
  std::vector<std::string> budgets{"0.05"};
  std::optional<Index> tables, planes;
  double temperature = 0.5;
  Scaling scaling = Scaling::inverse_sqrt_dim;
  Index sink = 0, window = 0, top = 4;
  Lists lists = Lists::head;
  GroupRule group{};
  Index bits = HashSettings{}.bits;
  double family_error = 0.05;
  bool search = false;
  std::optional<double> target_error, target_mass;
  Index redraws = 8;
  SearchPlan searched;  // the lists of the search
};

void add_fields(Fields& fields, ChooseRequest& request);

// InputError for budgets that the keys do not have and hyperplanes of another size.
ChoosePlan choose_plan(const ChooseRequest& request, AttendProblem& problem, Seed seed);
SearchPlan search_plan(const ChooseRequest& request, Seed seed);

// What the files of the request hold beside the problem's.
ChooseInput choose_input(const ChooseRequest& request, AttendProblem& problem, std::optional<TensorFile> scores,
                         std::optional<TensorFile> calibration);

}  // namespace skt

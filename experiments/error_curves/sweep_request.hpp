// Which sweeps does a request for one axis or two, on one family or several, stand for?
//
// One for each family and each value of the second axis; the error is shared among them. The command and the Python
// package ask in the same words. It would be wrong if a sweep of several were another than the same sweep asked for
// alone, but for its share of the error: tests/experiments/error_curves/sweep_request_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "experiments/error_curves/sweep.hpp"
#include "experiments/families/family_word.hpp"

namespace skt {

// As the user says it. Of `plan`, axis, family and its size come from here, family_error is that of the whole request.
struct SweepRequest {
  std::string axis, axis2;
  std::vector<double> values2;
  std::vector<std::string> families{"gaussian"};
  FamilyRequest of_families;
  double query_norm = 0;  // 0: as drawn
  SweepPlan plan;

  SweepRequest() { plan.setting.samples = 0; }
};

// The options of sweep, but for those that say how it is run.
void add_fields(Fields& fields, SweepRequest& request);

// In the order of the families, then of values2; of the learned family on the instance of the seed. InputError for an
// unknown word, a second axis without values, and for plans that fail the check.
std::vector<SweepPlan> plans_of(const SweepRequest& request, Seed seed);

// How many verdicts of all sweeps are `refuted`.
Index refuted_intervals(const std::vector<SweepResult>& sweeps);

}  // namespace skt

// What is asked of sweep and audit, and which plans does it stand for?
//
// Of sweep, one for each family and each value of the second axis; the error is shared among them. The commands and the
// Python package ask in the same words. It would be wrong if a sweep of several were another than the same sweep asked for
// alone, but for its share of the error: tests/experiments/error_curves/requests_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "experiments/error_curves/audit.hpp"
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

// As the user says it; of `plan` the family comes from here.
struct AuditRequest {
  std::vector<std::string> families{"gaussian"};
  FamilyRequest of_family;
  AuditPart part = AuditPart::all;
  double query_norm = 0;  // 0: as drawn
  AuditPlan plan;
};

// The options of audit, but for those that say how it is run.
void add_fields(Fields& fields, AuditRequest& request);

// On the instance of the seed. InputError for several families, for an unknown one, and for a plan that fails the check.
AuditPlan plan_of(const AuditRequest& request, Seed seed);

}  // namespace skt

// What is asked of audit? The command and the Python package ask in the same words.
#pragma once

#include <string>
#include <vector>

#include "experiments/error_curves/audit.hpp"
#include "experiments/families/family_word.hpp"

namespace skt {

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

// What is asked of certify, before the arrays are known? The command and the Python package ask in the same words.
#pragma once

#include <optional>
#include <string>

#include "experiments/attend/problem.hpp"
#include "proofs_check/certificate/certify_plan.hpp"

namespace skt {

class Fields;

// As typed; what is empty takes the default of Table 6 or follows from the rest.
struct CertifyRequest {
  AttendFiles files;
  std::optional<Index> tables, planes;
  std::string budget = "0.1", samples;
  CertifyPlan plan;
  std::optional<double> time_limit;  // seconds

  // With the tables and planes of the hyperplanes. InputError for a plan that fails its check.
  CertifyPlan plan_for(const AttendProblem& problem, const Hyperplanes& used) const;
};

// The options of certify, but for those that say how it is run.
void add_fields(Fields& fields, CertifyRequest& request);

}  // namespace skt

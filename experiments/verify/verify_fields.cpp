#include "experiments/verify/verify_fields.hpp"

#include "experiments/command/fields.hpp"
#include "proofs_check/faults.hpp"

namespace skt {

void add_fields(Fields& fields, StatementsRequest& r) {
  add_statement_fields(fields, r.only, r.profile, r.fault, r.no_lies);
}

void add_statement_fields(Fields& fields, std::vector<std::string>& only, std::string& profile, std::string& fault,
                          bool& no_lies) {
  fields.add("only", &only, "Ids of statements, separated by commas");
  fields.add("profile", &profile, "Number of trials").of({"smoke", "standard", "deep"});
  fields.add("fault", &fault, "Plants a fault in the estimators, which some statement must notice").of(fault_names());
  fields.add("no-lies", &no_lies,
             "Leaves out the planted lies, which takes about a third of the time: statements and controls get the same "
             "evidence, but the run does not show which lies they would refute");
}

}  // namespace skt

// Which statements does verify run, and how? The command and the Python package ask in the same words.
#pragma once

#include <string>
#include <vector>

namespace skt {

class Fields;

struct StatementsRequest {
  std::vector<std::string> only{};  // ids; empty: all
  std::string profile = "standard";
  std::string fault{};   // a planted fault of the estimators, which some statement must notice
  bool no_lies = false;  // the planted lies are not measured
};

void add_fields(Fields& fields, StatementsRequest& request);
// Its options, for what holds them in another struct.
void add_statement_fields(Fields& fields, std::vector<std::string>& only, std::string& profile, std::string& fault,
                          bool& no_lies);

}  // namespace skt

// --junit and --annotations: where do machines find what a command checked?
#pragma once

#include <string>
#include <vector>

#include "experiments/files/outcomes.hpp"

namespace skt {

class Fields;

struct OutcomeOptions {
  std::string junit{};  // a file for JUnit's XML; empty: none
  bool annotations = false;
};

void add_fields(Fields& fields, OutcomeOptions& options);

// InputError where the file cannot be written, before work whose outcome it is to hold.
void check(const OutcomeOptions& options);

// suite: how a build server calls them together, e.g. "socketlab verify".
void report(const OutcomeOptions& options, const std::string& suite, const std::vector<Outcome>& outcomes);

}  // namespace skt

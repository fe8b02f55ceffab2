// How does a machine read what was checked? As JUnit's XML, which build servers show case by case, and as workflow
// commands of GitHub, which it shows beside a change.
//
// Times are left out, so that the same run gives the same bytes. A reader that cannot parse the XML would show:
// tests/experiments/files/outcomes_test.cpp has every character that needs escaping.
#pragma once

#include <string>
#include <vector>

namespace skt {

enum class OutcomeState { passed, failed, skipped };

struct Outcome {
  std::string group{};  // where it belongs, e.g. a source or an operation
  std::string name{};
  OutcomeState state = OutcomeState::passed;
  std::string text{};  // why it failed or was skipped
};

// One testcase for each outcome, in their order.
std::string junit_xml(const std::string& suite, const std::vector<Outcome>& outcomes);

// A line "::error title=NAME::TEXT" for each that failed. GitHub shows ten of a step.
std::string annotations(const std::vector<Outcome>& outcomes);

}  // namespace skt

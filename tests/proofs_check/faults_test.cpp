#include "proofs_check/faults.hpp"

#include "proofs_check/evidence.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

// Claims that of two equal scores the key of this index is selected.
std::vector<Evidence> selected_of_two_equal(const Context& context, double index) {
  const std::vector<Index> chosen = context.estimators.select(Vector::Ones(2), {}, {.budget = 1});
  return {exact({"two equal scores", "selected key"}, double(chosen.at(0)), equals(index))};
}

std::vector<std::string> names_of(const std::vector<StatementResult>& results) {
  std::vector<std::string> ids;
  for (const StatementResult& r : results) ids.push_back(r.statement.id);
  return ids;
}

}  // namespace

TEST_CASE("A fault is noticed by the statements that it refutes and that the real estimators do not", "[mutant]") {
  const Statement sees{.id = "sees", .measure = [](const Context& c) { return selected_of_two_equal(c, 0); }};
  const Statement blind{.id = "blind",
                        .measure = [](const Context&) -> std::vector<Evidence> { return {exact({}, 1, equals(1))}; }};
  const Statement false_as_printed{.id = "false",
                                   .measure = [](const Context& c) { return selected_of_two_equal(c, 2); },
                                   .controls = {{"0", [](const Context& c) { return selected_of_two_equal(c, 0); }}},
                                   .expected = Verdict::refuted};

  const std::vector<FaultResult> results = run_faults({sees, blind, false_as_printed}, {});

  REQUIRE(results.size() == fault_names().size());
  for (const FaultResult& r : results) {
    INFO(r.fault);
    const auto expected = r.fault == "wrong-ties" ? std::vector<std::string>{"sees"} : std::vector<std::string>{};
    CHECK(names_of(r.noticed_by) == expected);
  }
}

#include "experiments/error_curves/audit_parts.hpp"

#include "experiments/error_curves/audit_rows.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/parts/toy_parts.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;
namespace {

std::string files_of(const Audit& audit) {
  std::string text = bound_ratio_table(audit).text();
  if (audit.part == AuditPart::all)
    text += audit_table(audit).text() + audit_bound_table(audit).text() + audit_json(audit);
  return text + readable(audit);
}

}  // namespace

TEST_CASE("Settings of an audit in any order, sent as text, give the same files to the byte", "[unit]") {
  for (const AuditPart part : {AuditPart::all, AuditPart::bounds}) {
    const std::vector<Json> results = run_backwards(audit_parts(audit_of_60_keys(), part, Seed{4}));

    CHECK(files_of(assemble_audit(audit_of_60_keys(), part, Seed{4}, results)) ==
          files_of(run_audit(audit_of_60_keys(), part, Seed{4})));
  }
}

TEST_CASE("A setting is a part with a name of its own, and tells the work of its weight", "[unit]") {
  CHECK(check_names_and_work(
            [](const WorkSeen& seen) { return audit_parts(audit_of_60_keys(), AuditPart::all, Seed{4}, seen); }) == 4);
}

TEST_CASE("Audits of one family share its moments, and give the results of audits alone", "[unit]") {
  std::vector<AuditPlan> plans(3, audit_of_60_keys());
  plans[1].tables = 2 * plans[0].tables;
  plans[2].family.query_norm = 2;
  const auto together = audit_parts(plans, AuditPart::bounds, Seed{4});

  REQUIRE(together.size() == 3);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::vector<Part> alone = audit_parts(plans[i], AuditPart::bounds, Seed{4});
    REQUIRE(together[i].size() == alone.size());
    for (std::size_t p = 0; p < alone.size(); ++p) {
      CHECK(together[i][p].name == alone[p].name);
      CHECK(together[i][p].run() == alone[p].run());
    }
  }
}

TEST_CASE("A query too short for the target is refused by its norm, before the pairs of keys", "[unit]") {
  AuditPlan plan = audit_of_60_keys();
  plan.family.query_norm = 1e-140;
  int steps = 0;
  const std::vector<Part> parts = audit_parts(plan, AuditPart::all, Seed{4}, [&](std::uint64_t) { ++steps; });

  CHECK(refusal([&] { parts.front().run(); }).find("query norm is 1e-140, target 0.01") == 0);
  CHECK(steps == 0);  // no block of pairs
}

TEST_CASE("Results of another audit are refused", "[unit]") {
  CHECK_THROWS_AS(assemble_audit(audit_of_60_keys(), AuditPart::all, Seed{4}, {}), InputError);
}

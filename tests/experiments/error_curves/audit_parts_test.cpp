#include "experiments/error_curves/audit_parts.hpp"

#include <set>

#include "experiments/error_curves/audit_rows.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;
namespace {

AuditPlan audit_of_60_keys() {
  AuditPlan plan;
  plan.family.keys = 60;
  plan.family.dim = 8;
  plan.planes = {4, 2};
  plan.temperatures = {0.3, 0.7};
  plan.tables = 12;
  plan.trials = 3;
  plan.bound_draws = 100;
  plan.fresh_tables = 60;
  return plan;
}

std::string files_of(const Audit& audit) {
  std::string text = bound_ratio_table(audit).text();
  if (audit.part == AuditPart::all)
    text += audit_table(audit).text() + audit_bound_table(audit).text() + audit_json(audit);
  return text + readable(audit);
}

}  // namespace

TEST_CASE("Settings of an audit in any order, sent as text, give the same files to the byte", "[unit]") {
  for (const AuditPart part : {AuditPart::all, AuditPart::bounds}) {
    const std::vector<Part> parts = audit_parts(audit_of_60_keys(), part, Seed{4});
    std::vector<Json> backwards(parts.size());
    for (std::size_t i = parts.size(); i-- > 0;) backwards[i] = Json::parse(parts[i].run().dump());

    CHECK(files_of(assemble_audit(audit_of_60_keys(), part, Seed{4}, backwards)) ==
          files_of(run_audit(audit_of_60_keys(), part, Seed{4})));
  }
}

TEST_CASE("A setting is a part with a name of its own, and tells the work of its weight", "[unit]") {
  std::uint64_t told = 0;
  const std::vector<Part> parts = audit_parts(audit_of_60_keys(), AuditPart::all, Seed{4}, [&](std::uint64_t work) {
#pragma omp atomic
    told += work;
  });

  CHECK(parts.size() == 4);
  std::set<std::string> names;
  for (const Part& part : parts) {
    names.insert(part.name);
    told = 0;
    part.run();
    CHECK(told == whole_work(part.weight));
  }
  CHECK(names.size() == 4);
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

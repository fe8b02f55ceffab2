#include "experiments/error_curves/audit_rows.hpp"

#include "sim/json.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// An audit that was never run: errors of 0.5 and 0.3 over a longest value of 2.
Audit audit_by_hand() {
  SettingAudit at;
  at.setting = {.planes = 3, .tables = 16, .samples = 9};
  at.trivial = 2;
  for (const double square : {0.9, 1.1}) at.measured.sampling.add(square);
  for (const double square : {0.36, 0.36}) at.measured.finite_tables.add(square);
  for (const double square : {1.0, 1.0}) at.measured.total.add(square);
  at.needs.alone = {5, 7, HUGE_VAL};
  at.bounds.quantile.occupancy = 41;
  Audit audit;
  audit.plan.family.keys = 96;
  audit.settings.push_back(at);
  return audit;
}

}  // namespace

TEST_CASE("An audit's files hold a row for each setting and reading", "[unit]") {
  AuditPlan plan;
  plan.family.keys = 96;
  plan.family.dim = 8;
  plan.planes = {3};
  plan.temperatures = {0.3, 0.5};
  plan.tables = 16;
  plan.trials = 4;
  plan.target = 1;  // no colder temperature to look at
  const Audit audit = run_audit(plan, AuditPart::all, Seed{7});
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };

  CHECK(lines(audit_table(audit).text()) == 1 + 2);
  CHECK(lines(audit_bound_table(audit).text()) == 1 + 2 * 3);
  CHECK(audit_json(audit) == audit_json(run_audit(plan, AuditPart::all, Seed{7})));
}

TEST_CASE("Measured errors are root mean squares over the longest value", "[unit]") {
  const Json row = Json::parse(audit_json(audit_by_hand())).at(0);

  CHECK(std::abs(row.at("sampling_error").get<double>() - 0.5) <= 1e-15);
  CHECK(std::abs(row.at("finite_tables_error").get<double>() - 0.3) <= 1e-15);
  CHECK(row.at("bits_per_token").get<double>() == 64);
  CHECK(row.at("error_alone_needs_tables").get<double>() == 5);
}

TEST_CASE("Each number of a compared bound stands under its own name, the lower end before the upper", "[unit]") {
  Audit audit = audit_by_hand();
  audit.settings[0].compared = {.setting = {}, .occupied_miss = 2.5, .occupancy = 7, .sure_occupancy = 48};
  audit.settings[0].compared.bounds = {{.term = Term::sampling,
                                        .name = "Theorem 7(a)",
                                        .guarantee = Guarantee::printed,
                                        .quantile = 4,
                                        .quantile_interval = {3, 5},
                                        .radius = 6,
                                        .misses = 9,
                                        .miss_rate = {0.125, 0.25}}};
  audit.plan.bound_delta = 0.0625;

  const Json row = Json::parse(audit_json(audit)).at(0).at("bounds_over_true_quantile").at(0);

  for (const auto& [name, value] : {std::pair{"delta", 0.0625},
                                    {"drawn_occupancy_keys", 7.0},
                                    {"sure_occupancy_keys", 48.0},
                                    {"occupied_miss_keys", 2.5},
                                    {"error_quantile_value_units", 4.0},
                                    {"error_quantile_lo_value_units", 3.0},
                                    {"error_quantile_hi_value_units", 5.0},
                                    {"bound_value_units", 6.0},
                                    {"bound_over_quantile", 1.5},
                                    {"misses", 9.0},
                                    {"miss_rate_lo", 0.125},
                                    {"miss_rate_hi", 0.25}}) {
    INFO(name);
    CHECK(row.at(name).get<double>() == value);
  }
  CHECK(row.at("verdict") == "not-refuted");  // only a proved bound is refuted by its misses
}

TEST_CASE("An interval of a root mean square is that of the mean square, its ends in order", "[unit]") {
  const Json row = Json::parse(audit_json(audit_by_hand())).at(0);
  // Squares of .9 and 1.1: one degree of freedom, t = tan(.475 pi), times .1 over the root mean square; cut off at 0.
  const double half = 0.1 * std::tan(0.475 * 3.14159265358979324);

  CHECK(row.at("sampling_error_lo").get<double>() == 0);
  CHECK(std::abs(row.at("sampling_error_hi").get<double>() - std::sqrt(1 + half) / 2) <= 1e-9);
}

TEST_CASE("Every reading of the occupancy has its own name", "[unit]") {
  const Json bounds = Json::parse(audit_json(audit_by_hand())).at(0).at("bounds_over_trivial_bound");

  REQUIRE(bounds.size() == 3);
  CHECK(bounds.at(0).at("reading") == "realised");
  CHECK(bounds.at(1).at("reading") == "quantile");
  CHECK(bounds.at(1).at("occupancy_keys") == 41);
  CHECK(bounds.at(2).at("reading") == "almost-sure");
}

TEST_CASE("A temperature that nothing exceeds is inf in the CSV, null in the JSON and any tau in words", "[unit]") {
  const Json row = Json::parse(audit_json(audit_by_hand())).at(0);

  CHECK(row.at("error_alone_needs_temperature").is_null());
  CHECK(audit_table(audit_by_hand()).text().find(",5,7,inf,") != std::string::npos);
  CHECK(readable(audit_by_hand()).find("L >= 5, M >= 7, any tau") != std::string::npos);
}

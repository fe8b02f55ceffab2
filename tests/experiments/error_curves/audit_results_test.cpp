#include "experiments/error_curves/audit_parts.hpp"

#include "tests/numbers.hpp"

using namespace skt;
namespace {

Moments one(double x) {
  Moments moments;
  moments.add(x);
  return moments;
}

BoundAudit bound(Index occupancy) {
  return {occupancy, 0.5, {0.1, 0.2, 0.3}, {1, 2, kInfinity}, {4, 5, 6}};
}

// Every number another.
SettingAudit setting_by_hand() {
  SettingAudit at;
  at.centre.tables = {{1.5, 0.1}, Vector::LinSpaced(2, 0.1, 0.2), 0.3, {0.4, 0.5}};
  at.needs = {{7, 8, 0.9}, {10, 11, kInfinity}};
  at.measured.sampling = one(0.01);
  at.measured.sampling_expected = one(0.02);
  at.measured.finite_tables = one(0.03);
  at.measured.bias = one(-0.04);
  at.measured.total = one(0.05);
  at.measured.occupied_miss = one(0.06);
  at.measured.occupancy = 17;
  at.tables = {one(0.1), one(0.2), one(0.3), {3, 5, 4}};
  at.bounds = {bound(1), bound(2), bound(3)};
  at.compared.occupied_miss = 0.7;
  at.compared.occupancy = 18;
  at.compared.sure_occupancy = 19;
  at.compared.bounds = {{Term::sampling, "Theorem 7(a)", Guarantee::proved, 0.1, {0.2, 0.3}, kInfinity, 4, {0.5, 0.6}},
                        {Term::bias, "repaired", Guarantee::estimated, 1, {1, 1}, 2, 0, {}}};
  return at;
}

}  // namespace

TEST_CASE("A setting that was sent comes back with every number in its place", "[unit]") {
  const SettingAudit at = setting_by_hand();
  const Json sent = Json::parse(json_of_setting(at).dump());
  SettingAudit back;

  read_setting(sent, back);
  back.centre.tables = limits_of_setting(sent);

  CHECK(json_of_setting(back) == sent);
  CHECK(back.needs.alone.temperature == 0.9);
  CHECK(back.needs.together.tables == 10);
  CHECK(back.needs.together.temperature == kInfinity);
  CHECK(back.measured.bias.mean() == -0.04);
  CHECK(back.measured.occupied_miss.mean() == 0.06);
  CHECK(back.measured.selection.count() == 0);
  CHECK(back.measured.occupancy == 17);
  CHECK(back.tables.distinct_hard_counts.mean() == 0.3);
  CHECK(back.tables.occupancy == std::vector<double>{3, 5, 4});
  CHECK(back.bounds.realised.occupancy == 1);
  CHECK(back.bounds.almost_sure.occupancy == 3);
  CHECK(back.bounds.quantile.over_trivial.finite_table == 0.2);
  CHECK(back.bounds.quantile.alone.temperature == kInfinity);
  CHECK(back.compared.occupancy == 18);
  CHECK(back.compared.sure_occupancy == 19);
  REQUIRE(back.compared.bounds.size() == 2);
  CHECK(back.compared.bounds[0].name == "Theorem 7(a)");
  CHECK(back.compared.bounds[0].term == Term::sampling);
  CHECK(back.compared.bounds[0].radius == kInfinity);
  CHECK(back.compared.bounds[0].misses == 4);
  CHECK(back.compared.bounds[0].miss_rate.hi == 0.6);
  CHECK(back.compared.bounds[1].guarantee == Guarantee::estimated);
  CHECK(back.centre.tables.normaliser_variance.error == 0.5);
}

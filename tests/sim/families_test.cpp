#include "sim/families.hpp"

#include "sim/random_families.hpp"
#include "sim/require.hpp"
#include "sim/tight_families.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

bool same(const Instance& a, const Instance& b) {
  return a.name == b.name && a.query == b.query && a.keys == b.keys && a.values == b.values;
}

}  // namespace

TEST_CASE("Every family can be made by name with the default parameters", "[unit]") {
  for (const std::string& name : instance_family_names()) {
    FamilyParameters p;
    p.family = instance_family(name);
    p.keys = 16;
    const Instance made = make_instance(p, Seed{1}, 0);

    CHECK(made.name.find(name) == 0);
    CHECK(made.num_keys() >= 1);
    CHECK(made.values.rows() == made.num_keys());
    CHECK(made.query.size() == made.dim());
  }
}

TEST_CASE("A family's name makes the instance of that family's own function", "[unit]") {
  FamilyParameters p;
  p.keys = 16;
  p.dim = 6;
  p.planes = 2;
  const auto made = [&](InstanceFamily family) {
    p.family = family;
    return make_instance(p, Seed{3}, 2);
  };

  CHECK(same(made(InstanceFamily::gaussian), gaussian_instance(p, Seed{3}, 2)));
  CHECK(same(made(InstanceFamily::unit_sphere), unit_sphere_instance(p, Seed{3}, 2)));
  CHECK(same(made(InstanceFamily::needle), needle_instance(p, Seed{3}, 2)));
  CHECK(same(made(InstanceFamily::clustered), clustered_instance(p, Seed{3}, 2)));
  CHECK(same(made(InstanceFamily::anisotropic), anisotropic_instance(p, Seed{3}, 2)));
  CHECK(same(made(InstanceFamily::rotary_low_rank), rotary_low_rank_instance(p, Seed{3}, 2)));
  CHECK(same(made(InstanceFamily::attention_sink), attention_sink_instance(p, Seed{3}, 2)));
  CHECK(same(made(InstanceFamily::copies), copies_instance(p)));
  CHECK(same(made(InstanceFamily::two_sided), two_sided_instance(p)));
  CHECK(same(made(InstanceFamily::antipodal), antipodal_instance(p)));
  CHECK(same(made(InstanceFamily::grid), grid_instance(Matrix::Identity(2, 6), p, Seed{3}, 2)));
  CHECK(same(made(InstanceFamily::orthogonal_values), orthogonal_values_instance(p, Seed{3}, 2)));
  CHECK(same(made(InstanceFamily::rademacher), rademacher_instance(p)));
}

TEST_CASE("A parameter outside its range makes no instance", "[unit]") {
  FamilyParameters p;
  p.dim = 0;

  CHECK_THROWS_AS(make_instance(p, Seed{1}, 0), InputError);
}

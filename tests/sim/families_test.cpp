#include "sim/families.hpp"

#include "sim/random_families.hpp"
#include "sim/require.hpp"
#include "sim/tight_families.hpp"
#include "tests/catch.hpp"
#include "tests/sim/two_key_heads.hpp"

using namespace skt;

namespace {

bool same(const Instance& a, const Instance& b) {
  return a.name == b.name && a.query == b.query && a.keys == b.keys && a.values == b.values;
}

}  // namespace

TEST_CASE("Every family can be made by name with the default parameters, and the learned one with heads", "[unit]") {
  for (const std::string& name : instance_family_names()) {
    FamilyParameters p;
    p.family = instance_family(name);
    p.keys = 16;
    if (p.family == InstanceFamily::learned) p = with_heads(p, two_key_heads());
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
  using Random = Instance (*)(const FamilyParameters&, Seed, std::uint32_t);
  using Tight = Instance (*)(const FamilyParameters&);
  const auto drawn_by = [&](InstanceFamily family, Random own) {
    p.family = family;
    return same(make_instance(p, Seed{3}, 2), own(p, Seed{3}, 2));
  };
  const auto built_by = [&](InstanceFamily family, Tight own) {
    p.family = family;
    return same(make_instance(p, Seed{3}, 2), own(p));
  };
  const auto grid = [](const FamilyParameters& q, Seed seed, std::uint32_t trial) {
    return grid_instance(Matrix::Identity(2, 6), q, seed, trial);
  };

  CHECK(drawn_by(InstanceFamily::gaussian, gaussian_instance));
  CHECK(drawn_by(InstanceFamily::unit_sphere, unit_sphere_instance));
  CHECK(drawn_by(InstanceFamily::needle, needle_instance));
  CHECK(drawn_by(InstanceFamily::clustered, clustered_instance));
  CHECK(drawn_by(InstanceFamily::clustered_values, clustered_values_instance));
  CHECK(drawn_by(InstanceFamily::anisotropic, anisotropic_instance));
  CHECK(drawn_by(InstanceFamily::rotary_low_rank, rotary_low_rank_instance));
  CHECK(drawn_by(InstanceFamily::attention_sink, attention_sink_instance));
  CHECK(drawn_by(InstanceFamily::sink_mean, sink_mean_instance));
  CHECK(drawn_by(InstanceFamily::orthogonal_values, orthogonal_values_instance));
  CHECK(drawn_by(InstanceFamily::grid, grid));
  CHECK(built_by(InstanceFamily::copies, copies_instance));
  CHECK(built_by(InstanceFamily::two_sided, two_sided_instance));
  CHECK(built_by(InstanceFamily::antipodal, antipodal_instance));
  CHECK(built_by(InstanceFamily::rademacher, rademacher_instance));
  p = with_heads(p, two_key_heads());
  CHECK(drawn_by(InstanceFamily::learned, learned_instance));
}

TEST_CASE("A parameter outside its range makes no instance", "[unit]") {
  FamilyParameters p;
  p.dim = 0;

  CHECK_THROWS_AS(make_instance(p, Seed{1}, 0), InputError);
}

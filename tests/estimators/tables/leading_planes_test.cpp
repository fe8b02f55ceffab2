#include "estimators/tables/leading_planes.hpp"

#include "sim/families.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("the leading planes are those that are drawn for fewer planes, and hash alike", "[unit]") {
  const Matrix keys = make_instance({.keys = 50, .dim = 6}, Seed{1}, 0).keys;
  const Hyperplanes wide = draw_hyperplanes(Seed{2}, 3, 4, 7, 6);
  const KeyCodes codes = hash_keys(wide, keys);

  for (const Index planes : {1, 3, 7}) {
    const Hyperplanes drawn = draw_hyperplanes(Seed{2}, 3, 4, planes, 6);

    CHECK(leading_planes(wide, planes).rows == drawn.rows);
    CHECK(leading_planes(wide, planes).planes == planes);
    CHECK(leading_planes(codes, planes).codes == hash_keys(drawn, keys).codes);
    CHECK(leading_planes(codes, planes).planes == planes);
  }
}

TEST_CASE("no planes, or more than there are, are refused", "[unit]") {
  const Hyperplanes wide = draw_hyperplanes(Seed{2}, 3, 4, 7, 6);
  for (const Index planes : {0, 8}) {
    CHECK_THROWS_AS(leading_planes(wide, planes), InputError);
    CHECK_THROWS_AS(leading_planes(KeyCodes{1, 7, 1, {5}}, planes), InputError);
  }
}

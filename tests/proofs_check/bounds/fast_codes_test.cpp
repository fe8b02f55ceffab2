#include "proofs_check/bounds/fast_codes.hpp"

#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("the codes are those of double precision", "[unit]") {
  for (const Index keys : {0, 1, 31, 255, 256, 257, 700}) {
    const Instance instance = make_instance({.keys = keys, .dim = 24}, Seed{4}, 0);
    const Hyperplanes hyperplanes = draw_hyperplanes(Seed{5}, 0, 7, 5, 24);

    CHECK(fast_codes(hyperplanes, unit_keys(instance.keys)).codes == hash_keys(hyperplanes, instance.keys).codes);
  }
}

TEST_CASE("a projection that single precision cannot tell from 0 has its sign", "[unit]") {
  // Along (1, 1): 2^-40 to either side, exactly 0, and 2^-40 of a key at the ends of the range.
  const double e = std::ldexp(1.0, -40);
  const Matrix keys{{1, -1 + e}, {1, -1 - e}, {1, -1}, {0, 0}, {1e200, -1e200 * (1 + e)}, {1e-200, -1e-200 * (1 - e)}};
  const Hyperplanes plane = given_hyperplanes(1, 1, Matrix{{1, 1}});

  CHECK(fast_codes(plane, unit_keys(keys)).codes == std::vector<std::uint32_t>{1, 0, 1, 1, 0, 1});
  CHECK(keys.cast<float>()(1, 0) + keys.cast<float>()(1, 1) == 0);  // what rounding makes of the second: code 1
}

TEST_CASE("what cannot be hashed is refused", "[unit]") {
  const Hyperplanes plane = given_hyperplanes(1, 1, Matrix{{1, 1}});

  CHECK_THROWS_AS(fast_codes(plane, unit_keys(Matrix::Ones(2, 3))), InputError);
  CHECK_THROWS_AS(unit_keys(Matrix{{1, std::nan("")}}), InputError);
  CHECK_THROWS_AS(fast_codes(given_hyperplanes(1, 1, Matrix{{1, HUGE_VAL}}), unit_keys(Matrix::Ones(1, 2))),
                  InputError);
}

#include "estimators/key_codes_f32.hpp"

#include <cmath>
#include <limits>

#include "sim/families.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

MatrixF gaussian_keys(Index keys, Index dim) {
  FamilyParameters family;
  family.keys = keys;
  family.dim = dim;
  return make_instance(family, Seed{3}, 0).keys.cast<float>();
}

}  // namespace

TEST_CASE("Codes in single precision are those in double wherever rounding cannot change a sign", "[unit]") {
  const MatrixF keys = gaussian_keys(700, 48);  // two whole blocks and a part
  const Hyperplanes planes = draw_hyperplanes(Seed{5}, 0, 13, 7, 48);
  const Matrix exact_keys = keys.cast<double>();
  const KeyCodes codes = hash_keys_f32(planes, keys);
  const Matrix projected = exact_keys * planes.rows.transpose();

  Index compared = 0, wrong = 0;
  for (Index j = 0; j < 700; ++j) {
    for (Index row = 0; row < planes.rows.rows(); ++row) {
      // A dot product of n terms errs by n u |w||k| (Higham 2002, section 3.1), the rounded hyperplane by u |w||k|.
      const double rounding = 49 * 0x1p-24 * planes.rows.row(row).norm() * exact_keys.row(j).norm();
      if (std::abs(projected(j, row)) <= rounding) continue;
      ++compared;
      const std::uint32_t code = codes.table(row / 7)[j];
      const bool positive = corner(code, row % 7, 7) > 0;
      wrong += positive != (projected(j, row) > 0) ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(compared > 700 * 13 * 7 * 99 / 100);
}

TEST_CASE("A key's code in single precision depends on neither its place nor the threads", "[unit]") {
  const MatrixF keys = gaussian_keys(600, 16);
  const Hyperplanes planes = draw_hyperplanes(Seed{5}, 0, 9, 5, 16);
  const auto codes_by = [&](int threads) {
    const Threads some(threads);
    return hash_keys_f32(planes, keys);
  };

  const KeyCodes alone = codes_by(1), together = codes_by(3);
  const KeyCodes part = hash_keys_f32(planes, keys.middleRows(100, 50));

  CHECK(alone.codes == together.codes);
  for (Index l = 0; l < 9; ++l)
    for (Index j = 0; j < 50; ++j) CHECK(part.table(l)[j] == alone.table(l)[100 + j]);
}

TEST_CASE("A zero key lands in the all-ones bucket in single precision too", "[unit]") {
  const Hyperplanes planes = draw_hyperplanes(Seed{5}, 0, 2, 3, 4);
  for (const std::uint32_t code : hash_keys_f32(planes, MatrixF::Zero(1, 4)).codes) CHECK(code == 7u);
}

TEST_CASE("A key in single precision that is not finite is refused, as is a wrong dim", "[unit]") {
  const Hyperplanes planes = draw_hyperplanes(Seed{5}, 0, 2, 3, 4);
  const Hyperplanes positive = given_hyperplanes(2, 3, Matrix::Ones(6, 4));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float entry : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    MatrixF keys = MatrixF::Ones(3, 4);
    keys(1, 2) = entry;
    // Every projection is the entry itself: the one sign of infinity alone must be seen.
    CHECK_THROWS_WITH(hash_keys_f32(positive, keys), Catch::Matchers::StartsWith("keys 0 to 2:"));
  }
  CHECK_THROWS_AS(hash_keys_f32(planes, MatrixF::Ones(3, 5)), InputError);
}

#include "estimators/peers/low_rank_keys.hpp"

#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// Forward error of a product with computed orthonormal axes: a modest multiple of dim^2 epsilon of the sizes.
double rounding(const Matrix& keys, const Vector& query) {
  const double dim = double(keys.cols());
  return 20 * dim * dim * std::numeric_limits<double>::epsilon() * keys.rowwise().norm().maxCoeff() * query.norm();
}

}  // namespace

TEST_CASE("The full rank scores q.k itself", "[unit]") {
  const Matrix k = normal_matrix(Seed{1}, 0, 40, 10);
  const Vector q = normal_vector(Seed{1}, 1, 10);

  const LowRankKeys index(k, 10);

  CHECK((index.scores(q) - k * q).cwiseAbs().maxCoeff() <= rounding(k, q));
  CHECK(index.bits_per_token() == 160);
}

TEST_CASE("Keys in a subspace of the rank's dimension are scored exactly, and of a smaller rank are not", "[unit]") {
  const Index dim = 12, rank = 3;
  const Matrix k = normal_matrix(Seed{2}, 0, 50, rank) * normal_matrix(Seed{2}, 1, rank, dim);
  const Vector q = normal_vector(Seed{2}, 2, dim);

  const double exact = (LowRankKeys(k, rank).scores(q) - k * q).cwiseAbs().maxCoeff();
  const double cut = (LowRankKeys(k, rank - 1).scores(q) - k * q).cwiseAbs().maxCoeff();

  CHECK(exact <= rounding(k, q));
  CHECK(cut > 1000 * rounding(k, q));
}

TEST_CASE("The axes are the directions of largest variance: diagonal keys give coordinates", "[unit]") {
  // Columns are exactly uncorrelated and centred, with variances 9, 1, 4: rank 2 keeps columns 0 and 2.
  Matrix k(8, 3);
  for (Index j = 0; j < 8; ++j) k.row(j) << (j & 1 ? 3 : -3), (j & 2 ? 1 : -1), (j & 4 ? 2 : -2);
  const Vector q{{0.5, 7, -1.25}};

  const Vector scores = LowRankKeys(k, 2).scores(q);

  CHECK((scores - (0.5 * k.col(0) - 1.25 * k.col(2))).cwiseAbs().maxCoeff() <= rounding(k, q));
  CHECK_THROWS_AS(LowRankKeys(k, 0), InputError);
  CHECK_THROWS_AS(LowRankKeys(k, 4), InputError);
}

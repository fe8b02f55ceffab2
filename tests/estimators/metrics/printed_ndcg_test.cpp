#include "estimators/metrics/printed_ndcg.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace skt;

namespace {

const Vector kScores{{0.0, 1.0, 2.0, -1.0}};

}  // namespace

TEST_CASE("Keys retrieved in their true order have an NDCG of one as printed, whatever is missing", "[unit]") {
  CHECK(ndcg_as_printed({2, 1, 0}, kScores) == 1);
  CHECK(ndcg_as_printed({1, 0}, kScores) == 1);
}

TEST_CASE("A wrong order costs what the discounts say", "[unit]") {
  // Gains 2^1 - 1 = 1 and 2^2 - 1 = 3, discounts 1 and log2 3.
  const double second = 1 / std::log2(3.0);

  CHECK(std::abs(ndcg_as_printed({1, 2}, kScores) - (1 + 3 * second) / (3 + second)) <= 1e-15);
}

TEST_CASE("A negative score counts with its negative gain", "[unit]") {
  // Gains -1/2 and 1.
  const double second = 1 / std::log2(3.0);

  CHECK(std::abs(ndcg_as_printed({3, 1}, kScores) - (-0.5 + second) / (1 - 0.5 * second)) <= 1e-15);
}

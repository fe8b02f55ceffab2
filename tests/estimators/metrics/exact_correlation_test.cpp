#include "estimators/metrics/exact_correlation.hpp"

#include "estimators/metrics/ranking_correlation.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

std::optional<double> correlation(const std::string& ranker, double bits, Index dim = 32) {
  return exact_correlation(ranker, bits, {.tables = 60, .planes = 8, .socket = {}, .top = 4}, dim, 4);
}

}  // namespace

TEST_CASE("Rankers that read nothing of the query have no correlation, unknown ones no prediction", "[unit]") {
  CHECK(correlation("random", 0) == 0);
  CHECK(correlation("value-norm", 0) == 0);
  CHECK(!correlation("rabitq", 144).has_value());
  CHECK(!correlation("socket-value", 496).has_value());
  CHECK(!correlation("no such ranker", 64).has_value());
}

TEST_CASE("The cosine knows everything but the norm of a key", "[unit]") {
  // E|k|/sqrt(E|k|^2) is sqrt(pi/2)/sqrt 2 in two dimensions.
  CHECK(std::abs(*correlation("cosine-oracle", 0, 2) - std::sqrt(std::numbers::pi) / 2) <= 1e-14);
}

TEST_CASE("A ranker that holds the key's norm spends 16 bits on it and gains what the cosine lacks", "[unit]") {
  const double directions_only = *correlation("cosine-oracle", 0);

  CHECK(std::abs(*correlation("qjl", 144) * directions_only - *correlation("signed-independent", 128)) <= 1e-14);
  CHECK(std::abs(*correlation("signed-orthogonal-norm", 144) * directions_only -
                 *correlation("signed-orthogonal", 128)) <= 1e-14);
  CHECK(*correlation("qjl", 128) < *correlation("qjl", 144));
}

TEST_CASE("Orthogonal rows and soft collisions know more at the same memory", "[unit]") {
  CHECK(*correlation("signature-hamming", 128) > *correlation("hamming", 128));
  CHECK(*correlation("signed-orthogonal", 128) > *correlation("signed-independent", 128));
  CHECK(*correlation("socket", 480) > *correlation("hard-lsh", 480));
  CHECK(*correlation("socket", 960) > *correlation("socket", 480));
  // A table that is not whole does not count.
  CHECK(*correlation("hard-lsh", 487) == *correlation("hard-lsh", 480));
}

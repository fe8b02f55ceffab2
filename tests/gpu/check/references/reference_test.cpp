// The reference of buckets and its bounds, on a query of one coordinate whose signal is known by hand.
#include "gpu/check/references/reference.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace skt;
using namespace skt::gpu;

namespace {

// One table of two planes: u = (1/2, 0), so that plane 0 is set with probability 1 / (1 + exp(-2)) at temperature 1/2.
CheckCase small_case() {
  return CheckCase::parse("operation=soft-buckets,dim=1,tables=1,planes=2,temperature=0.5");
}

Problem small_problem() {
  Problem problem;
  problem.queries = {1};
  problem.hyperplanes = {std::atanh(0.5f), 0};
  return problem;
}

std::vector<ReferenceBuckets> buckets_of(const CheckCase& c, const Problem& problem,
                                         Summation summation = Summation::of_the_kernel) {
  return reference_buckets(c, problem, double_hyperplanes(c, problem), 0, summation);
}

}  // namespace

TEST_CASE("a bucket's probability is the product over its planes, plane 0 the most significant", "[unit][gpu]") {
  const double set = 1 / (1 + std::exp(-2.0));

  const std::vector<ReferenceBuckets> tables = buckets_of(small_case(), small_problem());

  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].probability.size() == 4);
  for (const int code : {0, 1}) CHECK(std::abs(tables[0].probability[code] - (1 - set) / 2) <= 1e-7);
  for (const int code : {2, 3}) CHECK(std::abs(tables[0].probability[code] - set / 2) <= 1e-7);
}

TEST_CASE("signs given as corners give the probabilities of the signs", "[unit][gpu]") {
  Problem with_corners = small_problem();
  with_corners.corners = {-1, -1, -1, 1, 1, -1, 1, 1};

  const auto signs = buckets_of(small_case(), small_problem());
  const auto corners = buckets_of(small_case(), with_corners);

  for (const int code : {0, 1, 2, 3}) {
    CHECK(std::abs(signs[0].probability[code] - corners[0].probability[code]) <= 1e-15);
  }
  with_corners.corners = {0, 0, 0, 0, 0, 0, 1, 0};  // logits 0, 0, 0 and 1/2 / (1/2)
  const auto noise = buckets_of(small_case(), with_corners);
  CHECK(std::abs(noise[0].probability[0] - 1 / (3 + std::exp(1.0))) <= 1e-7);
  CHECK(std::abs(noise[0].probability[3] - std::exp(1.0) / (3 + std::exp(1.0))) <= 1e-7);
}

TEST_CASE("any order of summation is allowed a larger error than the kernel's", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse("operation=soft-buckets,dim=64,tables=3,planes=4");
  const Problem problem = make_problem(c);

  const auto of_the_kernel = buckets_of(c, problem), any = buckets_of(c, problem, Summation::any);

  for (const int table : {0, 1, 2}) {
    CHECK(of_the_kernel[table].probability == any[table].probability);
    CHECK(of_the_kernel[table].relative_error < any[table].relative_error);
    CHECK(any[table].relative_error < 64 * of_the_kernel[table].relative_error);
  }
}

TEST_CASE("the error of a bucket is that of its planes' logits", "[unit][gpu]") {
  // A logit 2u / temperature of at most 4, u = 2^-24, one coordinate: 1/32 + 5 additions of |w q|, and 8 more; then 7
  // to a plane, of which there are two.
  const double logit = 4 * 0x1p-24 * ((1.0 / 32 + 5) * double{std::atanh(0.5f)} + 8);

  const double error = buckets_of(small_case(), small_problem())[0].relative_error;

  CHECK(std::abs(error / (1.01 * 2 * (logit + 7 * 0x1p-24)) - 1) <= 1e-12);
}

TEST_CASE("a probability may be off by its bound, its type's rounding and what is lost near 0", "[unit][gpu]") {
  ReferenceBuckets buckets;
  buckets.relative_error = 0.25;

  CHECK(probability_tolerance(buckets, 0.5, SKT_F32) == 0.125 + 0x1p-126);
  CHECK(probability_tolerance(buckets, 0.5, SKT_F16) == (0.25 + 1.01 * 0x1p-11) * 0.5 + 0x1p-25);
  CHECK(probability_tolerance(buckets, 0.5, SKT_BF16) == (0.25 + 1.01 * 0x1p-8) * 0.5 + 0x1p-126);
  CHECK(probability_tolerance(buckets, 0, SKT_F16) == 0x1p-25);
}

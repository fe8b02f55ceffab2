#include "proofs_check/laws/error_law.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

void check_tails(const ErrorLaw& law, const std::vector<ErrorLaw::Tail>& expected) {
  REQUIRE(law.tails().size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(near_at_size_one(law.tails()[i].error, expected[i].error));
    CHECK(near_at_size_one(law.tails()[i].at_least, expected[i].at_least));
  }
}

}  // namespace

TEST_CASE("Errors are sorted, equal ones are one, and tails add up from the largest", "[unit]") {
  check_tails(ErrorLaw({{1, 0.25}, {3, 0.125}, {1, 0.5}, {2, 0.125}}), {{3, 0.125}, {2, 0.25}, {1, 1}});
}

TEST_CASE("A quantile is the smallest error that is exceeded with probability delta at most", "[unit]") {
  const ErrorLaw law({{3, 0.125}, {2, 0.125}, {1, 0.75}});

  CHECK(law.quantile(0) == 3);
  CHECK(law.quantile(0.124) == 3);
  CHECK(law.quantile(0.125) == 2);  // 3 alone exceeds 2, with probability .125
  CHECK(law.quantile(0.2) == 2);
  CHECK(law.quantile(0.25) == 1);
  CHECK(law.quantile(1) == 1);
}

TEST_CASE("A law times a factor has its errors times the factor", "[unit]") {
  check_tails(ErrorLaw({{3, 0.25}, {2, 0.75}}).times(0.5), {{1.5, 0.25}, {1, 1}});
}

TEST_CASE("The mean weighs every error by its probability", "[unit]") {
  CHECK(near_at_size_one(ErrorLaw({{3, 0.25}, {-1, 0.5}, {1, 0.25}}).mean(), 0.5));
  CHECK(near_at_size_one(binomial_error(4, 0.5).mean(), 3.0 / 16));  // (2/16)(1/2) + (8/16)(1/4)
}

TEST_CASE("A law needs errors, all of them finite", "[unit]") {
  CHECK_THROWS_AS(ErrorLaw({}), InputError);
  CHECK_THROWS_AS(of_sample({1, std::nan("")}), InputError);
  CHECK_THROWS_AS(of_sample({1, HUGE_VAL}), InputError);
}

TEST_CASE("The deviation of a binomial share is listed by hand for four trials", "[unit]") {
  // Bin(4, 1/2) has the weights 1, 4, 6, 4, 1 over 16; Bin(2, 1/4) the weights 9, 6, 1.
  check_tails(binomial_error(4, 0.5), {{0.5, 2.0 / 16}, {0.25, 10.0 / 16}, {0, 1}});
  check_tails(binomial_error(2, 0.25), {{0.75, 1.0 / 16}, {0.25, 1}});
}

TEST_CASE("An error may be any function of a count", "[unit]") {
  check_tails(of_binomial(2, 0.25, [](std::uint64_t count) { return 1 - real(count); }),
              {{1, 9.0 / 16}, {0, 15.0 / 16}, {-1, 1}});
}

TEST_CASE("The mean of two vectors of two signs is listed by hand", "[unit]") {
  // Each coordinate of the sum is 0 (1/2) or +-2 (1/2): squares 0, 4, 8 with weights 1, 2, 1.
  check_tails(mean_of_signs(2, 2), {{std::sqrt(2.0), 0.25}, {1, 0.75}, {0, 1}});
  check_tails(mean_of_signs(3, 1), {{std::sqrt(3.0), 1}});
  // One coordinate is twice the deviation of a binomial share.
  check_tails(mean_of_signs(1, 4), {{1, 2.0 / 16}, {0.5, 10.0 / 16}, {0, 1}});
}

TEST_CASE("Two steps in the plane turn back, turn aside or go on", "[unit]") {
  check_tails(mean_of_plane_steps(2), {{1, 0.25}, {std::sqrt(0.5), 0.75}, {0, 1}});
}

TEST_CASE("The quantile of a sample leaves out the share delta of its largest", "[unit]") {
  const ErrorLaw law = of_sample({4, 1, 3, 2});

  CHECK(law.quantile(0.1) == 4);
  CHECK(law.quantile(0.25) == 3);
  CHECK(law.quantile(0.6) == 2);
}

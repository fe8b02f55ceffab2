#include "proofs_check/inequalities/searched_inequalities.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

InequalitySides at(const std::string& name, const std::vector<double>& parameters) {
  for (const SearchedInequality& one : searched_inequalities()) {
    if (one.name != name) continue;
    REQUIRE(one.parameters == int(parameters.size()));
    return one.sides(parameters);
  }
  FAIL("no inequality " << name);
  return {};
}

bool out_of_scope(const InequalitySides& sides) {
  return sides.left == 0 && sides.right == 1;
}

}  // namespace

TEST_CASE("Every inequality has its own name, and the four that are false as printed are said to fail", "[unit]") {
  std::set<std::string> names, fail;
  for (const SearchedInequality& one : searched_inequalities()) {
    CHECK(names.insert(one.name).second);
    CHECK(one.parameters > 0);
    if (one.expectation == SearchExpectation::fails) fail.insert(one.name);
  }

  CHECK(fail == std::set<std::string>{"S002-AS2", "S002-ZB-realised", "S004-9", "S004-16"});
}

TEST_CASE("The correlations of a signal along one plane are those worked out by hand", "[unit]") {
  const std::vector<double> x = {2, 0, 0, 0, 0};

  CHECK(near(at("S002-R7d", x).left, 2 * kC / std::sqrt(5.0), 64));
  CHECK(near(at("S002-R7d", x).right, 2 * kC, 64));
  CHECK(near(at("S002-R7c", x).left, 2 * kC, 64));  // tanh of it lies along the same plane
  CHECK(near(at("S002-R7e", x).right, 2 * kC, 64));
  CHECK(out_of_scope(at("S002-R7d", std::vector<double>(5))));
}

TEST_CASE("The summands of equal weights are those worked out by hand", "[unit]") {
  // Values (2, 0), (0, 1), (1, 0): V^T V = diag(5, 1); S1 = 4/3, y = (1, 1/3).
  const std::vector<double> p = {0, 0, 0, 2, 0, 0, 1, 1, 0};

  CHECK(near(at("S002-E28", p).left, 2, 64));
  CHECK(near(at("S002-E28", p).right, std::sqrt(5.0), 64));
  CHECK(near(at("S002-E29", p).left, 4.0 / 3, 64));
  CHECK(near(at("S002-E26", p).left, std::sqrt(10.0) / 3, 64));
  CHECK(out_of_scope(at("S002-E26", std::vector<double>(9))));
}

TEST_CASE("Sets of six scores: three active ones of the largest, or the first three", "[unit]") {
  const double e = std::exp(1.0);
  const std::vector<double> rising = {0, 0, 0, 1, 1, 1};

  // Sorted, the active scores are 1, the pruned 0: rho = e = (1 + 2)/(3/e).
  CHECK(near(at("S004-5", rising).left, e, 64));
  CHECK(near(at("S004-5", rising).right, e, 64));
  // Unsorted, the active scores are 0: rho = 1/e, printed e^0/3, corrected e^-1/3 and 3 e^-1.
  CHECK(near(at("S004-9", rising).left, 1.0 / 3, 64));
  CHECK(near(at("S004-9", rising).right, 1 / e, 64));
  CHECK(near(at("S004-9-corrected", rising).left, 1 / (3 * e), 64));
  CHECK(near(at("S004-9-corrected-upper", rising).right, 3 / e, 64));
  CHECK(near(at("S004-10-corrected", rising).left, (1 + 1 / e) / (1 + 3 / e), 64));
  CHECK(at("S004-10-corrected", rising).right == 1);
}

TEST_CASE("The remainder at -1 is 1/e, below 1/2", "[unit]") {
  CHECK(near(at("S004-12", {0}).left, std::exp(-1.0), 64));
  CHECK(at("S004-12", {0}).right == 0.5);
}

TEST_CASE("Scores are scaled to the range in which the linearised weights are positive", "[unit]") {
  // (0, .., 0, 4) becomes (0, .., 0, 1): linear weights 0 and 1, softmax e/(e + 4) at the top.
  const std::vector<double> p = {0, 0, 0, 0, 4};
  const double top = std::exp(1.0) / (std::exp(1.0) + 4);

  CHECK(near(at("S004-16", p).left, 1, 64));
  CHECK(near(at("S004-16", p).right, top, 64));
  CHECK(near(at("S004-14", p).left, 2 * (1 - top), 64));
  CHECK(near(at("S004-14", p).right, std::exp(1.0), 64));
  CHECK(out_of_scope(at("S004-14", std::vector<double>(5))));
}

TEST_CASE("An instance of a law reads temperature, probability, query, keys, values and planes in turn", "[unit]") {
  // tau = 1, probabilities 1/2; the query, its four copies and both planes of both tables along e_1: every key in the
  // query's bucket with p = sigma(2 tanh(1)/sqrt(2))^2, and the fullest bucket holds four.
  std::vector<double> p = {0, 0, 1, 0};
  for (int j = 0; j < 4; ++j) p.insert(p.end(), {1, 0});
  for (int j = 0; j < 4; ++j) p.insert(p.end(), {0, 1});
  for (int plane = 0; plane < 4; ++plane) p.insert(p.end(), {1, 0});
  const double side = 1 / (1 + std::exp(-2 * std::tanh(1.0) / std::sqrt(2.0)));

  CHECK(near(at("S002-E9", p).left, 4 * side * side, 64));
  CHECK(at("S002-E9", p).right == 4);
  CHECK(near(at("S002-E14", p).left, 4 * side * side, 64));
  CHECK(near(at("S002-E14", p).right, 2 * 2, 64));                 // |V| = 2, sqrt(B) = 2
  CHECK(near(at("S002-E40", p).left, 4 * (1 - side * side), 64));  // |w_tau - w|_1, w = 1
  CHECK(near(at("S002-E40", p).right, 2 * 4 * (1 - side * side), 64));
}

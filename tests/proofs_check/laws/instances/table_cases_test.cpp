#include "proofs_check/laws/instances/table_cases.hpp"

#include "proofs_check/bounds/a_priori_bounds.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

RadiusOfCase always(double radius) {
  return [radius](const TableSums&, const TableCase&, const TargetMoments&) { return radius; };
}

}  // namespace

TEST_CASE("the largest miss is over the delta of its own case", "[unit]") {
  // Two signs agree with probability 1/2; the smallest delta of the list is .45.
  const Evidence evidence = largest_miss("two signs", two_sign_cases(), always(0.9));

  CHECK(evidence.observed.lo == Approx(0.5 / 0.45));
  CHECK(evidence.trials == two_sign_cases().size());
  CHECK(largest_miss("two signs", two_sign_cases(), always(1)).observed.hi == 0);
}

TEST_CASE("jumps attain Corollary 3 up to the distance of the nearest one to delta", "[statement]") {
  const auto planned = [](const TableSums&, const TableCase& at, const TargetMoments& moments) {
    return a_priori_bound(moments, at.law.kurtosis(), real(at.tables), at.delta);
  };

  const double ratio = largest_miss("jumps", jump_cases(), planned).observed.hi;

  CHECK(ratio <= 1);
  CHECK(ratio == Approx(0.04995 / 0.05));
}

TEST_CASE("tables of two outcomes have the mean that their chance gives", "[unit]") {
  // (N, D) = (-1, 1), or (1, 3) with probability .1: -.8 over 1.2.
  const std::vector<TableCase> cases = uneven_cases();
  const auto found = std::find_if(cases.begin(), cases.end(), [](const TableCase& at) {
    return at.law.chance == 0.1 && at.law.rare.normaliser == 3;
  });
  REQUIRE(found != cases.end());

  CHECK(found->law.output()(0) == Approx(-0.8 / 1.2));
}

TEST_CASE("another target is that far from y_tau", "[unit]") {
  const std::vector<TableCase> at = two_sign_cases(), moved = shifted(at, {-1, 2});

  REQUIRE(moved.size() == 2 * at.size());
  CHECK(moved.front().target()(0) == -1);
  CHECK(moved.back().target()(0) == 2);
  CHECK(at.front().target()(0) == 0);
  // Errors of 0, 1 and 2 with probabilities 1/4, 1/2, 1/4.
  CHECK(largest_miss("", shifted({{sign_tables(), 2, 0.5}}, {-1}), always(1)).observed.hi == Approx(0.5));
}

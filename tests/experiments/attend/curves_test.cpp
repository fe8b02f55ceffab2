#include "experiments/attend/curves.hpp"

#include "tests/catch.hpp"
#include "tests/experiments/attend/four_keys.hpp"

using namespace skt;

namespace {

const Vector kLogits{{0, std::log(2.0), std::log(3.0), std::log(4.0)}};

// Of the four keys, the best first in each order.
std::vector<RankingCurve> curves_of(const std::vector<KeyOrder>& orders, Index always, const Vector& logits = kLogits) {
  const FourKeys four;
  AttendProblem problem(four.files());
  return density_curves(problem, 0, logits, orders, always);
}

}  // namespace

TEST_CASE("A forbidden key belongs to no density and has no mass", "[unit][oracle]") {
  Vector logits = kLogits;
  logits[3] = -std::numeric_limits<double>::infinity();

  const DensityPoint one = curves_of({{"own", {2, 1, 0}}}, 0, logits)[0].points.back();

  CHECK(one.keys == 1);  // half of three, rounded down
  CHECK(one.residual_weight == Approx(0.5));
  CHECK(one.relative_error.value() == Approx((2 + 1.0 / 6) * 6));  // -2 for 1/6
}

TEST_CASE("Where no key is allowed there is no curve", "[unit]") {
  CHECK(curves_of({{"own", {}}, {"true", {}}}, 0).empty());
  CHECK(curves_of({}, 0).empty());
}

TEST_CASE("The means of curves are those of each head, below those of all", "[unit]") {
  const auto curve = [](Index keys, double residual, std::optional<double> error) {
    return RankingCurve{"own", {{0.005, keys, residual, error}}};
  };
  CurveMeans means;
  means.add(0, {curve(2, 0.5, 1)});
  means.add(2, {curve(3, 0.25, std::nullopt)});
  means.add(2, {curve(7, 0.75, 4)});

  CHECK(means.table().text() ==
        "head,ranking,density,queries,keys_mean,residual_weight_mean,relative_error_mean\n"
        "all,own,0.005,3,4,0.5,2.5\n"
        "0,own,0.005,1,2,0.5,1\n"
        "2,own,0.005,2,5,0.5,4\n");
}

TEST_CASE("A mean of no error is an empty cell", "[unit]") {
  CurveMeans means;
  means.add(0, {{"own", {{0.005, 1, 1, std::nullopt}}}});

  CHECK(means.table().text().ends_with("0,own,0.005,1,1,1,\n"));
}

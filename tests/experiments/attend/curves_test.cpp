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

TEST_CASE("Each density keeps its share of the keys, at least one, and the error falls to it", "[unit][oracle]") {
  const auto curves = curves_of({{"own", {0, 3, 2, 1}}, {"true", {3, 2, 1, 0}}}, 0);

  REQUIRE(curves.size() == 2);
  REQUIRE(curves[0].points.size() == curve_densities().size());
  for (Index i = 0; i + 1 < std::ssize(curve_densities()); ++i) {  // up to 0.3 of four keys: one key
    CHECK(curves[0].points[i].density == curve_densities()[i]);
    CHECK(curves[0].points[i].keys == 1);
    CHECK(curves[0].points[i].residual_weight == Approx(0.9));
    CHECK(curves[0].points[i].relative_error.value() == Approx(3.7 / 1.3));  // 5 for 1.3
    CHECK(curves[1].points[i].residual_weight == Approx(0.6));
    CHECK(curves[1].points[i].relative_error.value() == Approx(1.7 / 1.3));  // 3 for 1.3
  }
  for (const RankingCurve& curve : curves) CHECK(curve.points.back().keys == 2);
  CHECK(curves[0].points.back().residual_weight == Approx(0.5));
  CHECK(curves[0].points.back().relative_error.value() == Approx(2.1 / 1.3));  // (5 + 12)/5 = 3.4
  CHECK(curves[1].points.back().residual_weight == Approx(0.3));
  CHECK(curves[1].points.back().relative_error.value() == Approx((1.3 - 6.0 / 7) / 1.3));  // (12 - 6)/7
}

TEST_CASE("Sink and window keys come on top of the share, up to all allowed keys", "[unit][oracle]") {
  const DensityPoint some = curves_of({{"own", {0, 3, 2, 1}}}, 1)[0].points.back();
  CHECK(some.keys == 3);
  CHECK(some.residual_weight == Approx(0.2));

  const DensityPoint all = curves_of({{"own", {0, 3, 2, 1}}}, 4)[0].points.front();
  CHECK(all.keys == 4);
  CHECK(all.residual_weight == 0);
  CHECK(all.relative_error.value() == 0);
}

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

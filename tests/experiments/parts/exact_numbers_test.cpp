#include "experiments/parts/exact_numbers.hpp"

#include "tests/numbers.hpp"

#include <bit>
#include <cstdint>

using namespace skt;
namespace {

// Through the text of a line and back.
Json sent(const Json& json) {
  return Json::parse(json.dump());
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

TEST_CASE("Every finite double comes back the same to the bit", "[unit]") {
  using Limits = std::numeric_limits<double>;
  for (const double number : {0.0, -0.0, 1.0, 0.1, 1.0 / 3, -2.0 / 3, 1e-300, 5e22, 1e23, 0x1p53, 0x1p53 + 2,
                              0x1.fffffffffffffp-3, Limits::denorm_min(), -Limits::min(), Limits::max()})
    CHECK(same_bits(from_json<double>(sent(to_json(number))), number));
}

TEST_CASE("What is not finite comes back with its kind and its sign", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

  CHECK(from_json<double>(sent(to_json(infinity))) == infinity);
  CHECK(from_json<double>(sent(to_json(-infinity))) == -infinity);
  for (const double number : {std::copysign(nan, 1.0), std::copysign(nan, -1.0)}) {
    const double back = from_json<double>(sent(to_json(number)));
    CHECK(std::isnan(back));
    CHECK(std::signbit(back) == std::signbit(number));
  }
}

TEST_CASE("Lists, intervals and estimates keep their order", "[unit]") {
  const double infinity = std::numeric_limits<double>::infinity();

  CHECK(from_json<std::vector<double>>(sent(to_json(std::vector<double>{3, infinity, -1}))) ==
        std::vector<double>{3, infinity, -1});
  CHECK(from_json<std::vector<double>>(sent(to_json(std::vector<double>{}))).empty());
  const Vector coordinates = Vector::LinSpaced(3, 0.1, 0.3);
  CHECK(from_json<Vector>(sent(to_json(coordinates))) == coordinates);
  CHECK(from_json<Vector>(sent(to_json(Vector(0)))).size() == 0);
  const Interval interval = from_json<Interval>(sent(to_json(Interval{-infinity, 0.1})));
  CHECK(interval.lo == -infinity);
  CHECK(interval.hi == 0.1);
  const Estimate estimate = from_json<Estimate>(sent(to_json(Estimate{0.1, 0.2})));
  CHECK(estimate.value == 0.1);
  CHECK(estimate.error == 0.2);
}

TEST_CASE("Moments that come back merge to the same bits as those that stayed", "[unit]") {
  Moments first, later;
  for (const double x : {0.1, 0.7, -3.3}) first.add(x);
  for (const double x : {1e5, 0.3}) later.add(x);
  const Moments back = from_json<Moments>(sent(to_json(first)));

  CHECK(back.count() == 3);
  CHECK(same_bits(back.mean(), first.mean()));
  CHECK(same_bits(back.variance(), first.variance()));
  Moments stayed = first, went = back;
  stayed.merge(later);
  went.merge(from_json<Moments>(sent(to_json(later))));
  CHECK(same_bits(went.mean(), stayed.mean()));
  CHECK(same_bits(went.variance(), stayed.variance()));
  CHECK(from_json<Moments>(sent(to_json(Moments{}))).count() == 0);
}

TEST_CASE("Of moments count, mean and sum of squares are written", "[unit]") {
  Moments moments;
  for (const double x : {1.0, 2.0, 6.0}) moments.add(x);

  CHECK(to_json(moments) == Json::array({3, 3.0, 14.0}));  // (1-3)^2 + (2-3)^2 + (6-3)^2
}

TEST_CASE("What no number is written as is refused", "[unit]") {
  for (const Json& json : {Json(nullptr), Json("NaN"), Json("1"), Json::array({1})})
    CHECK_THROWS_AS(from_json<double>(json), InputError);
  CHECK_THROWS_AS(from_json<Interval>(Json::array({1})), InputError);
  CHECK_THROWS_AS(from_json<Estimate>(Json::array({1, 2, 3})), InputError);
  CHECK_THROWS_AS(from_json<std::vector<double>>(Json(1.0)), InputError);
  CHECK_THROWS_AS(from_json<Moments>(Json::array({-1, 0.0, 0.0})), InputError);
  CHECK_THROWS_AS(from_json<Moments>(Json::array({1.5, 0.0, 0.0})), InputError);
}

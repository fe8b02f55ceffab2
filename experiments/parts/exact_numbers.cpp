#include "experiments/parts/exact_numbers.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "sim/require.hpp"

namespace skt {
namespace {

// What moments hold, which they give out as mean and variance only. The divisions of the variance cannot be undone
// without rounding.
struct SumsOfMoments {
  std::uint64_t count;
  double mean, squares;
};
static_assert(sizeof(Moments) == sizeof(SumsOfMoments) && std::is_trivially_copyable_v<Moments> &&
                  std::is_standard_layout_v<Moments>,
              "Moments hold a count, a mean and a sum of squares, in this order");

// The elements of an array of so many.
const Json& elements_of(const Json& json, std::size_t count) {
  if (!json.is_array() || json.size() != count) refuse("{}: allowed is an array of {}", json.dump(), count);
  return json;
}

}  // namespace

Json to_json(double number) {
  if (std::isfinite(number)) return number;
  const bool negative = std::signbit(number);
  if (std::isnan(number)) return negative ? "-nan" : "nan";
  return negative ? "-inf" : "inf";
}

double double_from(const Json& json) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::copysign(kNaN, 1.0);
  if (json == "-nan") return std::copysign(kNaN, -1.0);
  if (json == "inf") return kInfinity;
  if (json == "-inf") return -kInfinity;
  refuse("{}: allowed are a number, \"nan\", \"-nan\", \"inf\" and \"-inf\"", json.dump());
}

Json to_json(const std::vector<double>& numbers) {
  Json array = Json::array();
  for (const double number : numbers) array.push_back(to_json(number));
  return array;
}

std::vector<double> doubles_from(const Json& json) {
  if (!json.is_array()) refuse("{}: allowed is an array of numbers", json.dump());
  std::vector<double> numbers;
  for (const Json& number : json) numbers.push_back(double_from(number));
  return numbers;
}

Json to_json(const Vector& numbers) {
  return to_json(std::vector<double>(numbers.begin(), numbers.end()));
}

Vector vector_from(const Json& json) {
  const std::vector<double> numbers = doubles_from(json);
  return Eigen::Map<const Vector>(numbers.data(), std::ssize(numbers));
}

Json to_json(const Interval& interval) {
  return Json::array({to_json(interval.lo), to_json(interval.hi)});
}

Interval interval_from(const Json& json) {
  return {double_from(elements_of(json, 2)[0]), double_from(json[1])};
}

Json to_json(const Estimate& estimate) {
  return Json::array({to_json(estimate.value), to_json(estimate.error)});
}

Estimate estimate_from(const Json& json) {
  return {double_from(elements_of(json, 2)[0]), double_from(json[1])};
}

Json to_json(const Moments& moments) {
  const auto sums = std::bit_cast<SumsOfMoments>(moments);
  return Json::array({sums.count, to_json(sums.mean), to_json(sums.squares)});
}

Moments moments_from(const Json& json) {
  if (!elements_of(json, 3)[0].is_number_unsigned())
    refuse("{}: allowed are a count, a mean and a sum of squares", json.dump());
  return std::bit_cast<Moments>(
      SumsOfMoments{json[0].get<std::uint64_t>(), double_from(json[1]), double_from(json[2])});
}

}  // namespace skt

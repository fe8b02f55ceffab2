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

}  // namespace

const Json& array_of(const Json& json, std::size_t count) {
  if (!json.is_array() || json.size() != count) refuse("{}: allowed is an array of {}", json.dump(), count);
  return json;
}

Json to_json(double number) {
  if (std::isfinite(number)) return number;
  const bool negative = std::signbit(number);
  if (std::isnan(number)) return negative ? "-nan" : "nan";
  return negative ? "-inf" : "inf";
}

void read(const Json& json, double& number) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  if (json.is_number())
    number = json.get<double>();
  else if (json == "nan" || json == "-nan")
    number = std::copysign(kNaN, json == "nan" ? 1.0 : -1.0);
  else if (json == "inf" || json == "-inf")
    number = json == "inf" ? kInfinity : -kInfinity;
  else
    refuse("{}: allowed are a number, \"nan\", \"-nan\", \"inf\" and \"-inf\"", json.dump());
}

Json to_json(const Moments& moments) {
  const auto sums = std::bit_cast<SumsOfMoments>(moments);
  return Json::array({sums.count, to_json(sums.mean), to_json(sums.squares)});
}

void read(const Json& json, Moments& moments) {
  if (!array_of(json, 3)[0].is_number_unsigned())
    refuse("{}: allowed are a count, a mean and a sum of squares", json.dump());
  moments = std::bit_cast<Moments>(
      SumsOfMoments{json[0].get<std::uint64_t>(), from_json<double>(json[1]), from_json<double>(json[2])});
}

}  // namespace skt

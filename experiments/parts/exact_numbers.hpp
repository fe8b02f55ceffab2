// How does a number go through a line of JSON and come back the same to the bit?
//
// A finite double is written with as many digits as it needs to be read back equal. JSON has no others, and what is not
// a number there becomes null: so NaN and the infinities are written as text. Moments are written with their sums, so
// that merging goes on from them. A struct is the array of the members that its members_of names. A number that came back another would show as result files whose bytes differ between
// one process and several.
#pragma once

#include <concepts>
#include <string>
#include <tuple>
#include <type_traits>

#include "sim/json.hpp"
#include "sim/number.hpp"
#include "sim/statistics/intervals.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {

constexpr auto members_of(const Interval*) {
  return std::tuple(&Interval::lo, &Interval::hi);
}
constexpr auto members_of(const Estimate*) {
  return std::tuple(&Estimate::value, &Estimate::error);
}

// InputError for what is no array of so many elements.
const Json& array_of(const Json& json, std::size_t count);

Json to_json(double number);
Json to_json(const Moments& moments);
// Of text, whole numbers, enumerations, lists of what is here, and structs with members_of.
template <class T>
Json to_json(const T& x) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<int>(x);
  } else if constexpr (std::integral<T> || std::same_as<T, std::string>) {
    return x;
  } else {
    Json array = Json::array();
    if constexpr (requires { members_of(&x); })
      std::apply([&](auto... member) { (array.push_back(to_json(x.*member)), ...); }, members_of(&x));
    else
      for (const auto& element : x) array.push_back(to_json(element));
    return array;
  }
}

// The inverse; of a struct, members that members_of does not name stay. InputError, or JsonError, for what the above does
// not write.
void read(const Json& json, double& number);
void read(const Json& json, Moments& moments);
template <class T>
void read(const Json& json, T& x) {
  if constexpr (std::is_enum_v<T>) {
    x = static_cast<T>(json.get<int>());
  } else if constexpr (std::integral<T> || std::same_as<T, std::string>) {
    x = json.get<T>();
  } else if constexpr (requires { members_of(&x); }) {
    std::size_t i = 0;
    std::apply(
        [&](auto... member) {
          array_of(json, sizeof...(member));
          (read(json[i++], x.*member), ...);
        },
        members_of(&x));
  } else {
    const std::size_t count = json.is_array() ? json.size() : 0;
    array_of(json, count);
    x.resize(count);
    for (std::size_t i = 0; i < count; ++i) read(json[i], x[i]);
  }
}
template <class T>
T from_json(const Json& json) {
  T x{};
  read(json, x);
  return x;
}

}  // namespace skt

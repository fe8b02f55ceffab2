// How does a number go through a line of JSON and come back the same to the bit?
//
// A finite double is written with as many digits as it needs to be read back equal. JSON has no others, and what is not
// a number there becomes null: so NaN and the infinities are written as text. Moments are written with their sums, so
// that merging goes on from them. A number that came back another would show as result files whose bytes differ between
// one process and several.
#pragma once

#include <vector>

#include "sim/json.hpp"
#include "sim/number.hpp"
#include "sim/statistics/intervals.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {

Json to_json(double number);
Json to_json(const std::vector<double>& numbers);
Json to_json(const Vector& numbers);
Json to_json(const Interval& interval);
Json to_json(const Estimate& estimate);
Json to_json(const Moments& moments);

// InputError for what the above does not write.
double double_from(const Json& json);
std::vector<double> doubles_from(const Json& json);
Vector vector_from(const Json& json);
Interval interval_from(const Json& json);
Estimate estimate_from(const Json& json);
Moments moments_from(const Json& json);

}  // namespace skt

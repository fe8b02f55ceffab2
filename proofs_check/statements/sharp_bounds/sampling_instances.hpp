// On which instances are the radii of the sampling error judged (statements OWN-7a to OWN-7c)?
//
// Signs, whose law is a binomial; two and three values, all of whose sequences are enumerated; and values behind drawn
// tables, where violations are counted. P(violation)/delta is claimed to be at most 1.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proofs_check/bounds/sampling_bounds.hpp"
#include "proofs_check/context.hpp"
#include "proofs_check/evidence.hpp"

namespace skt {

using SamplingRadius = std::function<double(const SamplingLaw&, Index samples, double delta)>;

// X = -1 with probability `minority`, otherwise 1.
SamplingLaw law_of_signs(double minority);

struct FewValues {
  std::string name;
  Vector weights;
  Matrix values;
};

// In one, two and three dimensions, with a rare long value among them.
std::vector<FewValues> few_values();

// The largest P(violation)/delta over minorities, levels and numbers of samples, and over few values.
Evidence largest_violation_on_signs(const SamplingRadius& radius);
Evidence largest_violation_on_few_values(const SamplingRadius& radius);

// P(violation) counted over draws from 256 keys in 128 dimensions, three families, two dimensions of the values. The
// radius, of level kCountedDelta, may depend on the law and on the drawn rows.
inline constexpr double kCountedDelta = 0.05;
using RadiusOfDraw = std::function<double(const SamplingLaw&, const Matrix& drawn_rows)>;
std::vector<Evidence> violations_behind_tables(const Context& context, const RadiusOfDraw& radius);

}  // namespace skt

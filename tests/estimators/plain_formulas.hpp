// The formulas of the estimators once more, in plain loops of long double, and how far double arithmetic may be from
// them. gamma_n = n u / (1 - n u) bounds the relative error of n roundings (Higham 2002, section 3.1).
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "estimators/collision_scores.hpp"
#include "sim/number.hpp"

namespace skt {

inline double gamma_of(double roundings) {
  constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
  return roundings * kUnit / (1 - roundings * kUnit);
}

template <class A, class B>
long double plain_dot(const A& a, const B& b) {
  long double sum = 0;
  for (Index c = 0; c < a.size(); ++c) sum += static_cast<long double>(a(c)) * static_cast<long double>(b(c));
  return sum;
}

// How far a dot product in double, in any order of summation, may be from the exact one.
template <class A, class B>
double dot_error(const A& a, const B& b) {
  double magnitude = 0;
  for (Index c = 0; c < a.size(); ++c) magnitude += std::abs(a(c) * b(c));
  return gamma_of(real(a.size() + 1)) * magnitude;
}

inline std::uint32_t plain_code(const Hyperplanes& hyperplanes, Index table, const Vector& key) {
  std::uint32_t code = 0;
  for (Index p = 0; p < hyperplanes.planes; ++p)
    code = 2 * code + (plain_dot(hyperplanes.rows.row(table * hyperplanes.planes + p), key) >= 0);
  return code;
}

// Score of one key and a bound on the relative error of its computation in double.
struct PlainScore {
  long double value = 0;
  double relative_error = 0;
};

// sum_l prod_p sigma(2 tanh(w.q) s c / tau). A sigma moves by at most the error of its argument a (d log sigma <= da),
// which has the projection's error times 2 s/tau and, from tanh (2 ulp), the scaling (2 roundings) and the quotient, 8
// roundings of |a|; sigma itself is an exp (1 ulp), a sum and a quotient: 4 more. A product of planes and a sum of
// tables add planes + tables.
inline PlainScore plain_soft_score(const Hyperplanes& hyperplanes, const std::vector<std::uint32_t>& codes,
                                   const Vector& query, const SocketParameters& parameters) {
  const long double s = parameters.scaling == Scaling::none ? 1 : 1 / std::sqrt((long double)hyperplanes.dim);
  PlainScore score;
  double worst = 0;
  for (Index l = 0; l < hyperplanes.tables; ++l) {
    long double product = 1;
    double error = 0;
    for (Index p = 0; p < hyperplanes.planes; ++p) {
      const auto row = hyperplanes.rows.row(l * hyperplanes.planes + p);
      const bool bit = codes[l] >> (hyperplanes.planes - 1 - p) & 1;
      const long double a = 2 * std::tanh(plain_dot(row, query)) * s / parameters.temperature * (bit ? 1 : -1);
      product *= 1 / (1 + std::exp(-a));
      error += 2 * static_cast<double>(s) / parameters.temperature * dot_error(row, query) +
               gamma_of(8 * std::abs(static_cast<double>(a)) + 4);
    }
    score.value += product;
    worst = std::max(worst, error);
  }
  score.relative_error = worst + gamma_of(real(hyperplanes.planes + hyperplanes.tables));
  return score;
}

// Codes of one key in every table, [tables].
inline std::vector<std::uint32_t> codes_of_key(const KeyCodes& codes, Index key) {
  std::vector<std::uint32_t> own;
  for (Index l = 0; l < codes.tables; ++l) own.push_back(codes.table(l)[key]);
  return own;
}

}  // namespace skt

#include "gpu/check/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/randomness.hpp"

namespace skt::gpu {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kLargestHalf = 65504;

// Multiples of 1/4 in [-1, 1]: sums of 256 of their products are exact in fp32.
float dyadic(double uniform) {
  return static_cast<float>(std::floor(uniform * 9) - 4) / 4;
}

// Row `row` of an input, [dim], by the case's kind.
std::vector<double> draw_row(const CheckCase& c, Role role, std::int64_t row) {
  std::vector<double> numbers(static_cast<std::size_t>(c.dim), 0.0);
  const DrawAddress at{role, 0, 0, static_cast<std::uint32_t>(row)};
  if (c.inputs == "dyadic" || c.inputs == "ties") {
    fill_uniform(Seed{c.seed}, at, numbers);
    for (double& x : numbers) x = dyadic(x);
    return numbers;
  }
  if (c.inputs == "zeros" && role != Role::hyperplane) return numbers;
  fill_normal(Seed{c.seed}, at, numbers);
  // `large`: near the top of what fp16 holds for values, so that norms exceed it; keys and queries moderate.
  const double scale = c.inputs == "large" ? (role == Role::value        ? 2e4
                                              : role == Role::hyperplane ? 1
                                                                         : 4)
                                           : 1;
  for (double& x : numbers) x *= scale;
  return numbers;
}

bool forbids(const CheckCase& c, std::int64_t batch, std::int64_t key) {
  if (c.mask == "nothing") return true;
  if (c.mask == "padding") return key >= (c.keys + batch + 1) / 2;
  if (c.mask != "random") return false;
  const DrawAddress at{Role::test_draw, 0, 0, static_cast<std::uint32_t>(key),
                       static_cast<std::uint32_t>(batch)};
  return random_uniforms(Seed{c.seed}, at)[0] < 0.5;
}

std::vector<float> draw_queries(const CheckCase& c) {
  std::vector<float> numbers;
  for (std::int64_t row = 0; row < c.batch * c.heads; ++row) {
    for (const double x : draw_row(c, Role::query, row))
      numbers.push_back(round_to(c.element_type(), float(x)));
  }
  return numbers;
}

std::vector<float> draw_cache(const CheckCase& c, Role role) {
  std::vector<float> numbers;
  for (std::int64_t row = 0; row < c.batch * c.kv_heads * c.capacity; ++row) {
    const std::int64_t key = row % c.capacity;
    const std::int64_t batch = row / c.capacity / c.kv_heads;
    if (key >= c.keys || forbids(c, batch, key)) {
      numbers.insert(numbers.end(), static_cast<std::size_t>(c.dim), kNan);
      continue;
    }
    for (const double x : draw_row(c, role, row)) {
      numbers.push_back(
          round_to(c.element_type(), static_cast<float>(std::clamp(x, -kLargestHalf, kLargestHalf))));
    }
  }
  return numbers;
}

}  // namespace

Problem make_problem(const CheckCase& c) {
  Problem problem;
  problem.queries = draw_queries(c);
  problem.keys = draw_cache(c, Role::key);
  problem.values = draw_cache(c, Role::value);
  for (std::int64_t row = 0; row < c.tables * c.planes; ++row) {
    for (const double x : draw_row(c, Role::hyperplane, row))
      problem.hyperplanes.push_back(static_cast<float>(x));
  }
  if (c.mask == "none") return problem;
  for (std::int64_t batch = 0; batch < c.batch; ++batch) {
    for (std::int64_t key = 0; key < c.capacity; ++key) {
      problem.allowed.push_back(key < c.keys && !forbids(c, batch, key) ? 1 : 0);
    }
  }
  return problem;
}

std::vector<float> make_scores(const CheckCase& c) {
  std::vector<float> scores;
  for (std::int64_t row = 0; row < c.batch * c.heads; ++row) {
    for (std::int64_t key = 0; key < c.capacity; ++key) {
      const DrawAddress at{Role::test_draw, 1, 0, static_cast<std::uint32_t>(key),
                           static_cast<std::uint32_t>(row)};
      const double u = random_uniforms(Seed{c.seed}, at)[0];
      float score = static_cast<float>(std::log(u));  // all octaves below 0
      if (c.inputs == "ties") score = static_cast<float>(std::floor(8 * u));
      if (c.inputs == "zeros") score = u < 0.5 ? -0.0f : 0.0f;
      if (c.inputs == "low-contrast") score = 1 + static_cast<float>(std::floor(64 * u)) * 0x1p-23f;
      if (c.inputs == "large")
        score = static_cast<float>(std::ldexp(u - 0.5, static_cast<int>(1e4 * u) % 250 - 125));
      const bool used = key < c.keys && !forbids(c, row / c.heads, key);
      scores.push_back(used ? score : key < c.keys ? -std::numeric_limits<float>::infinity() : kNan);
    }
  }
  return scores;
}

bool is_allowed(const CheckCase& c, const Problem& problem, std::int64_t batch, std::int64_t key) {
  return problem.allowed.empty() || problem.allowed[static_cast<std::size_t>(batch * c.capacity + key)] != 0;
}

Vector row_of(const std::vector<float>& numbers, std::int64_t row, std::int64_t dim) {
  return Eigen::Map<const Eigen::VectorXf>(numbers.data() + row * dim, dim).cast<double>();
}

Hyperplanes double_hyperplanes(const CheckCase& c, const Problem& problem) {
  Hyperplanes hyperplanes{c.tables, c.planes, c.dim, Matrix(c.tables * c.planes, c.dim)};
  for (Index row = 0; row < c.tables * c.planes; ++row) {
    hyperplanes.rows.row(row) = row_of(problem.hyperplanes, row, c.dim);
  }
  return hyperplanes;
}

float temperature_of(const CheckCase& c) {
  return static_cast<float>(c.temperature);
}

}  // namespace skt::gpu

#include "gpu/check/references/signed_scores.hpp"

#include <cmath>

#include "gpu/check/references/host_twin.hpp"
#include "gpu/functors/half_table.hpp"
#include "sim/number.hpp"
#include "tests/catch.hpp"

using namespace skt;
using namespace skt::gpu;

namespace {

// The sum over all bits of sign(w.k) (w.q) in fp32, in order, of the first query head and a key of its kv head.
float single_precision_sum(const CheckCase& c, const Problem& problem, std::int64_t key) {
  float sum = 0;
  for (std::int64_t bit = 0; bit < c.tables * c.planes; ++bit) {
    float of_query = 0;
    double of_key = 0;
    for (std::int64_t d = 0; d < c.dim; ++d) {
      const float w = problem.hyperplanes[bit * c.dim + d];
      of_query = std::fma(w, problem.queries[d], of_query);
      of_key += double{w} * problem.keys[key * c.dim + d];
    }
    sum += (of_key >= 0 ? 1.0f : -1.0f) * inverse_sqrt_dim(c) * of_query;
  }
  return sum;
}

std::vector<std::int16_t> codes_of(const CheckCase& c, const Problem& problem, std::int64_t key) {
  const Vector projections = double_hyperplanes(c, problem).rows * row_of(problem.keys, key, c.dim);
  std::vector<std::int16_t> codes;
  for (std::int64_t table = 0; table < c.tables; ++table) {
    int code = 0;
    for (std::int64_t plane = 0; plane < c.planes; ++plane)
      code = 2 * code + (projections[table * c.planes + plane] >= 0 ? 1 : 0);
    codes.push_back(static_cast<std::int16_t>(code));
  }
  return codes;
}

}  // namespace

TEST_CASE("a signed sum in fp32 lies within its bound of the one in double, one with a bit flipped does not",
          "[unit][gpu]") {
  CheckCase c;
  c.operation = Operation::score_signed;
  c.tables = 6;
  c.planes = GENERATE(as<std::int64_t>{}, 8, 16);
  c.keys = 20;
  const Problem problem = make_problem(c);
  const SignedProjections exact = signed_projections(c, problem, double_hyperplanes(c, problem), 0);
  // A sum in order of dim, where the kernel's has dim / 32 + 5 additions.
  const double error = signed_sum_error(c, exact) * real(c.dim);

  for (std::int64_t key = 0; key < c.keys; ++key) {
    std::vector<std::int16_t> codes = codes_of(c, problem, key);
    const double sum = single_precision_sum(c, problem, key);
    CHECK(std::abs(signed_sum(c, exact, codes) - sum) <= error);
    codes[3] = static_cast<std::int16_t>(codes[3] ^ 1);
    CHECK(!(std::abs(signed_sum(c, exact, codes) - sum) <= error));
  }
}

namespace {

// Half sums of the first query head in the kernels' order: coordinates to 32 lanes, the lanes by a butterfly, planes in
// order within each half.
std::vector<float> half_sums_of(const CheckCase& c, const Problem& problem) {
  const auto planes = static_cast<int>(c.planes);
  std::vector<float> half_sums;
  for (std::int64_t table = 0; table < c.tables; ++table) {
    std::vector<float> contributions;
    for (std::int64_t plane = 0; plane < c.planes; ++plane) {
      const float* w = problem.hyperplanes.data() + (table * c.planes + plane) * c.dim;
      float lanes[32] = {};
      for (std::int64_t d = 0; d < c.dim; ++d) {
        lanes[d % 32] = std::fma(problem.queries[d], w[d], lanes[d % 32]);
      }
      for (int distance = 16; distance > 0; distance /= 2) {
        for (int lane = 0; lane < distance; ++lane) lanes[lane] += lanes[lane + distance];
      }
      contributions.push_back(-(inverse_sqrt_dim(c) * lanes[0]));
      contributions.push_back(inverse_sqrt_dim(c) * lanes[0]);
    }
    for (int entry = 0; entry < half_table_entries(planes); ++entry) {
      half_sums.push_back(
          joined_entry(contributions.data(), planes, entry, 0.0f, [](float a, float b) { return a + b; }));
    }
  }
  return half_sums;
}

// The score of a key whose bits are all set, tables in order.
float kernel_sum(const CheckCase& c, const Problem& problem) {
  const std::vector<std::int16_t> codes(c.tables, static_cast<std::int16_t>((1 << c.planes) - 1));
  return twin_signed_score(half_sums_of(c, problem), codes, c.planes, 1);
}

// The error of kernel_sum() over its bound.
double error_over_bound(const CheckCase& c, const Problem& problem) {
  const SignedProjections exact = signed_projections(c, problem, double_hyperplanes(c, problem), 0);
  const std::vector<std::int16_t> codes(c.tables, static_cast<std::int16_t>((1 << c.planes) - 1));
  return std::abs(signed_sum(c, exact, codes) - double{kernel_sum(c, problem)}) / signed_sum_error(c, exact);
}

CheckCase sized(std::int64_t tables, std::int64_t planes, std::int64_t dim) {
  CheckCase c;
  c.operation = Operation::score_signed;
  c.tables = tables;
  c.planes = planes;
  c.dim = dim;
  return c;
}

// 1, and wherever the kernel adds to it a number that is lost: a little less than half of its last place.
Problem lost_additions(const CheckCase& c) {
  constexpr float lost = 0x1.fffffep-25f;
  Problem problem;
  problem.queries.assign(c.dim, 1);
  problem.hyperplanes.assign(c.tables * c.planes * c.dim, 0);
  const auto at = [&](std::int64_t table, std::int64_t plane, std::int64_t d) -> float& {
    return problem.hyperplanes[(table * c.planes + plane) * c.dim + d];
  };
  at(0, 0, 0) = 1;
  for (std::int64_t d = 32; d < c.dim; d += 32) at(0, 0, d) = lost;
  for (const std::int64_t lane : {16, 8, 4, 2, 1}) at(0, 0, lane) = lost;
  const std::int64_t high = high_planes(static_cast<int>(c.planes));
  for (std::int64_t plane = 1; plane <= high; ++plane) at(0, plane, 0) = lost;  // the last is the low half
  for (std::int64_t table = 1; table < c.tables; ++table) at(table, 0, 0) = lost;
  return problem;
}

}  // namespace

TEST_CASE("additions that are lost come near the bound of a signed sum, along each of its sizes", "[unit][gpu]") {
  const auto nearness = [](const CheckCase& c) { return error_over_bound(c, lost_additions(c)); };

  for (const CheckCase& c : {sized(1, 4, 4096), sized(512, 4, 64)}) {
    CHECK(nearness(c) <= 1);
    CHECK(nearness(c) >= 0.9);
  }
  CHECK(nearness(sized(1, 15, 64)) <= 1);
  CHECK(nearness(sized(1, 15, 64)) >= 0.5);  // only one half of the planes adds up
}

TEST_CASE("the bound of a signed sum holds where all products are below the normal range", "[unit][gpu]") {
  const CheckCase c = sized(1, 4, 64);
  Problem problem = lost_additions(c);
  problem.queries.assign(64, 0x1.8p-50f);
  for (float& w : problem.hyperplanes) w = 0x1p-100f;  // 0.75 of the smallest number, 64 times

  CHECK(error_over_bound(c, problem) > 0);
  CHECK(error_over_bound(c, problem) <= 1);
}

TEST_CASE("rounded weights come near the bound of a signed sum of heads that share a kv head", "[unit][gpu]") {
  CheckCase c = sized(64, 4, 64);
  c.heads = 2 * c.kv_heads;
  Problem problem;
  problem.queries.assign(c.rows() * c.dim, 0);
  problem.queries[0] = 8;  // 1 / inverse_sqrt_dim
  problem.hyperplanes.assign(c.tables * c.planes * c.dim, 0);
  // The largest, 127 units of 1, and others a little less than half a unit: all become 0.
  for (std::int64_t bit = 0; bit < c.tables * c.planes; ++bit) problem.hyperplanes[bit * c.dim] = 0.499f;
  problem.hyperplanes[(c.planes - 1) * c.dim] = 127;
  const SignedProjections exact = signed_projections(c, problem, double_hyperplanes(c, problem), 0);
  const std::vector<std::int16_t> codes(c.tables, 15);
  const FixedWeights weights = twin_fixed_weights(half_sums_of(c, problem), c.tables, c.planes);
  // 127, which bf16 holds.
  const double error = std::abs(signed_sum(c, exact, codes) - double{twin_grouped_score(weights, codes, c.planes, 1)});

  CHECK(error <= signed_sum_error(c, exact));
  CHECK(error >= 0.9 * signed_sum_error(c, exact));
}

TEST_CASE("a score of heads that share a kv head is off by half a last place of bf16 at most, and by that much",
          "[unit][gpu]") {
  CheckCase c = sized(1, 4, 64);
  CHECK(signed_score_rounding(c, 3) == 3 * 0x1p-24);
  c.heads = 2 * c.kv_heads;
  const FixedWeights weights = {{127, 0, 0, 2}, 129, 1};
  const std::vector<std::int16_t> all = {0b1111};  // 129
  const float norm = 257.0f / 129;                 // 257 lies halfway between the neighbours 256 and 258
  const double off = std::abs(double{twin_grouped_score(weights, all, 4, norm)} - 257);

  CHECK(off == 1);
  CHECK(off <= signed_score_rounding(c, 257));
  CHECK(off >= 0.99 * signed_score_rounding(c, 257));
  CHECK(signed_score_rounding(c, 0x1p-133) >= 0x1p-134);  // half of the smallest number
}

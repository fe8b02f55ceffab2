#include "gpu/check/signed_reference.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace skt;
using namespace skt::gpu;

namespace {

// The sum over all bits of sign(w.k) (w.q) in fp32, in order, of the first query head and a key of its kv
// head.
float single_precision_sum(const CheckCase& c, const Problem& problem, std::int64_t key) {
  float sum = 0;
  for (std::int64_t bit = 0; bit < c.tables * c.planes; ++bit) {
    float of_query = 0;
    double of_key = 0;
    for (std::int64_t d = 0; d < c.dim; ++d) {
      const float w = problem.hyperplanes[static_cast<std::size_t>(bit * c.dim + d)];
      of_query = std::fma(w, problem.queries[static_cast<std::size_t>(d)], of_query);
      of_key += double{w} * problem.keys[static_cast<std::size_t>(key * c.dim + d)];
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
  c.operation = "score-signed";
  c.tables = 6;
  c.keys = 20;
  const Problem problem = make_problem(c);
  const SignedProjections exact = signed_projections(c, problem, double_hyperplanes(c, problem), 0);
  // A sum in order of dim, where the kernel's has dim / 32 + 5 additions.
  const double error = signed_sum_error(c, exact) * static_cast<double>(c.dim);

  for (std::int64_t key = 0; key < c.keys; ++key) {
    std::vector<std::int16_t> codes = codes_of(c, problem, key);
    const double sum = single_precision_sum(c, problem, key);
    CHECK(std::abs(signed_sum(c, exact, codes) - sum) <= error);
    codes[3] = static_cast<std::int16_t>(codes[3] ^ 1);
    CHECK(!(std::abs(signed_sum(c, exact, codes) - sum) <= error));
  }
}

TEST_CASE("the bound of a signed sum is above 0 where all numbers are below the normal range",
          "[unit][gpu]") {
  CheckCase c;
  c.operation = "decode-signed";
  c.inputs = "subnormals";
  const Problem problem = make_problem(c);

  CHECK(signed_sum_error(c, signed_projections(c, problem, double_hyperplanes(c, problem), 0)) > 0x1p-149);
}

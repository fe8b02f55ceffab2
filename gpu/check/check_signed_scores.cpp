// Do the scores by the signed projection agree with sum_i sign(w_i.k) (w_i.q) in double
// (estimators/sign_projection.hpp)?
//
// Bit for bit with the same fp32 arithmetic on the host, given the same half sums; and within the derived
// bound of double: with u = 2^-24 and A = sum_i sum_d |w_id q_d| over all bits i, a projection is off by
// (dim/32 + 5) u of its part of A, the half sums, the term and the running sum by at most (planes + tables + 3)
// u A, and the product with the norm by one rounding more.
#include <cmath>
#include <limits>

#include "gpu/check/host_twin.hpp"
#include "gpu/check/operations.hpp"
#include "gpu/check/run_check.hpp"
#include "gpu/half_table.hpp"

namespace skt::gpu {
namespace {

// w_i.q of every bit, and A.
struct Projections {
  Vector projection;
  double absolute = 0;
};

Projections exact_projections(const CheckCase& c, const Problem& problem, const Hyperplanes& hyperplanes,
                              std::int64_t row) {
  const Vector query = row_of(problem.queries, row, c.dim);
  const double scale = inverse_sqrt_dim(c);
  return {scale * (hyperplanes.rows * query),
          scale * (hyperplanes.rows.cwiseAbs() * query.cwiseAbs()).sum()};
}

double signed_sum(const CheckCase& c, const Projections& exact, const std::vector<std::int16_t>& codes) {
  double sum = 0;
  for (std::int64_t bit = 0; bit < c.tables * c.planes; ++bit) {
    const int code = codes[static_cast<std::size_t>(bit / c.planes)];
    const bool set = (code >> (c.planes - 1 - bit % c.planes)) & 1;
    sum += set ? exact.projection[bit] : -exact.projection[bit];
  }
  return sum;
}

}  // namespace

Comparison check_signed_scores(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  DeviceIndex index(c);
  index.build(library, c, device);
  const std::int64_t entries = half_table_entries(static_cast<int>(c.planes));
  DeviceArray<float> half_sums(c.batch * c.heads * c.tables * entries);
  DeviceArray<float> scores(c.batch * c.heads * c.capacity);
  half_tables(library, c, device, half_sums, SKT_HALF_SUMS);
  score_packed(library, c, device, index, half_sums, scores, SKT_SIGNED_PROJECTION);
  const std::vector<float> got = scores.to_host();
  const std::vector<float> sums = half_sums.to_host();
  const std::vector<std::int16_t> codes = index.codes.to_host();
  const std::vector<float> norms = norms_to_host(c, index.norms);
  const Hyperplanes hyperplanes = double_hyperplanes(c, problem);
  const double roundings =
      static_cast<double>(c.dim) / 32 + 5 + static_cast<double>(c.planes + c.tables + 3 + 1);
  Comparison result;
  for (std::int64_t row = 0; row < c.batch * c.heads; ++row) {
    const std::int64_t kv_row = row / c.group();
    const auto row_sums = std::span<const float>(sums).subspan(
        static_cast<std::size_t>(row * c.tables * entries), static_cast<std::size_t>(c.tables * entries));
    const Projections exact = exact_projections(c, problem, hyperplanes, row);
    for (std::int64_t key = 0; key < c.keys; ++key) {
      const std::int64_t at = row * c.capacity + key;
      const double score = got[static_cast<std::size_t>(at)];
      if (!is_allowed(c, problem, row, key)) {
        result.equal("forbidden score", at, score, -std::numeric_limits<double>::infinity());
        continue;
      }
      std::vector<std::int16_t> of_key;
      for (std::int64_t table = 0; table < c.tables; ++table) {
        of_key.push_back(codes[static_cast<std::size_t>((kv_row * c.tables + table) * c.capacity + key)]);
      }
      const float norm = norms[static_cast<std::size_t>(kv_row * c.capacity + key)];
      if (library.agreement == Agreement::bitwise)
        result.equal("score", at, score, twin_signed_score(row_sums, of_key, c.planes, norm));
      result.within("score against double", at, score, norm * signed_sum(c, exact, of_key),
                    1.01 * roundings * 0x1p-24 * exact.absolute * norm);
    }
  }
  return result;
}

}  // namespace skt::gpu

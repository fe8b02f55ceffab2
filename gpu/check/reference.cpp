#include "gpu/check/reference.hpp"

#include <cmath>

#include "estimators/soft_buckets.hpp"

namespace skt::gpu {

std::vector<ReferenceBuckets> reference_buckets(const CheckCase& c, const Problem& problem,
                                                const Hyperplanes& exact, std::int64_t row) {
  constexpr double unit = 0x1p-24;
  const Vector query = row_of(problem.queries, row, c.dim);
  const Matrix signal = query_signal(exact, query, Scaling::inverse_sqrt_dim);
  const double steepness = 2 * scaling_factor(Scaling::inverse_sqrt_dim, c.dim) / temperature_of(c);
  std::vector<ReferenceBuckets> tables;
  for (Index table = 0; table < c.tables; ++table) {
    const Vector u = signal.row(table);
    ReferenceBuckets buckets;
    buckets.probability =
        bucket_probabilities_softmax({u.data(), static_cast<std::size_t>(u.size())}, temperature_of(c));
    const Matrix terms = exact.table(table).cwiseAbs() * query.cwiseAbs();
    const double additions = static_cast<double>(c.dim) / 32 + 5;
    // A logit 2u/temperature, at most `steepness`: projection, 2 ulp of tanh, the roundings of scale, its
    // product, temperature's quotient and their fp32 inputs.
    const double logit = steepness * unit * (additions * terms.maxCoeff() + 4 + 4);
    // sigma: the logit's error, 2 ulp of exp, a sum and a quotient; then one product to a plane.
    buckets.relative_error = 1.01 * static_cast<double>(c.planes) * (logit + 7 * unit);
    tables.push_back(std::move(buckets));
  }
  return tables;
}

}  // namespace skt::gpu

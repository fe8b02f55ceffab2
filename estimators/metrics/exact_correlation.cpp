#include "estimators/metrics/exact_correlation.hpp"

#include "estimators/metrics/ranking_correlation.hpp"
#include "sim/number.hpp"

namespace skt {

std::optional<double> exact_correlation(const std::string& ranker, double bits_per_token, const HashSettings& hash,
                                        Index dim, double query_norm) {
  constexpr auto kFree = ProjectionRows::independent, kTurned = ProjectionRows::orthogonal_blocks;
  constexpr Index kNorm = 16;  // bits of a key's norm in half precision
  const auto bits = static_cast<Index>(bits_per_token);
  const double directions_only = norm_regularity(dim), tables = real(bits / hash.planes);
  if (ranker == "socket") {
    const PopulationParameters p{query_norm, hash.socket.temperature, dim, hash.planes, hash.socket.scaling};
    return directions_only * correlation_with_cosine(soft_collision(p), tables, dim);
  }
  if (ranker == "hard-lsh") return directions_only * correlation_with_cosine(hard_collision(hash.planes), tables, dim);
  if (ranker == "hamming") return directions_only * signature_correlation(bits, dim, kFree);
  if (ranker == "signature-hamming") return directions_only * signature_correlation(bits, dim, kTurned);
  if (ranker == "signed-orthogonal") return directions_only * signed_projection_correlation(bits, dim, kTurned);
  if (ranker == "signed-orthogonal-norm") return signed_projection_correlation(bits - kNorm, dim, kTurned);
  if (ranker == "signed-independent") return directions_only * signed_projection_correlation(bits, dim, kFree);
  if (ranker == "qjl") return signed_projection_correlation(bits - kNorm, dim, kFree);
  if (ranker == "random" || ranker == "value-norm") return 0;
  if (ranker == "cosine-oracle") return directions_only;
  return std::nullopt;
}

}  // namespace skt

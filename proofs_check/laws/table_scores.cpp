#include "proofs_check/laws/table_scores.hpp"

#include "sim/number.hpp"

namespace skt {

Vector rescaled_weights(const Context& context, const Instance& instance, const Hyperplanes& hyperplanes,
                        const SocketParameters& parameters) {
  const KeyCodes codes = context.estimators.hash(hyperplanes, instance.keys);
  return context.estimators.soft(hyperplanes, codes, instance.query, parameters) / real(hyperplanes.tables);
}

Vector rescaled_weights(const Context& context, const Instance& instance, const SoftSetting& setting,
                        std::uint64_t trial) {
  const Hyperplanes hyperplanes = context.estimators.draw(context.seed, static_cast<std::uint32_t>(trial),
                                                          setting.tables, setting.planes, instance.dim());
  return rescaled_weights(context, instance, hyperplanes, setting.parameters);
}

FiniteTables finite_tables(const Vector& weights, const Matrix& values) {
  const double normaliser = weights.sum();
  const Vector numerator = values.transpose() * weights;
  return {normaliser, numerator, numerator / normaliser};
}

}  // namespace skt

#include "proofs_check/inequalities/table_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimators/soft_buckets.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();

// To first order: a projection rounds at most (d + 1) |w||q| units, its logit 2 tanh(.)/(sqrt(d) tau) no more
// than that times 2/(sqrt(d) tau), and a probability that times the slope of the logistic function.
double logit_error_of(const Hyperplanes& table, const Vector& query, std::span<const double> signal,
                      double temperature) {
  double error = 0;
  for (Index p = 0; p < table.planes; ++p) {
    const double logit = 2 * signal[p] / temperature;
    const double slope = 1 / ((1 + std::exp(logit)) * (1 + std::exp(-logit)));
    const double d = real(table.dim);
    error += slope * 2 / (std::sqrt(d) * temperature) * (d + 1) * kUnit * table.rows.row(p).norm() * query.norm();
  }
  return error;
}

}  // namespace

double TableLaw::rounding() const {
  return (256 * kUnit + 2 * logit_error) * (1 + keys());
}

TableLaw table_law(const Context& context, const Instance& instance, const Hyperplanes& hyperplanes, double temperature,
                   const Vector& probability) {
  const Index n = instance.num_keys(), tables = hyperplanes.tables;
  Matrix all(n + 1, instance.dim());
  all << instance.keys, instance.query.transpose();
  const KeyCodes codes = context.estimators.hash(hyperplanes, all);
  TableLaw law{probability,
               Matrix(tables, n),
               Matrix(tables, n),
               Vector(tables),
               Vector(tables),
               Vector(tables),
               instance.values,
               Matrix(tables, hyperplanes.planes),
               temperature,
               0,
               spectral_norm(instance.values)};
  for (Index l = 0; l < tables; ++l) {
    const Hyperplanes table{1, hyperplanes.planes, hyperplanes.dim, hyperplanes.table(l)};
    const auto of_table = codes.table(l);
    KeyCodes own_codes = codes;
    own_codes.tables = 1;
    own_codes.codes.assign(of_table.begin(), of_table.end());
    law.scores.row(l) = context.estimators.soft(table, own_codes, instance.query, {temperature}).head(n).transpose();
    law.signal.row(l) = query_signal(table, instance.query, Scaling::inverse_sqrt_dim);
    const std::span<const double> signal(law.signal.row(l).data(), static_cast<std::size_t>(law.signal.cols()));
    const std::vector<double> p = bucket_probabilities_softmax(signal, temperature);
    law.logit_error = std::max(law.logit_error, logit_error_of(table, instance.query, signal, temperature));
    const std::uint32_t own = of_table[n];
    law.own(l) = p[own];
    law.missed(l) = 0;
    for (std::size_t r = 0; r < p.size(); ++r) law.missed(l) += r == own ? 0 : p[r];
    std::vector<double> held(p.size());
    for (Index j = 0; j < n; ++j) {
      const std::uint32_t code = of_table[j];
      ++held[code];
      law.collisions(l, j) = code == own ? 1 : 0;
    }
    law.fullest(l) = *std::max_element(held.begin(), held.end());
  }
  return law;
}

TableLaw table_law(const Context& context, const Instance& instance, const Hyperplanes& hyperplanes,
                   double temperature) {
  return table_law(context, instance, hyperplanes, temperature,
                   Vector::Constant(hyperplanes.tables, 1.0 / real(hyperplanes.tables)));
}

BiasCase bias_case(const TableLaw& law) {
  Population p{};
  p.soft = law.mean_scores();
  p.angular = law.mean_collisions();
  p.soft_mass = p.soft.sum();
  p.angular_mass = p.angular.sum();
  p.soft_output = law.values.transpose() * p.soft / p.soft_mass;
  p.angular_output = law.values.transpose() * p.angular / p.angular_mass;
  p.epsilon = {law.missed.dot(law.probability), law.rounding()};
  p.error = law.rounding();
  return {"a law of tables", p, law.values, law.occupancy()};
}

}  // namespace skt

#include "proofs_check/inequalities/table_law.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include "estimators/soft_buckets.hpp"
#include "estimators/weighted_output.hpp"
#include "proofs_check/rounding.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

// To first order: a projection rounds at most (d + 1) |w||q| units, its logit 2 tanh(.)/(sqrt(d) tau) no more than that
// times 2/(sqrt(d) tau), and a probability that times the slope of the logistic function.
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

// Table l of several, as if it had been drawn alone.
struct SingleTable {
  Hyperplanes hyperplanes;
  KeyCodes codes;
};

SingleTable single_table(const Hyperplanes& hyperplanes, const KeyCodes& codes, Index l) {
  SingleTable single{{1, hyperplanes.planes, hyperplanes.dim, hyperplanes.table(l)}, codes};
  const std::span<const std::uint32_t> of_table = codes.table(l);
  single.codes.tables = 1;
  single.codes.codes.assign(of_table.begin(), of_table.end());
  return single;
}

// Scores, signal and the probability inside and outside the query's bucket `own`.
void fill_probabilities(TableLaw& law, Index l, const SingleTable& table, const Vector& query, std::uint32_t own) {
  law.signal.row(l) = query_signal(table.hyperplanes, query, Scaling::inverse_sqrt_dim);
  const std::span<const double> signal(law.signal.row(l).data(), law.signal.cols());
  const std::vector<double> p = bucket_probabilities_softmax(signal, law.temperature);
  law.logit_error = std::max(law.logit_error, logit_error_of(table.hyperplanes, query, signal, law.temperature));
  law.own(l) = p[own];
  law.missed(l) = 0;
  for (Index r = 0; r < std::ssize(p); ++r) law.missed(l) += r == own ? 0 : p[r];
}

// Which keys share the query's bucket, and how many the fullest holds. The query is the last of the codes.
void fill_buckets(TableLaw& law, Index l, const SingleTable& table) {
  const std::vector<std::uint32_t>& codes = table.codes.codes;
  std::vector<double> held(std::size_t{1} << table.codes.planes);
  for (Index j = 0; j < law.scores.cols(); ++j) {
    ++held[codes[j]];
    law.collisions(l, j) = codes[j] == codes.back() ? 1 : 0;
  }
  law.fullest(l) = *std::max_element(held.begin(), held.end());
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
  TableLaw law{.probability = probability,
               .scores = Matrix(tables, n),
               .collisions = Matrix(tables, n),
               .own = Vector(tables),
               .missed = Vector(tables),
               .fullest = Vector(tables),
               .values = instance.values,
               .signal = Matrix(tables, hyperplanes.planes),
               .temperature = temperature,
               .logit_error = 0,
               .spectral = spectral_norm(instance.values)};
  for (Index l = 0; l < tables; ++l) {
    const SingleTable table = single_table(hyperplanes, codes, l);
    const Vector scores = context.estimators.soft(table.hyperplanes, table.codes, instance.query, {temperature});
    law.scores.row(l) = scores.head(n).transpose();
    fill_probabilities(law, l, table, instance.query, table.codes.codes[n]);
    fill_buckets(law, l, table);
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
  const double occupied_miss = law.fullest.cwiseProduct(law.missed).dot(law.probability);
  return {"a law of tables", p, law.values, law.occupancy(), occupied_miss};
}

}  // namespace skt

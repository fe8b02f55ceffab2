#include "estimators/error_terms/table_moments.hpp"
#include "estimators/population/weights.hpp"
#include "estimators/tables/table_sums.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::table_covariance_group {

extern const StatementGroup kGroup = {
    .question =
        "Are the exact moments those of the tables that the estimators draw? (section \"What the bounds are made "
        "of\")",
    .method =
        "N_l - y_tau D_l and D_l - Z_tau of tables drawn by the estimators under test, on 40 Gaussian keys whose "
        "values have a common part. Their mean products are compared with [V - y_tau, 1]^T C [V - y_tau, 1], where C "
        "is the covariance of the scores.",
    .power = "Variances off by a seventh."};

namespace {

constexpr Index kGroup = 64;  // tables to a trial
constexpr Index kPlanes = 2;
constexpr SocketParameters kParameters{0.3, Scaling::none};
constexpr const char* kInstance = "40 Gaussian keys, d=8 d_v=2 P=2 tau=.3";

enum Product : std::size_t { value_value, trace, value_normaliser, normaliser_normaliser, kProducts };
constexpr const char* kNames[] = {"E (N - y_tau D)_1^2", "E ||N - y_tau D||^2", "E (N - y_tau D)_1 (D - Z)",
                                  "E (D - Z)^2"};

MomentsList drawn_products(const Context& context, const Instance& instance, const TableMoments& moments) {
  return run_trials(
      context.trials(40'000) / kGroup, MomentsList(kProducts),
      [&](std::uint32_t trial, MomentsList& list) {
        const Hyperplanes drawn = context.estimators.draw(context.seed, trial, kGroup, kPlanes, instance.dim());
        const TableSums sums = table_sums(drawn, context.estimators.hash(drawn, instance.keys), instance.query,
                                          instance.values, kParameters);
        for (Index l = 0; l < kGroup; ++l) {
          const Vector residual = sums.numerators.row(l).transpose() - sums.normalisers(l) * moments.output;
          const double excess = sums.normalisers(l) - moments.mass;
          list.of[value_value].add(residual(0) * residual(0));
          list.of[trace].add(residual.squaredNorm());
          list.of[value_normaliser].add(residual(0) * excess);
          list.of[normaliser_normaliser].add(excess * excess);
        }
      },
      1);
}

using Covariance = Matrix (*)(const TableMoments&);

auto covariance_is(Covariance claimed) {
  return [claimed](const Context& context) {
    Instance instance = make_instance({.keys = 40, .dim = 8, .value_dim = 2}, context.seed, 0);
    // Values that rise with the cosine, so that a table with large scores has a large numerator too.
    instance.values.col(0) = 3 + 4 * (instance.keys * instance.query).array() / instance.query.norm();
    const TableMoments moments =
        table_moments(population_parameters(instance, kPlanes, kParameters.temperature, kParameters.scaling), instance);
    const MomentsList products = drawn_products(context, instance, moments);
    const Matrix m = claimed(moments);
    const double values[] = {m(0, 0), m(0, 0) + m(1, 1), m(0, 2), m(2, 2)};
    const double errors[] = {moments.values_error, moments.values_error, moments.cross_error, moments.normaliser_error};
    std::vector<Evidence> evidence;
    for (std::size_t i = 0; i < kProducts; ++i)
      evidence.push_back(mean({kInstance, kNames[i]}, products.of[i], equals(values[i], errors[i]),
                              {context.share(std::size_t{kProducts}), std::abs(values[trace])}));
    return evidence;
  };
}

Matrix of_the_moments(const TableMoments& moments) {
  return moments.covariance;
}
Matrix larger(const TableMoments& moments) {
  return 1.2 * moments.covariance;
}
// [V 1]^T C [V 1], the covariance of (N, D), in its place.
Matrix not_centred(const TableMoments& moments) {
  const Index dim = moments.value_dim();
  Matrix turn = Matrix::Identity(dim + 1, dim + 1);
  turn.topRightCorner(dim, 1) = moments.output;
  return turn * moments.covariance * turn.transpose();
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "OWN-M",
           .title = "Cov(N - y_tau D, D) = [V - y_tau, 1]^T C [V - y_tau, 1]",
           .source = "docs/bounds/drawn_tables.md, section What the bounds are made of",
           .scope = "one table; any keys, values, tau and P",
           .chance = Chance::random,
           .measure = covariance_is(of_the_moments),
           .mutants = {{"1.2 times", covariance_is(larger)}, {"values not centred", covariance_is(not_centred)}}}};
}

}  // namespace skt::table_covariance_group

#include "estimators/metrics/predicted_recall.hpp"

#include <map>

#include "estimators/metrics/kept_by_selection.hpp"
#include "estimators/metrics/ranking_correlation.hpp"
#include "estimators/peers/reference_rankings.hpp"
#include "estimators/prediction/soft_inclusion.hpp"
#include "sim/families.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const HashSettings kHash{.tables = 60, .planes = 8, .socket = {}, .top = 4};

KeyGeometry three_keys() {
  return {Vector{{-0.2, 0.0, 0.7}}, Vector{{1.0, 2.0, 3.0}}, Vector{{1.0, 1.0, 1.0}}, 4, 32};
}

// Of the scores of three keys over many draws of the rows.
struct SimulatedLaw {
  std::vector<Moments> score{3}, square{3};
};
template <class Weight>
SimulatedLaw simulate(const Matrix& keys, const Vector& query, Index bits, ProjectionRows rows, const ScoreLaws& laws,
                      Weight&& weight) {
  SimulatedLaw law;
  for (std::uint32_t trial = 0; trial < 20000; ++trial) {
    const Matrix w = draw_projection(Seed{5}, trial, bits, keys.cols(), rows);
    const Vector projected = (w * query).unaryExpr(weight);
    for (Index j = 0; j < 3; ++j) {
      const double score = (w * keys.row(j).transpose()).cwiseSign().dot(projected);
      law.score[j].add(score);
      law.square[j].add(std::pow(score - laws.mean[j], 2));
    }
  }
  return law;
}

}  // namespace

TEST_CASE("The laws of a signed projection are those of simulated rows", "[oracle]") {
  const Index dim = 5, bits = 8;  // a whole block and three rows of another
  const Matrix keys = normal_matrix(Seed{1}, 1, 3, dim);
  const Vector query = normal_vector(Seed{1}, 2, dim).normalized();
  const Vector cosines = (keys * query).array() / keys.rowwise().norm().array();
  for (const ProjectionRows rows : {ProjectionRows::independent, ProjectionRows::orthogonal_blocks}) {
    const ScoreLaws laws = signed_projection_laws(cosines, bits, dim, rows);
    const SimulatedLaw seen = simulate(keys, query, bits, rows, laws, [](double z) { return z; });
    for (Index j = 0; j < 3; ++j) {
      CHECK(deviations_from(laws.mean[j], seen.score[j]) <= 5.5);
      CHECK(deviations_from(laws.deviation[j] * laws.deviation[j], seen.square[j]) <= 5.5);
    }
  }
}

TEST_CASE("The law of a signature is that of simulated rows, to first order in 1/dim", "[oracle]") {
  const Index dim = 12, bits = 12;
  const Matrix keys = normal_matrix(Seed{1}, 3, 3, dim);
  const Vector query = normal_vector(Seed{1}, 4, dim).normalized();
  const Vector cosines = (keys * query).array() / keys.rowwise().norm().array();
  const ScoreLaws laws = signature_laws(cosines, bits, dim);
  // Signs of +-1 count twice the equal ones less all.
  ScoreLaws of_signs = laws;
  of_signs.mean = 2 * laws.mean.array() - real(bits);
  const SimulatedLaw seen = simulate(keys, query, bits, ProjectionRows::orthogonal_blocks, of_signs,
                                     [](double z) { return z < 0 ? -1.0 : 1.0; });
  for (Index j = 0; j < 3; ++j) {
    CHECK(deviations_from(of_signs.mean[j], seen.score[j]) <= 5.5);
    // 132 ordered pairs of bits; each covariance, (4/pi^2)/dim in size, to a relative error of order 1/dim.
    const double variance = 4 * laws.deviation[j] * laws.deviation[j];
    CHECK(std::abs(seen.square[j].mean() - variance) <=
          5.5 * seen.square[j].deviation_of_mean() + 132 * 4 / (kPi * kPi) / (dim * dim));
  }
}

TEST_CASE("Averaged over directions the laws have the correlation that is known exactly", "[oracle]") {
  const Index dim = 32, bits = 80;
  const auto part = [&](ProjectionRows rows) {
    const auto law = [=](double rho) { return signed_projection_laws(Vector{{rho}}, bits, dim, rows); };
    return ScorePart{[=](double rho) { return law(rho).mean[0]; },
                     [=](double rho) { return std::pow(law(rho).deviation[0], 2); }};
  };
  for (const ProjectionRows rows : {ProjectionRows::independent, ProjectionRows::orthogonal_blocks}) {
    CHECK(correlation_with_cosine(part(rows), 1, dim) ==
          Approx(signed_projection_correlation(bits, dim, rows)).epsilon(1e-10));
  }
  const auto law = [=](double rho) { return signature_laws(Vector{{rho}}, bits, dim); };
  const ScorePart signature{[=](double rho) { return law(rho).mean[0]; },
                            [=](double rho) { return std::pow(law(rho).deviation[0], 2); }};
  CHECK(correlation_with_cosine(signature, 1, dim) ==
        Approx(signature_correlation(bits, dim, ProjectionRows::orthogonal_blocks)).epsilon(1e-10));
}

TEST_CASE("A name stands for the law of its scores", "[unit]") {
  const KeyGeometry g = three_keys();
  const auto at = [&](const std::string& ranker, double bits) {
    return (*predicted_inclusion(ranker, bits, kHash, g))(1);
  };
  const PopulationParameters p{4, 0.5, 32, 8, Scaling::inverse_sqrt_dim};

  CHECK(at("socket", 480) == soft_inclusion(g.cosines, g.value_norms, p, 60)(1));
  CHECK(at("socket-value", 496) == at("socket", 480));  // all values have norm 1
  CHECK(at("random", 0).isApprox(Vector::Constant(3, 1 / 3.0), 1e-12));
  const Vector agreement{{1 - std::acos(-0.2) / kPi, 0.5, 1 - std::acos(0.7) / kPi}};
  CHECK(at("hamming", 480).isApprox(inclusion_by_counts(agreement, 480, 1), 1e-10));
  CHECK(at("hard-lsh", 480).isApprox(inclusion_by_counts(agreement.array().pow(8), 60, 1), 1e-10));
  // A norm takes 16 of a token's bits: where all keys have norm 1, the rest has the law without one.
  KeyGeometry unit = g;
  unit.key_norms.setOnes();
  const auto with_norm = [&](const std::string& ranker) { return (*predicted_inclusion(ranker, 144, kHash, unit))(1); };
  CHECK(with_norm("qjl") == at("signed-independent", 128));
  CHECK(with_norm("signed-orthogonal-norm") == at("signed-orthogonal", 128));
  CHECK(with_norm("qjl") != at("signed-independent", 144));
  // The norm of the third key, three times as long, makes it surer.
  CHECK(at("qjl", 144)[2] > at("signed-independent", 128)[2]);
  CHECK(at("signed-orthogonal", 128)[2] > at("signed-independent", 128)[2]);
  for (const char* name : {"rabitq", "quest", "value-norm", "cosine-oracle", "no such ranker"})
    CHECK(!predicted_inclusion(name, 128, kHash, g).has_value());
}

TEST_CASE("Each ranker recalls what its law predicts, on keys of two families", "[oracle]") {
  const auto family = GENERATE(InstanceFamily::gaussian, InstanceFamily::anisotropic);
  std::map<std::string, Moments> gap;
  for (std::uint32_t trial = 0; trial < 16; ++trial) {
    FamilyParameters parameters{.family = family, .keys = 1024, .dim = 64};
    const Instance instance = make_instance(parameters, Seed{1}, trial);
    const KeyGeometry geometry = key_geometry(instance);
    const DenseTruth truth(instance, random_scores(1024, Seed{6}, trial));
    const RankerInput input{instance.keys, instance.values, instance.keys, Seed{7}, trial};
    for (const RankerGroup& group : {hash_rankers(kHash), signature_rankers(128)}) {
      for (const Ranking& ranking : group(input)) {
        const auto law = predicted_inclusion(ranking.name, ranking.bits_per_token, kHash, geometry);
        if (!law) continue;
        const Vector pi = (*law)(128);
        double predicted = 0;
        for (Index at = 0; at < 128; ++at) predicted += pi[truth.order()[at]] / 128;
        const auto order = order_by_score(ranking.scores(instance.query), truth.tickets());
        gap[ranking.name].add(truth.kept_of_first(order, 128, 128).recall - predicted);
      }
    }
  }

  CHECK(gap.size() == 9);
  for (const auto& [name, difference] : gap) {
    INFO(name);  // within the .02 that is claimed of larger instances, and five deviations of the mean
    CHECK(std::abs(difference.mean()) <= 0.02 + 5 * difference.deviation_of_mean());
  }
}

TEST_CASE("The geometry of an instance is its angles and norms", "[unit]") {
  Instance instance{"", Vector{{3.0, 4.0}}, Matrix(2, 2), Matrix(2, 1)};
  instance.keys << 6, 8, -4, 3;
  instance.values << 2, -7;
  const KeyGeometry g = key_geometry(instance);

  CHECK(g.cosines.isApprox(Vector{{1.0, 0.0}}, 1e-15));
  CHECK(g.key_norms == Vector{{10.0, 5.0}});
  CHECK(g.value_norms == Vector{{2.0, 7.0}});
  CHECK(g.query_norm == 5);
  CHECK(g.dim == 2);
  CHECK_THROWS_AS(signed_projection_laws(g.cosines, 4, 1, ProjectionRows::independent), InputError);
  CHECK_THROWS_AS(signature_laws(g.cosines, 4, 1), InputError);
}

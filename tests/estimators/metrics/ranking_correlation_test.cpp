#include "estimators/metrics/ranking_correlation.hpp"

#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

constexpr double kQuadrature = 1e-11;  // ten times the relative accuracy asked of each integral

// Sample correlation of independent pairs and its deviation by the delta method on the second moments.
struct SampleCorrelation {
  double value = 0;
  double deviation = 0;
};
SampleCorrelation sample_correlation(const Vector& x, const Vector& y) {
  const Eigen::ArrayXd a = x.array() - x.mean(), b = y.array() - y.mean();
  const double va = a.square().mean(), vb = b.square().mean(), r = (a * b).mean() / std::sqrt(va * vb);
  const Eigen::ArrayXd influence = a * b / std::sqrt(va * vb) - r / 2 * (a.square() / va + b.square() / vb);
  return {r, std::sqrt(influence.square().mean() / double(x.size()))};
}

}  // namespace

TEST_CASE("The cosine itself correlates perfectly, and noise divides by its draws", "[unit]") {
  const ScorePart exact{[](double rho) { return 3 * rho - 1; }, [](double) { return 0.0; }};
  const ScorePart noisy{[](double rho) { return rho; }, [](double) { return 2.0; }};
  const Index dim = 10;

  CHECK(std::abs(correlation_with_cosine(exact, 1, dim) - 1) <= kQuadrature);
  // Var rho = 1/10, noise 2/5: 1/sqrt(1 + 4).
  CHECK(std::abs(correlation_with_cosine(noisy, 5, dim) - 1 / std::sqrt(5.0)) <= kQuadrature);
}

TEST_CASE("On the circle the integrals have closed forms", "[unit]") {
  // rho = sin t, t uniform on (-pi/2, pi/2): E[rho (2/pi) t] = 4/pi^2, E[((2/pi) t)^2] = 1/3, E rho^2 = 1/2.
  const double bits = 6;
  const double expected = (4 / (kPi * kPi)) / std::sqrt(0.5 * (1 / 3.0 + (1 - 1 / 3.0) / bits));

  CHECK(std::abs(correlation_with_cosine(signature_bit(), bits, 2) - expected) <= kQuadrature);
}

TEST_CASE("Independent signed projections are the average of their parts", "[unit]") {
  const double c2 = 2 / kPi;
  const ScorePart part{[=](double rho) { return std::sqrt(c2) * rho; }, [=](double rho) { return 1 - c2 * rho * rho; }};

  for (const Index bits : {1, 7, 600}) {
    const double closed = signed_projection_correlation(bits, 128, ProjectionRows::independent);
    CHECK(std::abs(correlation_with_cosine(part, double(bits), 128) - closed) <= kQuadrature);
  }
}

TEST_CASE("A whole orthogonal block of signs correlates by its gain, the limit of Lemma 6", "[unit]") {
  const double block = signed_projection_correlation(128, 128, ProjectionRows::orthogonal_blocks);

  CHECK(std::abs(block - projection_gain(ProjectionRows::orthogonal_blocks, 128)) <= 8e-16);
  CHECK(std::abs(block * norm_regularity(128) - std::sqrt(2 / kPi)) <= 1e-13);  // lgamma of 64: 1e-15 * 200
}

TEST_CASE("Independent signatures are the average of their bits", "[unit]") {
  for (const Index bits : {1, 7, 600}) {
    const double closed = signature_correlation(bits, 128, ProjectionRows::independent);
    CHECK(std::abs(correlation_with_cosine(signature_bit(), double(bits), 128) - closed) <= kQuadrature);
  }
}

TEST_CASE("Simulated correlations over keys and rows are the closed ones", "[unit]") {
  const Index dim = 6, bits = 9, draws = 20000;
  const auto rows = GENERATE(ProjectionRows::independent, ProjectionRows::orthogonal_blocks);
  const Vector q = normal_vector(Seed{1}, 0, dim);
  const Matrix keys = normal_matrix(Seed{1}, 1, draws, dim);
  Vector truth(draws), score(draws), agreement(draws);

  for (Index j = 0; j < draws; ++j) {
    const Matrix w = draw_projection(Seed{2}, std::uint32_t(j), bits, dim, rows);
    const Vector signs = (w * keys.row(j).transpose()).cwiseSign();
    truth(j) = keys.row(j).dot(q);
    score(j) = keys.row(j).norm() * signs.dot(w * q);
    agreement(j) = keys.row(j).norm() * signs.dot((w * q).cwiseSign());
  }

  const SampleCorrelation seen = sample_correlation(truth, score);
  const double expected = signed_projection_correlation(bits, dim, rows);
  const SampleCorrelation hamming = sample_correlation(truth, agreement);
  const double of_signs = signature_correlation(bits, dim, rows);
  CHECK(std::abs(seen.value - expected) <= two_sided_normal(1e-6) * seen.deviation);
  CHECK(std::abs(hamming.value - of_signs) <= two_sided_normal(1e-6) * hamming.deviation);
}

TEST_CASE("The soft collision tends to the hard one, and more tables never correlate less", "[unit]") {
  const PopulationParameters cold{.query_norm = 1, .temperature = 1e-5, .dim = 16, .planes = 4};
  const PopulationParameters warm{.query_norm = 4, .temperature = 0.3, .dim = 16, .planes = 4};

  // The soft weight differs from the hard one by O((tau sqrt(dim)/|q|)^2) away from rho = 1.
  const double soft = correlation_with_cosine(soft_collision(cold), 10, 16);
  CHECK(std::abs(soft - correlation_with_cosine(hard_collision(4), 10, 16)) <= 1e-4);
  double before = 0;
  for (const double tables : {1.0, 4.0, 16.0, 256.0}) {
    const double now = correlation_with_cosine(soft_collision(warm), tables, 16);
    CHECK(now > before);
    before = now;
  }
}

TEST_CASE("What bits allow by hand: half a bit a coordinate, and two", "[unit]") {
  CHECK(std::abs(most_correlation(64, 128) - std::sqrt(0.5)) <= 1e-15);     // 1 - 2^-1
  CHECK(std::abs(most_correlation(128, 64) - std::sqrt(15) / 4) <= 1e-15);  // 1 - 2^-4
  CHECK(most_correlation(0, 5) == 0);
  CHECK_THROWS_AS(most_correlation(-1, 4), InputError);
  CHECK_THROWS_AS(most_correlation(1, 0), InputError);
}

TEST_CASE("What bits allow a list: a recall of 3/4 of half of the keys takes 1 - h(1/4) bits a coordinate", "[unit]") {
  constexpr Index kMany = Index{1} << 50;
  const double information = 1 - (2 - 0.75 * std::log2(3.0));  // 0.188722
  CHECK(most_recall(128 * information, 128, kMany / 2, kMany) == Approx(0.75).epsilon(1e-9));
  CHECK(most_recall(0, 128, kMany / 2, kMany) == Approx(0.5).epsilon(1e-4));  // chance, at a root of the slack
  CHECK(most_recall(64, 64, kMany / 2, kMany) == 1);
  // A tenth at random needs nothing; all of it the entropy of a tenth, .468996 bits.
  CHECK(most_recall(0.468 * 64, 64, kMany / 10, kMany) < 1);
  CHECK(most_recall(0.47 * 64, 64, kMany / 10, kMany) == 1);
  CHECK_THROWS_AS(most_recall(1, 4, 5, 4), InputError);
}

TEST_CASE("What signs of planes allow by hand: one plane, and the circle", "[unit]") {
  // One sign, weighted or not: E|cos| = 2/pi on the circle, times sqrt(d) over the deviation 1/sqrt(2) of rho.
  CHECK(std::abs(weighted_signs_limit(1, 2) - 2 / kPi) <= 1e-15);
  // 4 planes, c^2 = 4/pi^2: 4 c^2/(1 + 3 c^2).
  const double c2 = 4 / (kPi * kPi);
  CHECK(std::abs(weighted_signs_limit(4, 2) - std::sqrt(4 * c2 / (1 + 3 * c2))) <= 1e-15);
  // The cosines of planes and query as weights reach it: mean c sqrt(d) E cos^2 = c rho/.., as a part of a score.
  for (const Index dim : {2, 9, 128}) {
    const double gain = projection_gain(ProjectionRows::orthogonal_blocks, dim) / std::sqrt(double(dim));
    const ScorePart part{[=](double rho) { return gain * rho; },
                         [=](double rho) { return 1 / double(dim) - gain * gain * rho * rho; }};
    CHECK(std::abs(weighted_signs_limit(7, dim) / correlation_with_cosine(part, 7, dim) - 1) <= kQuadrature);
  }
  // Of the product limit, by a sum over a million angles: 2/pi d/(d-1)^2 E (1 - rho^2)/(1 - (2/pi) asin rho^2).
  const int steps = 1'000'000;
  double mass = 0, sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double t = kPi * (i + 0.5) / steps, density = std::pow(std::sin(t), 6), square = std::pow(std::cos(t), 2);
    mass += density;
    sum += density * (1 - square) / (1 - 2 / kPi * std::asin(square));
  }
  const double n_gain = 12 * 2 / kPi * 8 / 49.0 * sum / mass;  // d = 8, 12 planes
  CHECK(std::abs(product_score_limit(12, 8) - std::sqrt(n_gain / (1 + n_gain))) <= 1e-9);
}

// Numbers of the evidence, worked out by a second route: a claim may hold with room, so that its verdict alone does not
// show that what was measured is what is claimed.
#include <array>
#include <cmath>
#include <numbers>

#include "proofs_check/run.hpp"
#include "proofs_check/statements.hpp"
#include "proofs_check/statements/whole_theorem/printed_tables.hpp"
#include "sim/number.hpp"
#include "tests/catch.hpp"
#include "tests/normal_draws.hpp"

using namespace skt;

namespace {

std::vector<Evidence> evidence_of(const std::string& id) {
  return run_statements(all_statements(), {.profile = Profile::smoke, .only = {id}}).front().evidence;
}

// The least t with P(|2 H/samples - 1| > t) <= delta, H ~ Bin(samples, 1/2): by Pascal's rule.
double quantile_of_mean_sign(Index samples, double delta) {
  std::vector<double> law{1};
  for (Index n = 1; n <= samples; ++n) {
    law.push_back(0);
    for (Index h = n; h >= 0; --h) law[h] = (law[h] + (h > 0 ? law[h - 1] : 0)) / 2;
  }
  double beyond = 0;
  for (Index h = 0; 2 * h < samples; ++h) {
    if (beyond + 2 * law[h] > delta) return 1 - 2 * real(h) / real(samples);
    beyond += 2 * law[h];
  }
  return 0;
}

// The least ratio over M of sqrt(8 S^2 log(2/.05)/M) to the quantile of a mean of M signs.
double tightest_tail_bound(double squared_scale) {
  double least = HUGE_VAL;
  for (const Index m : {1, 2, 3, 4, 5, 8, 12, 20, 40, 100, 200, 400}) {
    const double radius = std::sqrt(8 * squared_scale * std::log(40.0) / real(m));
    least = std::min(least, radius / quantile_of_mean_sign(m, 0.05));
  }
  return least;
}

constexpr Index kPlanes = 8, kTables = 400'000, kBlock = 4'000;
struct Pair {
  double first, second;  // the cosines of two keys to the query
};

// Of s_1 - s_2 in one table, in the three dimensions that query and keys span; |q| = sqrt(128), tau sqrt(d) as in
// d = 128 with tau = .5.
double simulated_soft_snr(const Pair& cosines) {
  const double norm = std::sqrt(128.0), strength = 1 / (0.5 * std::sqrt(128.0));
  const std::array<Vector, 2> keys{
      Vector{{cosines.first, std::sqrt(1 - cosines.first * cosines.first), 0}},
      Vector{{cosines.second, 0, std::sqrt(1 - cosines.second * cosines.second)}},
  };
  Moments difference;
  for (Index block = 0; block < kTables / kBlock; ++block) {
    const Matrix planes = normal_matrix(Seed{61}, static_cast<std::uint32_t>(block), kBlock * kPlanes, 3);
    for (Index table = 0; table < kBlock; ++table) {
      double score[2] = {1, 1};
      for (Index plane = 0; plane < kPlanes; ++plane) {
        const auto w = planes.row(table * kPlanes + plane);
        const double logit = 2 * strength * std::tanh(norm * w(0));
        for (int k = 0; k < 2; ++k) score[k] /= 1 + std::exp(w.dot(keys[k]) >= 0 ? -logit : logit);
      }
      difference.add(score[0] - score[1]);
    }
  }
  return difference.mean() / std::sqrt(difference.variance());
}

// Sheppard: two vectors agree on a plane with probability 1 - angle/pi, three with 1 - (sum of angles)/(2 pi).
double hard_snr_by_angles(const Pair& cosines) {
  const double pi = std::numbers::pi, one = std::acos(cosines.first), two = std::acos(cosines.second);
  const double between = std::acos(cosines.first * cosines.second);
  const double a = std::pow(1 - one / pi, kPlanes), b = std::pow(1 - two / pi, kPlanes);
  const double both = std::pow(1 - (one + two + between) / (2 * pi), kPlanes);
  return (a - b) / std::sqrt(a + b - 2 * both - (a - b) * (a - b));
}

// Sums of the columns, in hundredths, which are whole.
std::vector<long> column_sums(const std::vector<PrintedRow>& table) {
  std::vector<long> sums(table.front().scores.size());
  for (const PrintedRow& row : table)
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += std::lround(100 * row.scores[c]);
  return sums;
}

}  // namespace

TEST_CASE("The exponents of the sampling tails are those claimed, on a mean of signs", "[statement]") {
  // Values 1 and -1 of equal weight: S1 = 1, |V| = sqrt 2.
  CHECK(evidence_of("S002-E30-sharper").front().bound_over_quantile.value() == Approx(tightest_tail_bound(1)));
  CHECK(evidence_of("S002-E30").front().bound_over_quantile.value() == Approx(tightest_tail_bound(2)));
}

TEST_CASE("The signal-to-noise ratios of soft and hard are those of simulated tables", "[statement]") {
  const std::vector<Evidence> evidence = evidence_of("S002-SNR");
  const std::array<Pair, 2> pairs{Pair{0.3, 0.2}, Pair{0.9999, 0.5}};
  REQUIRE(evidence.size() == pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double snr = simulated_soft_snr(pairs[i]), hard = hard_snr_by_angles(pairs[i]);
    // Of a mean over a deviation: (1 + snr^2/2)/n for normal samples, of these no more than twice that.
    const double deviation = std::sqrt((2 + snr * snr) / real(kTables));
    INFO("cosines " << pairs[i].first << ", " << pairs[i].second);
    CHECK(std::abs(evidence[i].observed.lo - snr / hard) <= 5 * deviation / hard);
  }
}

TEST_CASE("The printed tables add up as their pages do", "[unit]") {
  CHECK(column_sums(printed_table_1()) == std::vector<long>{164200, 154800, 189980, 207680, 165800, 114100});
  CHECK(column_sums(printed_table_2()) == std::vector<long>{22299, 31828, 37555, 38074, 34213, 18931, 24526, 17309,
                                                            19067, 42028, 58069, 21347, 5818, 69843, 34393});
  CHECK(column_sums(printed_table_3()) == std::vector<long>{9886, 18287, 24373, 23527, 15260, 12558, 22735, 15876,
                                                            17789, 9945, 59772, 29763, 5600, 69684, 7368});
  CHECK(column_sums(printed_table_4()) == std::vector<long>{10055, 18284, 27064, 20627, 20637, 7360, 19519, 14811,
                                                            17395, 27679, 48571, 6390, 2200, 3000, 21293});
}

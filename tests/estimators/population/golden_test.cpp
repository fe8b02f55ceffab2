// Frozen values of the population oracle to their printed digits: half a unit of the last one, plus the error the
// oracle claims. They come from graded 24- and 40-point Gauss-Legendre rules and scipy's bivariate normal.
#include <cmath>

#include "estimators/population/pair_moment.hpp"
#include "estimators/population/population.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

const double kRoot128 = std::sqrt(128.0);
constexpr double kHalf14 = 0.5e-14, kHalf12 = 0.5e-12;

bool agrees(const Estimate& estimate, double printed, double half_unit) {
  return std::abs(estimate.value - printed) <= half_unit + estimate.error && estimate.error <= 1e-12 * estimate.value;
}

}  // namespace

TEST_CASE("plane moments and epsilon reproduce the golden values", "[oracle]") {
  struct Row {
    double norm, temperature;
    Index dim, planes;
    double g_half, g2_half, g_one, epsilon;
  };
  const Row rows[] = {
      {1, 1, 1, 1, .60241404635968, .42130167811880, .73766387569215, .262336124308},
      {1, .1, 16, 4, .65214820376487, .56766342220473, .88414040660865, .388938452090},
      {kRoot128, .3, 128, 8, .54756932816484, .31665963544248, .63635423807143, .973109955149},
      {kRoot128, .5, 128, 8, .52905841345285, .28617671720204, .58324522945548, .986609106316},
      {kRoot128, .7, 128, 8, .52086056999362, .27452826946417, .55975060378014, .990362673653},
      {kRoot128, .5, 128, 10, .52905841345285, .28617671720204, .58324522945548, .995444752772},
      {kRoot128, .3, 128, 12, .54756932816484, .31665963544248, .63635423807143, .995590520886},
      {kRoot128, .7, 128, 12, .52086056999362, .27452826946417, .55975060378014, .999053904780},
      {1, .3, 128, 8, .53585507958901, .29410523092656, .58062264550853, .987083294381},
      {1, .5, 128, 8, .52178015758803, .27481993761199, .54886119046800, .991764306301},
      {1, .7, 128, 12, .51561095454465, .26717195260075, .53499869021338, .999450164691},
  };
  for (const Row& row : rows) {
    const PopulationParameters p{row.norm, row.temperature, row.dim, row.planes, Scaling::inverse_sqrt_dim};
    INFO("norm " << row.norm << " tau " << row.temperature << " dim " << row.dim << " planes " << row.planes);

    CHECK(agrees(plane_agreement(p, Cosine::of(0.5)), row.g_half, kHalf14));
    CHECK(agrees(plane_second_moment(p, Cosine::of(0.5)), row.g2_half, kHalf14));
    CHECK(agrees(plane_agreement(p, Cosine::of(1)), row.g_one, kHalf14));
    CHECK(agrees(epsilon(p), row.epsilon, kHalf12));
  }
}

TEST_CASE("without the divisor sqrt(dim) the golden values are those of the undivided signal", "[oracle]") {
  const PopulationParameters cold{kRoot128, .3, 128, 12, Scaling::none}, mild{kRoot128, .5, 128, 8, Scaling::none};

  CHECK(agrees(plane_agreement(cold, Cosine::of(1)), .990955209490, kHalf12));
  CHECK(agrees(epsilon(cold), .103297663629, kHalf12));
  CHECK(agrees(plane_agreement(mild, Cosine::of(1)), .969518534993, kHalf12));
  CHECK(agrees(epsilon(mild), .219363363136, kHalf12));
}

TEST_CASE("pair moments reproduce the golden values", "[oracle]") {
  const auto h = [](double norm, Index dim, double temperature, double rho_i, double rho_j, double r) {
    return plane_pair_moment({norm, temperature, dim, 1, Scaling::inverse_sqrt_dim}, Cosine::of(rho_i),
                             Cosine::of(rho_j), Cosine::of(r));
  };

  CHECK(agrees(h(1, 16, .3, .6, .3, .5), .35105503704904, kHalf14));
  CHECK(agrees(h(4, 16, .1, .9, -.8, -.6), .17432262591738, kHalf14));
  CHECK(agrees(h(kRoot128, 128, .5, .3, .25, .1), .26594866079701, kHalf14));
}

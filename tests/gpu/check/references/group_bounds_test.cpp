#include "gpu/check/references/group_bounds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "estimators/groups/group_scores.hpp"
#include "sim/normal_rows.hpp"
#include "tests/catch.hpp"

using namespace skt;
using namespace skt::gpu;

namespace {

constexpr Index kHeads = 4, kKeys = 2000;

// As a kernel of plain fp32 computes it, from exponents that are off by what they are allowed to be.
struct Emulated {
  Eigen::MatrixXf exponents;       // [heads, keys]
  std::vector<float> normalisers;  // [heads]
  std::vector<float> scores;       // [keys]
};

float log2_sum(const float* first, Index count) {
  const float largest = *std::max_element(first, first + count);
  float sum = 0;
  for (Index j = 0; j < count; ++j) sum += std::exp2(first[j] - largest);
  return largest + std::log2(sum);
}

Emulated emulated(const Matrix& exact, const Matrix& errors, Normaliser normaliser) {
  Emulated kernel{(exact + errors).cast<float>(), {}, {}};
  for (Index h = 0; h < kHeads; ++h) {
    const std::vector<float> row(kernel.exponents.row(h).begin(), kernel.exponents.row(h).end());
    float ends = 0, sum = 0, logs = 0, largest = *std::ranges::max_element(row);
    for (const Index tile : sampled_tiles(kKeys)) {
      const Index first = tile * kTileKeys, count = std::min(kTileKeys, kKeys - first);
      const float of_tile = log2_sum(row.data() + first, count);
      const auto weight = static_cast<float>(tile_weight(tile, kKeys));
      (weight == 1 ? ends : sum) += weight * std::exp2(of_tile - largest);
      if (weight != 1) logs += of_tile / 14;
    }
    const auto tiles = static_cast<float>(14 * tile_weight(1, kKeys));
    const float between = normaliser == Normaliser::tile_logs ? tiles * std::exp2(logs - largest) : sum;
    kernel.normalisers.push_back(largest + std::log2(ends + between));
  }
  for (Index j = 0; j < kKeys; ++j) {
    float sum = 0;
    for (Index h = 0; h < kHeads; ++h) sum += std::exp2(kernel.exponents(h, j) - kernel.normalisers[h]);
    const auto bits = std::bit_cast<std::uint32_t>(sum);
    kernel.scores.push_back(std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u));
  }
  return kernel;
}

// Which way the exponents of a kernel are off.
enum class Off { at_random, sampled_keys_up };

// How many scores of keys leave their interval, where exponents are off by `times` what is told.
Index outside(double told, double times, Off off_by, Normaliser of_kernel, Normaliser of_reference) {
  const Matrix exact = 3 * normal_rows(Seed{5}, {Role::test_draw, 1}, kHeads, kKeys).array() + 20;
  Matrix errors = normal_rows(Seed{5}, {Role::test_draw, 2}, kHeads, kKeys).array().sign() * (told * times);
  if (off_by == Off::sampled_keys_up) {  // so that c is off by as much, and the other keys the other way
    errors.setConstant(-told * times);
    for (const Index tile : sampled_tiles(kKeys))
      errors.middleCols(tile * kTileKeys, std::min(kTileKeys, kKeys - tile * kTileKeys)).setConstant(told * times);
  }
  const Emulated kernel = emulated(exact, errors, of_kernel);
  const Vector c = log2_normalisers(exact, of_reference, {});
  Index found = 0;
  for (Index j = 0; j < kKeys; ++j) {
    std::vector<BoundedExponent> heads;
    for (Index h = 0; h < kHeads; ++h) {
      const double off = exponent_error(1, exact(h, j), told);
      heads.push_back({exact(h, j), off, c(h), normaliser_error(exact.row(h).cwiseAbs().maxCoeff(), off, 1024)});
    }
    const ScoreInterval interval = group_score_interval(heads, 0x1p-8);
    found += kernel.scores[j] >= interval.low && kernel.scores[j] <= interval.high ? 0 : 1;
  }
  return found;
}

}  // namespace

TEST_CASE("The interval of one head worked out by hand", "[unit]") {
  const std::array<BoundedExponent, 1> one{{{3, 0.5, 1, 0.25}}};

  const ScoreInterval interval = group_score_interval(one, 0);

  CHECK(interval.low == Approx(std::exp2(1.25)).epsilon(1e-6));
  CHECK(interval.low < std::exp2(1.25));
  CHECK(interval.high == Approx(std::exp2(2.75)).epsilon(1e-6));
  CHECK(interval.high > std::exp2(2.75));
  CHECK(group_score_interval(one, 0.5).high == Approx(1.5 * interval.high));
}

TEST_CASE("Heads add up, and one without a weight adds nothing", "[unit]") {
  const std::array<BoundedExponent, 3> heads{{{4, 0, 1, 0}, {-HUGE_VAL, 0, 0, 0}, {1, 0, 0, 0}}};

  const ScoreInterval interval = group_score_interval(heads, 0);

  CHECK(interval.low == Approx(10).epsilon(1e-6));
  CHECK(interval.high == Approx(10).epsilon(1e-6));
  CHECK(interval.low < 10);
  CHECK(interval.high > 10);
}

TEST_CASE("Errors of exponents and normalisers worked out by hand", "[unit]") {
  // Half of an error of .25, and three roundings of a product of 10.25.
  CHECK(exponent_error(-0.5, 10, 0.25) == Approx(1.01 * 0.5 * (0.25 + 3 * 0x1p-24 * 10.25)));
  CHECK(normaliser_error(30, 0.25, 1024) > 0.25);
  CHECK(normaliser_error(30, 0.25, 1024) < 0.2503);
}

TEST_CASE("Scores of an fp32 kernel with errors as told lie in their intervals", "[unit]") {
  for (const Normaliser normaliser : {Normaliser::sampled_tiles, Normaliser::tile_logs})
    for (const double told : {0.0, 1e-4, 0.3}) {
      INFO(told);
      CHECK(outside(told, 1, Off::at_random, normaliser, normaliser) == 0);
      CHECK(outside(told, 1, Off::sampled_keys_up, normaliser, normaliser) == 0);
    }
}

TEST_CASE("Scores leave their intervals where errors are larger than told, or the normaliser is another", "[unit]") {
  for (const Normaliser normaliser : {Normaliser::sampled_tiles, Normaliser::tile_logs})
    CHECK(outside(0.3, 1.1, Off::sampled_keys_up, normaliser, normaliser) > 500);
  CHECK(outside(1e-4, 1, Off::at_random, Normaliser::sampled_tiles, Normaliser::tile_logs) > 500);
}

#include "gpu/functors/half_table.hpp"

#include <algorithm>
#include <vector>

#include "estimators/soft_buckets.hpp"
#include "sim/randomness.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

// Projections W q of one table.
std::vector<double> draw_projections(int planes) {
  std::vector<double> projections(planes);
  skt::fill_normal(skt::Seed{7}, {skt::Role::test_draw, static_cast<std::uint32_t>(planes)}, projections);
  return projections;
}

template <class Real>
Real probability(const std::vector<Real>& logits, int planes, std::uint32_t code) {
  const int high_index = static_cast<int>(code >> low_planes(planes));
  const int low_index = (1 << high_planes(planes)) + static_cast<int>(code & ((1u << low_planes(planes)) - 1u));
  return half_tables_entry(logits.data(), planes, high_index) * half_tables_entry(logits.data(), planes, low_index);
}

}  // namespace

TEST_CASE("the product of two half-table entries is the softmax over all corners", "[unit][gpu]") {
  const double scale = 1 / std::sqrt(128.0);
  for (int planes = 1; planes <= 16; ++planes) {
    for (const double temperature : {0.01, 0.3, 5.0}) {
      const std::vector<double> projections = draw_projections(planes);
      std::vector<double> signal, logits;
      for (const double projection : projections) {
        signal.push_back(std::tanh(projection) * scale);
        logits.push_back(plane_logit(projection, scale, temperature));
      }

      const std::vector<double> softmax = skt::bucket_probabilities_softmax(signal, temperature);

      // Logits up to 2 scale/temperature, each off by 2 ulp; a sigma by as much and 4 roundings; planes of them.
      const double relative = planes * (2 * 2 * scale / temperature + 6) * 0x1p-52;
      double worst = 0;
      for (std::size_t code = 0; code < softmax.size(); ++code) {
        const double p = probability(logits, planes, static_cast<std::uint32_t>(code));
        worst = std::max(worst, std::abs(p - softmax[code]) / softmax[code]);
      }
      INFO("planes " << planes << ", temperature " << temperature);
      CHECK(worst <= 2 * relative);  // the softmax has an error of its own, of the same form
    }
  }
}

TEST_CASE("single precision half-tables stay within their rounding error", "[unit][gpu]") {
  const int planes = 10;
  const float scale = 0.0883883461f;  // 1/sqrt(128) to the nearest float
  const float temperature = 0.5f;
  std::vector<float> single;
  std::vector<double> exact;
  for (const double projection : draw_projections(planes)) {
    const float rounded = static_cast<float>(projection);
    single.push_back(plane_logit(rounded, scale, temperature));
    exact.push_back(plane_logit(double{rounded}, double{scale}, double{temperature}));
  }

  // A logit, at most 2 scale/temperature, has 4 roundings and 2 ulp of tanh; a sigma 4 more; a product 1.
  const double tolerance = planes * (2 * 0.0884 / 0.5 * 8 + 5) * 0x1p-24;
  for (std::uint32_t code = 0; code < 1u << planes; ++code) {
    const double p = probability(exact, planes, code);
    CHECK(std::abs(probability(single, planes, code) - p) <= tolerance * p);
  }
}

TEST_CASE("a set bit takes the sign of its plane, plane 0 the most significant", "[unit][gpu]") {
  const std::vector<double> logits = {3.0, -1.0, 0.5};

  CHECK(half_table_entry(logits.data(), 3, 0b100) == sigmoid(3.0) * sigmoid(1.0) * sigmoid(-0.5));
  CHECK(half_table_entry(logits.data(), 3, 0b011) == sigmoid(-3.0) * sigmoid(-1.0) * sigmoid(0.5));
}

TEST_CASE("an entry joined from each plane's two contributions is the entry of its logits", "[unit][gpu]") {
  for (int planes = 1; planes <= 16; ++planes) {
    const std::vector<double> logits = draw_projections(planes);
    std::vector<double> contributions;
    for (const double logit : logits) {
      contributions.push_back(sigmoid(-logit));
      contributions.push_back(sigmoid(logit));
    }

    for (int i = 0; i < half_table_entries(planes); ++i) {
      const double joined =
          joined_entry(contributions.data(), planes, i, 1.0, [](double a, double b) { return a * b; });
      CHECK(joined == half_tables_entry(logits.data(), planes, i));
    }
  }
}

TEST_CASE("half sums take the sign of each bit, plane 0 the most significant", "[unit][gpu]") {
  const std::vector<double> contributions = {-4.0, 4.0, -2.0, 2.0, -1.0, 1.0};  // 2 planes high, 1 low
  const auto entry = [&](int index) {
    return joined_entry(contributions.data(), 3, index, 0.0, [](double a, double b) { return a + b; });
  };

  CHECK(entry(0b10) == 4.0 - 2.0);
  CHECK(entry(0b01) == -4.0 + 2.0);
  CHECK(entry(4 + 0) == -1.0);
  CHECK(entry(4 + 1) == 1.0);
}

TEST_CASE("steep logits give 0 and 1, never NaN", "[unit][gpu]") {
  const float steep = plane_logit(1.0f, 1.0f, 1e-12f);

  CHECK(sigmoid(steep) == 1.0f);
  CHECK(sigmoid(-steep) == 0.0f);
}

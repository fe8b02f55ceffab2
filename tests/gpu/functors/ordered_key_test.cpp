#include "gpu/functors/ordered_key.hpp"

#include <limits>
#include <vector>

#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();
}

TEST_CASE("keys rank floats as the floats rank", "[unit][gpu]") {
  const std::vector<float> rising = {-std::numeric_limits<float>::max(),
                                     -1.0f,
                                     -std::numeric_limits<float>::min(),
                                     -std::numeric_limits<float>::denorm_min(),
                                     0.0f,
                                     std::numeric_limits<float>::denorm_min(),
                                     std::numeric_limits<float>::min(),
                                     0x1p-3f,
                                     0x1.000002p-3f,
                                     1.0f,
                                     std::numeric_limits<float>::max(),
                                     kInfinity};

  for (std::size_t i = 1; i < rising.size(); ++i) CHECK(ordered_key(rising[i - 1]) < ordered_key(rising[i]));
}

TEST_CASE("both zeros tie", "[unit][gpu]") {
  CHECK(ordered_key(-0.0f) == ordered_key(0.0f));
}

TEST_CASE("a forbidden score and NaN are never selected; any other score may be", "[unit][gpu]") {
  CHECK(ordered_key(-kInfinity) == kNeverSelected);
  CHECK(ordered_key(std::numeric_limits<float>::quiet_NaN()) == kNeverSelected);
  CHECK(ordered_key(-std::numeric_limits<float>::quiet_NaN()) == kNeverSelected);
  CHECK(ordered_key(-std::numeric_limits<float>::max()) > kNeverSelected);
  CHECK(ordered_key(kInfinity) < ~0u);  // the key of sink and window keys
}

TEST_CASE("a score reaches the number of a key exactly where its own key is at least that", "[unit][gpu]") {
  const float lowest = -std::numeric_limits<float>::max();
  const float least = std::numeric_limits<float>::denorm_min();
  std::vector<float> scores = {-kInfinity, lowest,  -1.0f,     -least,
                               -0.0f,      0.0f,    least,     0x1p-126f,
                               1.0f,       -lowest, kInfinity, std::numeric_limits<float>::quiet_NaN()};
  std::vector<std::uint32_t> keys = {1,          2,          0x007fffff, 0x00800000, 0x7ffffffe,
                                     0x7fffffff, 0x80000000, 0xff800001, ~0u - 1,    ~0u};
  for (const float score : scores) {
    for (const std::uint32_t near : {ordered_key(score) - 1, ordered_key(score), ordered_key(score) + 1}) {
      if (near - 1 < ~0u - 1) keys.push_back(near);  // neither 0 nor what wrapped to it
    }
  }

  for (const float score : scores) {
    for (const std::uint32_t key : keys) {
      INFO("score " << score << ", key " << key);
      CHECK((score >= reached_by(key)) == (ordered_key(score) >= key));
    }
  }
}

#include "gpu/ordered_key.hpp"

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

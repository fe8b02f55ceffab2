// All 256 bytes against the format's own rule, and some by hand from the specification's table.
#include "gpu/functors/e4m3.hpp"

#include <cmath>

#include "gpu/check/cases/element_type.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

float number_of(int byte) {
  return e4m3_number({static_cast<std::uint8_t>(byte)});
}

// In whole numbers: (8 + mantissa) 2^(exponent - 10), and without the 8 the steps of exponent 0.
double by_rule(int byte) {
  const int exponent = byte / 8 % 16, mantissa = byte % 8;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return byte < 128 ? magnitude : -magnitude;
}

}  // namespace

TEST_CASE("every byte is the number of its sign, exponent and mantissa, and two are NaN", "[unit][gpu]") {
  int numbers = 0;
  for (int byte = 0; byte < 256; ++byte) {
    INFO(byte);
    if (byte % 128 == 127) {
      CHECK(std::isnan(number_of(byte)));
      continue;
    }
    ++numbers;
    CHECK(number_of(byte) == by_rule(byte));
    CHECK(std::signbit(number_of(byte)) == (byte >= 128));
  }
  CHECK(numbers == 254);
}

TEST_CASE("the bytes that the specification names have its numbers", "[unit][gpu]") {
  CHECK(number_of(0x00) == 0);
  CHECK(number_of(0x01) == 0x1p-9f);
  CHECK(number_of(0x07) == 0x7p-9f);
  CHECK(number_of(0x08) == 0x1p-6f);
  CHECK(number_of(0x38) == 1);
  CHECK(number_of(0xc0) == -2);
  CHECK(number_of(0x7e) == 448);
  CHECK(number_of(0xfe) == -448);
}

TEST_CASE("numbers of bytes are exact in both 16-bit types", "[unit][gpu]") {
  for (int byte = 0; byte < 127; ++byte) {
    INFO(byte);
    CHECK(round_to(SKT_F16, number_of(byte)) == number_of(byte));
    CHECK(round_to(SKT_BF16, number_of(byte)) == number_of(byte));
  }
}

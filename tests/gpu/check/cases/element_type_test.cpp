// Rounding to the 16-bit types, to nearest and ties to even, and their bytes; bits by hand.
#include "gpu/check/cases/element_type.hpp"

#include <cmath>

#include "gpu/functors/e4m3.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("numbers round to the nearest of their type, ties to the even one", "[unit][gpu]") {
  CHECK(round_to(SKT_F16, 1 + 0x1p-11) == 1);  // between 1 and 1 + 2^-10
  CHECK(round_to(SKT_F16, 1 + 0x3p-11) == 1 + 0x1p-9f);
  CHECK(round_to(SKT_F16, 1 + 0x1.8p-11) == 1 + 0x1p-10f);
  CHECK(round_to(SKT_F16, 65519) == 65504);
  CHECK(std::isinf(round_to(SKT_F16, 65520)));
  CHECK(round_to(SKT_F16, 0x1p-25) == 0);  // between 0 and the smallest
  CHECK(round_to(SKT_BF16, 1 + 0x1p-8) == 1);
  CHECK(round_to(SKT_BF16, 1 + 0x3p-8) == 1 + 0x1p-6f);
  CHECK(round_to(SKT_BF16, 1e30) != INFINITY);
  CHECK(round_to(SKT_F32, 1 + 0x1p-23) == 1 + 0x1p-23f);
  CHECK(round_to(SKT_F32, 1 + 0x1p-24) == 1);
}

TEST_CASE("numbers round to the nearest byte, ties to the even one, and stay 448 above it", "[unit][gpu]") {
  CHECK(round_to_e4m3(1.0625) == 1);  // between 1 and 1.125
  CHECK(round_to_e4m3(1.1875) == 1.25);
  CHECK(round_to_e4m3(-1.07) == -1.125);
  CHECK(round_to_e4m3(1.96875) == 2);
  CHECK(round_to_e4m3(0x1p-10) == 0);  // between 0 and the smallest
  CHECK(round_to_e4m3(0x1.8p-9) == 0x1p-8f);
  CHECK(round_to_e4m3(0x1.fp-7) == 0x1p-6f);  // 7.75 steps of 2^-9
  CHECK(round_to_e4m3(463) == 448);
  CHECK(round_to_e4m3(-1e30) == -448);
  CHECK(std::isnan(round_to_e4m3(NAN)));
}

TEST_CASE("a number of e4m3 has its byte, and is rounded to itself", "[unit][gpu]") {
  CHECK(e4m3_byte(1) == 0x38);
  CHECK(e4m3_byte(-448) == 0xfe);
  CHECK(e4m3_byte(0x1p-9f) == 0x01);
  CHECK(e4m3_byte(-0.0f) == 0x80);
  CHECK(e4m3_byte(0x1p-6f) == 0x08);
  for (int byte = 0; byte < 256; ++byte) {
    INFO(byte);
    const float number = e4m3_number({static_cast<std::uint8_t>(byte)});
    CHECK(e4m3_byte(number) == byte);
    if (!std::isnan(number)) CHECK(round_to_e4m3(number) == number);
  }
}

TEST_CASE("a number passes through single precision on its way to 16 bits", "[unit][gpu]") {
  // Just above the tie 1 + 2^-11, it would round up at once; in fp32 it is the tie.
  CHECK(round_to(SKT_F16, 1 + 0x1p-11 + 0x1p-40) == 1);
}

TEST_CASE("bits are read as the type says", "[unit][gpu]") {
  CHECK(half_from_bits(0x3c00) == 1);
  CHECK(half_from_bits(0xfbff) == -65504);
  CHECK(half_from_bits(0x0001) == 0x1p-24f);
  CHECK(bfloat_from_bits(0x3f80) == 1);
  CHECK(bfloat_from_bits(0xc049) == -3.140625f);  // -2 (1 + 73/128)
}

TEST_CASE("bytes are those of the device, and read back as the same numbers", "[unit][gpu]") {
  const auto bytes = [](std::initializer_list<int> values) {
    std::vector<std::byte> made;
    for (const int value : values) made.push_back(std::byte(value));
    return made;
  };
  CHECK(to_bytes(SKT_F16, {1, -2}) == bytes({0x00, 0x3c, 0x00, 0xc0}));
  CHECK(to_bytes(SKT_BF16, {1, -2}) == bytes({0x80, 0x3f, 0x00, 0xc0}));
  CHECK(to_bytes(SKT_F32, {1}) == bytes({0x00, 0x00, 0x80, 0x3f}));
  for (const std::int32_t type : {SKT_F32, SKT_F16, SKT_BF16}) {
    const std::vector<float> numbers = {0.5f, -3, 0, INFINITY, 96};
    CHECK(to_bytes(type, numbers).size() == 5 * element_bytes(type));
    CHECK(from_bytes(type, to_bytes(type, numbers)) == numbers);
  }
}

TEST_CASE("the rounding unit is half the spacing above 1", "[unit][gpu]") {
  for (const std::int32_t type : {SKT_F16, SKT_BF16}) {
    const double unit = rounding_unit(type);
    CHECK(round_to(type, 1 + unit) == 1);
    CHECK(round_to(type, 1 + 1.01 * unit) == to_single(1 + 2 * unit));
  }
  CHECK(rounding_unit(SKT_F32) == 0);
}

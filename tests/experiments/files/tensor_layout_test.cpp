#include "experiments/files/tensor_layout.hpp"

#include <sstream>

#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

TEST_CASE("Each type has its name, its bytes, and whether it is floating-point", "[unit]") {
  const struct {
    ElementType type;
    const char* name;
    Index bytes;
    bool floating;
  } rows[] = {{ElementType::f16, "float16", 2, true}, {ElementType::bf16, "bfloat16", 2, true},
              {ElementType::f32, "float32", 4, true}, {ElementType::f64, "float64", 8, true},
              {ElementType::i64, "int64", 8, false},  {ElementType::boolean, "bool", 1, false}};
  for (const auto& row : rows) {
    INFO(row.name);
    CHECK(type_name(row.type) == row.name);
    CHECK(size_of(row.type) == row.bytes);
    CHECK(is_floating(row.type) == row.floating);
  }
}

TEST_CASE("An array is described by type and shape", "[unit]") {
  CHECK(describe({ElementType::f32, {4, 128}}) == "float32 [4, 128]");
  CHECK(describe({ElementType::i64, {}}) == "int64 []");
}

TEST_CASE("The bytes of an array are its elements' times their size", "[unit]") {
  CHECK(data_bytes({ElementType::f64, {}}, "f") == 8);  // one number
  CHECK(data_bytes({ElementType::bf16, {3, 5, 7}}, "f") == 210);
  CHECK(data_bytes({ElementType::boolean, {INT64_MAX}}, "f") == INT64_MAX);
}

TEST_CASE("An array without elements, or with more than a file can have, is refused", "[unit]") {
  CHECK(refusal([] { data_bytes({ElementType::f32, {2, 0}}, "f"); }) ==
        "f: empty, its shape is [2, 0]; at least one element is needed");
  CHECK(refusal([] { data_bytes({ElementType::f16, {Index{1} << 62}}, "f"); }) ==
        "f: its shape [4611686018427387904] is larger than any file");
}

TEST_CASE("The first byte of a length is its lowest, and none is negative", "[unit]") {
  CHECK(little_endian("") == 0);
  CHECK(little_endian("\x01\x02") == 0x0201);
  CHECK(little_endian("\xff") == 255);
  CHECK(little_endian(std::string(8, '\xff')) == UINT64_MAX);
}

TEST_CASE("Elements are written as the bytes that lie in memory", "[unit]") {
  std::ostringstream file;
  write_elements(file, std::vector<std::uint16_t>{0x0102, 0xfffe});
  write_elements(file, std::vector<float>{-2});  // sign, exponent 128, no fraction: c0000000

  CHECK(file.str() == std::string("\x02\x01\xfe\xff\x00\x00\x00\xc0", 8));
}

#include "experiments/files/safetensors_header.hpp"

#include "experiments/files/tensor_file.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;
namespace fs = std::filesystem;

namespace {

// A file of the format: the length of the header, the header, `data` bytes of elements.
std::string file_of(const std::string& header, const std::string& data) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 255);
  return file + header + data;
}

std::map<std::string, StoredTensor> parsed(const std::string& file) {
  const std::uint64_t head = safetensors_head_bytes(std::string_view(file).substr(0, 8), file.size(), "f");
  return parse_safetensors_header(std::string_view(file).substr(0, head), file.size(), "f");
}

std::string refusal_of_file(const std::string& file) {
  return refusal<InputError>([&] { parsed(file); });
}

fs::path written(const TemporaryFolder& folder, const std::string& bytes) {
  const fs::path path = folder.path / "f.safetensors";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return "{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

// q: bfloat16 [1, 2] of 1 and -2; k: float32 [1] of 1; n: two bytes of a type that is not read.
const std::string kHeader = "{\"__metadata__\":{\"format\":\"pt\"},\"k\":" + entry("F32", "[1]", "[4,8]") +
                            ",\"q\":" + entry("BF16", "[1,2]", "[0,4]") + ",\"n\":" + entry("U8", "[2]", "[8,10]") +
                            "}  ";
const std::string kData("\x80\x3f\x00\xc0\x00\x00\x80\x3f\x01\x02", 10);

}  // namespace

TEST_CASE("Tensors are found by name, type, shape and place", "[unit]") {
  const std::string file = file_of(kHeader, kData);
  const auto tensors = parsed(file);

  REQUIRE(tensors.size() == 3);
  CHECK(describe(tensors.at("q").layout.value()) == "bfloat16 [1, 2]");
  CHECK(tensors.at("q").layout->data_offset == file.size() - 10);
  CHECK(describe(tensors.at("k").layout.value()) == "float32 [1]");
  CHECK(tensors.at("k").layout->data_offset == file.size() - 6);
  CHECK(!tensors.at("n").layout);
  CHECK(tensors.at("n").dtype == "U8");
}

TEST_CASE("An empty tensor may share the place of another, whichever name comes first", "[unit]") {
  const std::string x = "\"x\":" + entry("F32", "[1]", "[0,4]"), last = "\"y\":" + entry("F32", "[1]", "[4,8]");
  for (const std::string name : {"a", "z"}) {  // before and after x and y in the object's order
    for (const std::string place : {"[0,0]", "[4,4]", "[8,8]"}) {
      const std::string empty = "\"" + name + "\":" + entry("F32", "[0,3]", place);
      const auto tensors = parsed(file_of("{" + x + "," + empty + "," + last + "}", "12345678"));

      INFO(name << " at " << place);
      REQUIRE(tensors.size() == 3);
      CHECK(describe(tensors.at(name).layout.value()) == "float32 [0, 3]");
    }
    CHECK(refusal_of_file(
              file_of("{" + x + ",\"" + name + "\":" + entry("F32", "[0]", "[2,2]") + "," + last + "}", "12345678"))
              .find("a gap or an overlap") != std::string::npos);
  }
}

TEST_CASE("A tensor is read by its name, by the caller's names, or as the only one", "[unit]") {
  const TemporaryFolder folder;
  const std::string path = written(folder, file_of(kHeader, kData)).string();
  Matrix expected(1, 2);
  expected << 1, -2;

  CHECK(TensorFile(path + ":q").read_rows(0, 1) == expected);
  CHECK(TensorFile(path, {"queries", "q"}).read_rows(0, 1) == expected);
  CHECK(TensorFile(path + ":q").name() == path + ":q");
  CHECK_THROWS_WITH(TensorFile(path + ":z"), Catch::Matchers::EndsWith("holds no tensor 'z'; it holds k, n, q"));
  CHECK_THROWS_WITH(TensorFile(path, {"w"}), Catch::Matchers::ContainsSubstring("which tensor is meant"));
  CHECK_THROWS_WITH(TensorFile(path, {"k", "q"}), Catch::Matchers::ContainsSubstring("both 'k' and 'q'"));
  CHECK_THROWS_WITH(TensorFile(path + ":n"), Catch::Matchers::ContainsSubstring("type U8; allowed are F16"));
  CHECK_THROWS_WITH(TensorFile(path + ".no:q"), Catch::Matchers::EndsWith("there is no such file"));
  written(folder, file_of("{\"x\":" + entry("F32", "[1]", "[0,4]") + "}", kData.substr(4, 4)));
  CHECK(TensorFile(path, {"q"}).read_rows(0, 1)(0, 0) == 1);
}

TEST_CASE("Each broken .safetensors header is refused in one line that says what is wrong", "[unit]") {
  const auto one = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return file_of("{\"x\":" + entry(dtype, shape, offsets) + "}", "12345678");
  };
  REQUIRE(refusal_of_file(one("F32", "[2]", "[0,8]")).empty());
  REQUIRE(refusal_of_file(one("F32", "[2,0]", "[0,8]")).find("in 8 bytes") != std::string::npos);
  const std::string good = entry("F32", "[1]", "[0,4]"), twin = entry("F32", "[1]", "[4,8]");
  const std::vector<std::pair<std::string, std::string>> broken = {
      {"", "an empty file"},
      {"1234567", "truncated within"},
      {std::string(8, '\xff'), "not a .safetensors file"},
      {file_of(kHeader, "").substr(0, 60), "truncated within"},
      {file_of(kHeader, kData.substr(1)), "truncated"},
      {file_of(kHeader, kData + "x"), "more than its tensors"},
      {file_of("", ""), "does not start with"},
      {file_of(" {}", ""), "does not start with"},
      {file_of("[]", ""), "does not start with"},
      {file_of("{", ""), "not a JSON object"},
      {file_of("{} x", ""), "not a JSON object"},
      {file_of("{\"\xff\":1}", ""), "not a JSON object"},
      {file_of("{\"x\":1}", ""), "not dtype, shape"},
      {file_of("{\"x\":{}}", ""), "not dtype, shape"},
      {file_of("{\"x\":{\"a\":[[[1]]]}}", ""), "nested"},
      {file_of("{\"x\":" + good + ",\"x\":" + twin + "}", "12345678"), "'x' appears twice"},
      {file_of("{\"x\":" + good + ",\"y\":" + good + "}", "1234"), "a gap or an overlap"},
      {file_of("{\"x\":" + twin + "}", "12345678"), "a gap or an overlap"},
      {one("F32", "[2]", "[8,0]"), "not begin and end"},
      {one("F32", "[2]", "[0]"), "not begin and end"},
      {one("F32", "[2]", "8"), "something other than numbers"},
      {one("F32", "[-2]", "[0,8]"), "something other than numbers"},
      {one("F32", "[2.0]", "[0,8]"), "something other than numbers"},
      {one("F32", "[18446744073709551615]", "[0,8]"), "something other than numbers"},
      {one("F32", "[4611686018427387904]", "[0,8]"), "larger than any file"},
      {one("F32", "[3]", "[0,8]"), "in 8 bytes"},
      {one("F64", "[2]", "[0,8]"), "in 8 bytes"},
      {file_of("{\"a\\nb\":1}", ""), "'a?b'"},
  };
  for (const auto& [file, about] : broken) {
    const std::string message = refusal_of_file(file);
    INFO(message << " for " << about);
    CHECK(message.starts_with("f: ") + message.starts_with("f:x: ") == 1);
    CHECK(message.find(about) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

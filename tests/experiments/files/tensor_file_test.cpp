#include "experiments/files/tensor_file.hpp"

#include "tests/experiments/array_file.hpp"
#include "tests/experiments/temporary_folder.hpp"
#include "tests/numbers.hpp"

using namespace skt;
namespace fs = std::filesystem;

TEST_CASE("Rows are read as doubles from each floating-point type", "[unit]") {
  const TemporaryFolder folder;
  Matrix expected(3, 2);
  expected << 1, -0.5, 2, 65504, 0.25, 0x1p-14;  // exact in half precision

  std::vector<Eigen::half> halves;
  for (const double x : expected.reshaped<Eigen::RowMajor>()) halves.emplace_back(x);
  TensorFile half(write_array(folder.path / "a.npy", ElementType::f16, {3, 2}, halves));
  CHECK(half.read_rows(0, 3) == expected);
  TensorFile single(
      write_array<float>(folder.path / "a.npy", ElementType::f32, {3, 2}, {1, -0.5f, 2, 65504, 0.25f, 0x1p-14f}));
  CHECK(single.read_rows(1, 2) == expected.bottomRows(2));
  CHECK(single.read_rows(3, 0).rows() == 0);
  TensorFile twice(
      write_array<double>(folder.path / "a.npy", ElementType::f64, {3, 1, 2}, {1, -0.5, 2, 65504, 0.25, 0x1p-14}));
  CHECK(twice.read_rows(2, 1) == expected.bottomRows(1));
  CHECK(twice.read_rows(0, 3) == expected);
  CHECK(twice.rows() == 3);
  CHECK(twice.cols() == 2);
}

TEST_CASE("In Fortran order the same rows are read", "[unit]") {
  const TemporaryFolder folder;
  // a[i, j, k] = 6 i + 2 j + k of shape [2, 3, 2]; i moves fastest.
  const fs::path path = folder.path / "a.npy";
  write_array<double>(path, ElementType::f64, {2, 3, 2}, {0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11});
  std::fstream(path, std::ios::in | std::ios::out).seekp(contents(path).find("False")) << "True ";
  TensorFile file(path.string());

  CHECK(file.rows() == 6);
  CHECK(file.read_rows(0, 6) == Matrix{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}});
  CHECK(file.read_rows(1, 3) == Matrix{{2, 3}, {4, 5}, {6, 7}});
  CHECK(file.read_rows(5, 1) == Matrix{{10, 11}});
  CHECK(file.read_rows(6, 0).rows() == 0);
}

TEST_CASE("An element in Fortran order is refused with its position in the array", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "a.npy";
  write_array<double>(path, ElementType::f64, {2, 3}, {1, 1, 1, INFINITY, 1, 1});  // the second of the second column
  std::fstream(path, std::ios::in | std::ios::out).seekp(contents(path).find("False")) << "True ";
  TensorFile file(path.string());

  CHECK_THROWS_WITH(file.read_rows(0, 2), Catch::Matchers::ContainsSubstring("element [1, 1] is inf"));
}

TEST_CASE("An array in memory is read where it lies", "[unit]") {
  std::vector<float> elements{1, 2, 3, 4, 5, 6};
  TensorFile array(ArrayInMemory{"given", ElementType::f32, {3, 2}, elements.data()});

  CHECK(array.read_rows(1, 2) == Matrix{{3, 4}, {5, 6}});
  elements[5] = INFINITY;  // the caller's own memory, not a copy
  CHECK_THROWS_WITH(array.read_rows(0, 3), Catch::Matchers::ContainsSubstring("given: element [2, 1] is inf"));
  CHECK_THROWS_AS(TensorFile(ArrayInMemory{"none", ElementType::f32, {0, 2}, nullptr}), InputError);
}

TEST_CASE("Booleans are read as masks", "[unit]") {
  const TemporaryFolder folder;
  TensorFile mask(write_array<std::uint8_t>(folder.path / "a.npy", ElementType::boolean, {2, 3}, {0, 1, 1, 1, 0, 0}));

  CHECK(mask.read_allowed(1, 1) == std::vector<Allowed>{Allowed::yes, Allowed::no, Allowed::no});
  CHECK_THROWS_AS(mask.read_rows(0, 1), InputError);
  TensorFile added(write_array<float>(folder.path / "a.npy", ElementType::f32, {4}, {-INFINITY, -0.0f, 3, -1e-30f}));
  CHECK(added.read_allowed(0, 1) == std::vector<Allowed>{Allowed::no, Allowed::yes, Allowed::yes, Allowed::no});
  TensorFile unclear(write_array<float>(folder.path / "a.npy", ElementType::f32, {2}, {0, NAN}));
  CHECK_THROWS_WITH(unclear.read_allowed(0, 1), Catch::Matchers::ContainsSubstring("element [1] is nan"));
  TensorFile bad(write_array<std::uint8_t>(folder.path / "a.npy", ElementType::boolean, {2, 3}, {0, 1, 1, 1, 2, 0}));
  CHECK_THROWS_WITH(bad.read_allowed(0, 2),
                    Catch::Matchers::EndsWith("element [1, 1] is the byte 2; a bool is 0 or 1"));
}

TEST_CASE("An element that is not finite is refused with its position", "[unit]") {
  const TemporaryFolder folder;
  std::vector<float> elements(24, 1.0f);
  elements[17] = -INFINITY;
  TensorFile file(write_array(folder.path / "a.npy", ElementType::f32, {2, 3, 4}, elements));

  CHECK(file.read_rows(0, 4).rows() == 4);
  CHECK_THROWS_WITH(
      file.read_rows(4, 2),
      Catch::Matchers::EndsWith("element [1, 1, 1] is -inf; allowed are finite numbers up to 3.403e+38 in size"));
}

TEST_CASE("The only element of an array is looked at as any other", "[unit]") {
  const TemporaryFolder folder;
  TensorFile file(write_array<float>(folder.path / "a.npy", ElementType::f32, {1, 1}, {INFINITY}));

  CHECK_THROWS_WITH(file.read_rows(0, 1), Catch::Matchers::ContainsSubstring("element [0, 0] is inf"));
  TensorFile finite(write_array<float>(folder.path / "a.npy", ElementType::f32, {1, 1}, {-2.5f}));
  CHECK(finite.read_rows(0, 1) == Matrix{{-2.5}});
}

TEST_CASE("An element whose square is not finite in double precision is refused", "[unit]") {
  const TemporaryFolder folder;
  const double largest = std::numeric_limits<float>::max();
  TensorFile file(write_array<double>(folder.path / "a.npy", ElementType::f64, {2, 2}, {-largest, 1, 0, -1e160}));
  CHECK(file.read_rows(0, 1)(0, 0) == -largest);
  CHECK_THROWS_WITH(file.read_rows(0, 2), Catch::Matchers::ContainsSubstring("element [1, 1] is -1e+160; allowed are"));
}

TEST_CASE("Files of the wrong size or kind are refused", "[unit]") {
  const TemporaryFolder folder;
  const std::vector<double> two{1, 2};
  const auto refused = [&](const fs::path& path) { CHECK_THROWS_AS(TensorFile(path), InputError); };

  refused(write_array(folder.path / "a.npy", ElementType::f64, {3}, two));       // truncated
  refused(write_array(folder.path / "a.npy", ElementType::f64, {2}, two, "x"));  // a byte too many
  refused(write_array(folder.path / "a.npy", ElementType::f64, {0, 2}, two));    // empty
  constexpr Index kMany = Index{1} << 40;
  refused(write_array(folder.path / "a.npy", ElementType::f64, {kMany, kMany}, two));  // the product overflows
  refused(write_array(folder.path / "a.npy", ElementType::f64, {kMany << 22}, two));   // so do its bytes
  refused(folder.path);
  refused(folder.path / "missing.npy");
  CHECK(TensorFile(write_array(folder.path / "a.npy", ElementType::f64, {2}, two)).cols() == 2);
}

TEST_CASE("A file that shrinks while it is read is an error, not a row of zeros", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path =
      write_array(folder.path / "a.npy", ElementType::f64, {4096, 4}, std::vector<double>(16384, 1.0));
  TensorFile file(path);
  fs::resize_file(path, 70000);

  CHECK_THROWS_AS(file.read_rows(0, 4096), InputError);
}

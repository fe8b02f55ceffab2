#include "experiments/attend/problem.hpp"

#include <fmt/format.h>

#include <numeric>

#include "tests/catch.hpp"
#include "tests/experiments/attend/four_keys.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

std::vector<double> counting(Index count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Four query heads of two queries each, over two key heads of three keys; dim 2, value_dim 1. Elements count up.
struct HeadFiles : FourKeys {
  HeadFiles() {
    write("queries", {4, 2, 2}, counting(16));
    write("keys", {2, 3, 2}, counting(12));
    write("values", {2, 3, 1}, {3, -4, 5, 0, 1, -2});
    write("hyperplanes", {1, 1, 2}, {1, 1});
  }
};

// Why the files do not fit, without the name of their folder.
std::string refused(const FourKeys& files) {
  std::string said = refusal([&] { AttendProblem problem(files.files()); });
  const std::string folder = files.folder().string() + "/";
  for (std::size_t at = said.find(folder); at != std::string::npos; at = said.find(folder))
    said.erase(at, folder.size());
  return said;
}

}  // namespace

TEST_CASE("A mask is broadcast over heads and queries", "[unit]") {
  const auto allowed = [](FourKeys& files, Index query) {
    std::string keys;
    for (const Allowed a : AttendProblem(files.files()).mask(query)) keys += a == Allowed::yes ? '1' : '0';
    return keys;
  };
  HeadFiles files;
  CHECK(allowed(files, 0).empty());
  files.write("mask", {3}, {1, 0, 1}, ElementType::boolean);
  CHECK(allowed(files, 7) == "101");
  files.write("mask", {1, 2, 3}, {1, 0, 0, 0, 1, 0}, ElementType::boolean);
  CHECK(allowed(files, 6) == "100");  // head 3, query 0
  CHECK(allowed(files, 7) == "010");
  files.write("mask", {2, 3}, {1, 0, 0, 0, 1, 1}, ElementType::boolean);  // [queries, keys] of every head
  CHECK(allowed(files, 6) == "100");
  CHECK(allowed(files, 7) == "011");
  CHECK(allowed(files, 0) == "100");
  files.write("mask", {4, 1, 3}, {0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1}, ElementType::boolean);
  CHECK(allowed(files, 3) == "001");  // head 1
  CHECK(allowed(files, 6) == "011");
}

TEST_CASE("A causal query sees the keys up to its own, those that the mask allows", "[unit]") {
  const auto allowed = [](FourKeys& files, Index query) {
    AttendFiles given = files.files();
    given.causal = true;
    AttendProblem problem(given);
    std::string keys;
    for (const Allowed a : problem.mask(query)) keys += a == Allowed::yes ? '1' : '0';
    return fmt::format("{} of {}", keys, problem.visible(query));
  };
  HeadFiles files;  // two queries to a head, the last of three keys
  CHECK(allowed(files, 0) == "110 of 2");
  CHECK(allowed(files, 1) == " of 3");
  CHECK(allowed(files, 6) == "110 of 2");  // head 3, query 0
  files.write("mask", {3}, {0, 1, 1}, ElementType::boolean);
  CHECK(allowed(files, 0) == "010 of 2");
  CHECK(allowed(files, 1) == "011 of 3");
}

TEST_CASE("More causal queries than keys are refused", "[unit]") {
  FourKeys files;
  files.write("queries", {5, 1}, {1, 1, 1, 1, 1});
  AttendFiles given = files.files();
  given.causal = true;

  CHECK(refusal([&] { AttendProblem problem(given); }) ==
        fmt::format(
            "--causal: {} has 5 queries per head for the 4 keys of {}; allowed are at most as many queries as keys",
            files.at("queries").string(), files.at("keys").string()));
}

TEST_CASE("One query may have one dimension, and then results have none for queries", "[unit]") {
  FourKeys files;
  files.write("queries", {1}, {1});
  AttendProblem problem(files.files());

  CHECK(problem.num_queries() == 1);
  CHECK(problem.heads() == 1);
  CHECK(problem.query(0) == Vector{{1}});
  CHECK(problem.query_shape().empty());
}

TEST_CASE("True may mean forbidden, of a bool mask alone", "[unit]") {
  const auto first = [](const FourKeys& files) {
    AttendFiles given = files.files();
    given.mask_true = MaskTrue::forbidden;
    return AttendProblem(given).mask(0);
  };
  HeadFiles files;
  files.write("mask", {3}, {1, 0, 1}, ElementType::boolean);
  CHECK(first(files) == std::vector<Allowed>{Allowed::no, Allowed::yes, Allowed::no});
  files.write("mask", {3}, {0, -1, 0});  // added to logits
  CHECK(first(files) == std::vector<Allowed>{Allowed::yes, Allowed::no, Allowed::yes});
}

TEST_CASE("Files that do not fit together are refused by name and shape", "[unit]") {
  const auto refused_with = [](const char* name, const std::vector<Index>& shape, Index elements) {
    HeadFiles files;
    files.write(name, shape, counting(elements));
    return refused(files);
  };

  CHECK(refused_with("queries", {2, 3}, 6) == "queries.npy: dim is 3 in shape [2, 3]; keys.npy has 2");
  CHECK(refused_with("queries", {3, 2, 2}, 12) ==
        "queries.npy: 3 heads in shape [3, 2, 2]; allowed are multiples of the 2 of keys.npy");
  CHECK(refused_with("queries", {4}, 4) ==
        "queries.npy: float64 [4]; allowed is float16, bfloat16, float32 or float64 [queries, dim] or [heads, queries, "
        "dim], of one element of a batch");
  CHECK(refused_with("values", {2, 2, 1}, 4) ==
        "values.npy: the number of keys is 2 in shape [2, 2, 1]; keys.npy has 3");
  CHECK(refused_with("values", {3, 2, 1}, 6) ==
        "values.npy: the number of heads is 3 in shape [3, 2, 1]; keys.npy has 2");
  CHECK(refused_with("hyperplanes", {1, 1, 3}, 3) == "hyperplanes.npy: dim is 3 in shape [1, 1, 3]; keys.npy has 2");
  CHECK(
      refused_with("mask", {4, 3}, 12) ==
      "mask.npy: float64 [4, 3]; allowed is bool or floating point [3], [2, 3] for all heads or [4, 2, 3], with 1 for "
      "heads or queries");
}

TEST_CASE("Hyperplanes of a file are as many as are asked for, or the options are refused", "[unit]") {
  const HeadFiles files;
  AttendProblem problem(files.files());

  CHECK(problem.hyperplanes(1, std::nullopt, {}).rows == Matrix{{1, 1}});
  CHECK(refusal([&] { problem.hyperplanes(1, 2, {}); }) ==
        files.at("hyperplanes").string() +
            ": shape [1, 1, 2] differs from --tables or --planes; leave these out, or give 1 and 1");
}

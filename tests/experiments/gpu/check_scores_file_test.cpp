#include "experiments/gpu/check_scores_file.hpp"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "experiments/files/npy_header.hpp"
#include "gpu/check/cases/element_type.hpp"
#include "gpu/check/problems/problem.hpp"
#include "gpu/check/references/score_bounds.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;
using gpu::CheckCase;

namespace {

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

template <class Number>
void write_scores(const std::string& path, const std::vector<Index>& shape, const std::vector<Number>& scores,
                  ElementType type = ElementType::f32) {
  std::ofstream out(path, std::ios::binary);
  out << npy_header(type, shape);
  out.write(reinterpret_cast<const char*>(scores.data()), static_cast<std::streamsize>(scores.size() * sizeof(Number)));
}

// What follows the header of a .npy file.
template <class Number>
std::vector<Number> numbers_in(const std::string& path) {
  const std::string bytes = contents(path);
  const std::size_t begin = bytes.find('\n') + 1;
  std::vector<Number> numbers((bytes.size() - begin) / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data() + begin, numbers.size() * sizeof(Number));
  return numbers;
}

// The middle of every interval.
std::vector<float> good_scores(const CheckCase& c) {
  const gpu::Problem problem = gpu::make_problem(c);
  std::vector<float> scores;
  for (std::int64_t row = 0; row < c.batch * c.heads; ++row) {
    for (const gpu::ScoreInterval& interval : gpu::score_intervals(c, problem, row)) {
      const double middle = (interval.low + interval.high) / 2;
      scores.push_back(std::isinf(interval.low) ? -INFINITY : static_cast<float>(middle));
    }
  }
  return scores;
}

}  // namespace

TEST_CASE("a case is read back as it was written", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse(
      "operation=score-buckets,profile=gpt-fast,mask=causal,heads=4,kv_heads=2,keys=20,temperature=0.25,seed="
      "9");

  std::filesystem::remove_all("written_case");
  write_case(c, "written_case");

  CHECK(read_case("written_case/case.json").text() == c.text());
  for (const char* name :
       {"queries", "keys", "values", "hyperplanes", "corners", "allowed", "codes", "norms", "probabilities"}) {
    CHECK(std::filesystem::exists(std::string("written_case/") + name + ".npy"));
  }
  CHECK(!std::filesystem::exists("written_case/packed.npy"));
}

TEST_CASE("only cases of a scoring kernel are written, or checked for scores", "[unit][gpu]") {
  for (const std::string& operation : gpu::names_of<gpu::Operation>()) {
    for (const char* option : {"--write-case", "--candidate-scores"}) {
      const CheckCase c = CheckCase::parse("operation=" + operation);
      if (operation == "score-buckets" || operation == "score-packed") {
        CHECK_NOTHROW(require_scoring_case(c, option));
      } else {
        const std::string said = std::string(option) + ": the case has operation=" + operation +
                                 ": allowed are score-buckets and score-packed";
        CHECK_THROWS_WITH(require_scoring_case(c, option), said);
      }
    }
  }
  const auto require = [](const char* text) { require_scoring_case(CheckCase::parse(text), "--write-case"); };
  CHECK_THROWS_AS(require("operation=score-packed,planes=3"), InputError);
  CHECK_THROWS_AS(require("operation=score-packed,profile=hub"), InputError);
  CHECK_THROWS_AS(require("operation=score-buckets,inputs=huge"), InputError);
  CHECK_NOTHROW(require("operation=score-buckets,planes=3,profile=hub"));
}

TEST_CASE("a case.json that is not one is refused by file and field", "[unit][gpu]") {
  const auto refusal = [](const std::string& text) {
    write_text("wrong_case.json", text);
    try {
      read_case("wrong_case.json");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };

  CHECK(refusal("{") == "wrong_case.json: not a JSON object; allowed is what --write-case writes");
  CHECK(refusal("[1]") == "wrong_case.json: not a JSON object; allowed is what --write-case writes");
  CHECK(refusal(R"({"planes": "ten"})") == R"(wrong_case.json: planes is "ten": allowed is a number)");
  CHECK(refusal(R"({"planes": 2.5})") == "wrong_case.json: planes is 2.5: allowed is a number");
  CHECK(refusal(R"({"mask": 3})") == "wrong_case.json: mask is 3: allowed is a string");
  CHECK(refusal(R"({"plains": 3})") == "wrong_case.json: unknown field 'plains'");
  CHECK(refusal(R"({"planes": 17})").starts_with("wrong_case.json: case: planes=17: allowed are 1 to 15, and 16"));
  write_text("no_capacity.json", R"({"keys": 1000})");
  CHECK(read_case("no_capacity.json").capacity == 1024);
  CHECK_THROWS_AS(read_case("no_such_case.json"), InputError);
}

TEST_CASE("the arrays that are written have the types and sizes that are documented", "[unit][gpu]") {
  const auto header_of = [](const std::string& name) {
    const std::string bytes = contents("typed_case/" + name + ".npy");
    const auto end = bytes.find('\n');
    return bytes.substr(10, bytes.find("), }") - 10) + " " + std::to_string(bytes.size() - end - 1);
  };
  const std::string shape = ",batch=2,heads=4,kv_heads=2,keys=70,tables=3,planes=5";
  const auto text = [](const char* descr, const char* sizes, int bytes) {
    return std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (" + sizes + " " +
           std::to_string(bytes);
  };

  std::filesystem::remove_all("typed_case");
  write_case(CheckCase::parse("operation=score-packed" + shape), "typed_case");
  CHECK(header_of("codes") == text("<i2", "2, 2, 3, 70", 2 * 2 * 3 * 70 * 2));
  CHECK(header_of("norms") == text("<f2", "2, 2, 70", 2 * 2 * 70 * 2));
  CHECK(header_of("half_tables") == text("<f4", "2, 4, 3, 12", 2 * 4 * 3 * 12 * 4));
  CHECK(header_of("packed") == text("<u4", "2, 2, 2, 1, 64", 2 * 2 * 2 * 64 * 4));
  CHECK_THROWS_AS(write_case(CheckCase::parse("operation=score-buckets" + shape), "typed_case"), InputError);
  std::filesystem::remove_all("typed_case");
  write_case(CheckCase::parse("operation=score-buckets,profile=hub" + shape), "typed_case");
  CHECK(header_of("norms") == text("<f4", "2, 2, 70", 2 * 2 * 70 * 4));
  CHECK(header_of("probabilities") == text("<f4", "2, 4, 3, 32", 2 * 4 * 3 * 32 * 4));
}

TEST_CASE("the arrays that are written hold the used keys of every row, and the mask of every head", "[unit][gpu]") {
  const std::string shape = "operation=score-buckets,batch=2,heads=4,kv_heads=2,keys=70,dim=8,mask=";
  const CheckCase causal = CheckCase::parse(shape + "causal"), random = CheckCase::parse(shape + "random");
  const gpu::Problem problem = gpu::make_problem(causal), one_mask = gpu::make_problem(random);

  std::filesystem::remove_all("used_case");
  write_case(causal, "used_case");
  const std::vector<float> keys = numbers_in<float>("used_case/keys.npy");
  const std::vector<float> values = numbers_in<float>("used_case/values.npy");
  REQUIRE(keys.size() == 2 * 2 * 70 * 8);
  REQUIRE(values.size() == keys.size());
  for (std::size_t at = 0; at < keys.size(); ++at) {  // capacity is 128
    const std::size_t there = at / (70 * 8) * (128 * 8) + at % (70 * 8);
    REQUIRE(keys[at] == problem.keys[there]);
    REQUIRE(values[at] == problem.values[there]);
  }
  CHECK(numbers_in<float>("used_case/queries.npy") == problem.queries);
  const std::vector<char> of_heads = numbers_in<char>("used_case/allowed.npy");
  REQUIRE(of_heads.size() == 2 * 4 * 70);
  CHECK(contents("used_case/allowed.npy").find("'|b1', 'fortran_order': False, 'shape': (2, 4, 70)") !=
        std::string::npos);
  for (std::int64_t at = 0; at < 2 * 4 * 70; ++at) {
    REQUIRE(of_heads[at] == is_allowed(causal, problem, at / 70, at % 70));
  }

  std::filesystem::remove_all("used_case");
  write_case(random, "used_case");
  const std::vector<char> of_batches = numbers_in<char>("used_case/allowed.npy");
  REQUIRE(of_batches.size() == 2 * 70);
  for (std::int64_t at = 0; at < 2 * 70; ++at) {
    REQUIRE(of_batches[at] == is_allowed(random, one_mask, at / 70 * 4, at % 70));
  }
}

TEST_CASE("scores are read as fp16, fp32 and fp64", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse("operation=score-buckets,mask=random,heads=2,kv_heads=1,keys=30");
  const std::vector<float> scores = good_scores(c);
  std::vector<std::uint16_t> half(scores.size());
  const std::vector<std::byte> bytes = gpu::to_bytes(SKT_F16, scores);
  std::memcpy(half.data(), bytes.data(), bytes.size());
  write_scores("half.npy", {1, 2, 30}, half, ElementType::f16);
  write_scores("double.npy", {1, 2, 30}, std::vector<double>(scores.begin(), scores.end()), ElementType::f64);
  write_scores("long.npy", {1, 2, 30}, std::vector<double>(scores.begin(), scores.end()));

  CHECK(check_scores_file(c, gpu::ScoredFrom::own_hash, "half.npy").failures() == 0);
  CHECK(check_scores_file(c, gpu::ScoredFrom::own_hash, "double.npy").failures() == 0);
  CHECK_THROWS_AS(check_scores_file(c, gpu::ScoredFrom::own_hash, "long.npy"), InputError);
}

TEST_CASE("scores in a file are held to their intervals, and their shape to the case", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse("operation=score-buckets,mask=random,heads=2,kv_heads=1,keys=30");
  std::vector<float> scores = good_scores(c);
  write_scores("good.npy", {1, 2, 30}, scores);
  write_scores("flat.npy", {60}, scores);
  write_scores("short.npy", {1, 2, 30}, std::vector<float>(59));
  scores[7] = NAN;
  write_scores("nan.npy", {1, 2, 30}, scores);

  const gpu::Comparison good = check_scores_file(c, gpu::ScoredFrom::own_hash, "good.npy");
  CHECK(good.failures() == 0);
  CHECK(good.compared() == 60);
  CHECK(check_scores_file(c, gpu::ScoredFrom::own_hash, "nan.npy").failures() == 1);
  // The middle of the wide interval is no sum of the written probabilities.
  CHECK(check_scores_file(c, gpu::ScoredFrom::written_inputs, "good.npy").failures() > 0);
  CHECK_THROWS_AS(check_scores_file(c, gpu::ScoredFrom::own_hash, "flat.npy"), InputError);
  CHECK_THROWS_AS(check_scores_file(c, gpu::ScoredFrom::own_hash, "short.npy"), InputError);
  CHECK_THROWS_AS(check_scores_file(c, gpu::ScoredFrom::own_hash, "absent.npy"), InputError);
}

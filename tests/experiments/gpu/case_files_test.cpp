#include "experiments/gpu/case_files.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "gpu/check/problems/problem.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;
using gpu::CheckCase;

namespace {

// A folder of its own as the working one, while a test writes.
struct WorkingFolder : TemporaryFolder {
  std::filesystem::path before = std::filesystem::current_path();

  WorkingFolder() { std::filesystem::current_path(path); }
  ~WorkingFolder() { std::filesystem::current_path(before); }
};

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
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

}  // namespace

TEST_CASE("a case is read back as it was written", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse(
      "operation=score-buckets,profile=gpt-fast,mask=causal,heads=4,kv_heads=2,keys=20,temperature=0.25,seed=9");

  const WorkingFolder folder;
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
  const WorkingFolder folder;
  const auto refused = [](const std::string& text) {
    write_text("wrong_case.json", text);
    return refusal([] { read_case("wrong_case.json"); });
  };

  CHECK(refused("{") == "wrong_case.json: not a JSON object; allowed is what --write-case writes");
  CHECK(refused("[1]") == "wrong_case.json: not a JSON object; allowed is what --write-case writes");
  CHECK(refused(R"({"planes": "ten"})") == R"(wrong_case.json: planes is "ten": allowed is a number)");
  CHECK(refused(R"({"planes": 2.5})") == "wrong_case.json: planes is 2.5: allowed is a number");
  CHECK(refused(R"({"mask": 3})") == "wrong_case.json: mask is 3: allowed is a string");
  CHECK(refused(R"({"plains": 3})") == "wrong_case.json: unknown field 'plains'");
  CHECK(refused(R"({"planes": 17})").starts_with("wrong_case.json: case: planes=17: allowed are 1 to 15, and 16"));
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

  const WorkingFolder folder;
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

  const WorkingFolder folder;
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

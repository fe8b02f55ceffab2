#include "experiments/parts/run_parts.hpp"

#include "experiments/parts/journal.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;
namespace {

const RunFacts kFacts{"socketlab verify --seed 1", 1, "smoke"};

// Parts "a", "b", .. with weights 1, 2, ..: each squares its number; `begun` lists them as they are begun.
struct Squares {
  std::vector<std::string> begun{};
  std::vector<Part> parts{};

  explicit Squares(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      parts.push_back({name, real(i + 1), [this, name, i] {
                         begun.push_back(name);
                         return Json{{"square", i * i}};
                       }});
    }
  }
  std::vector<Json> results() const {
    std::vector<Json> list;
    for (int i = 0; i < std::ssize(parts); ++i) list.push_back({{"square", i * i}});
    return list;
  }
};

SharedOptions in(const TemporaryFolder& folder) {
  SharedOptions shared;
  shared.out = folder.path;
  return shared;
}

}  // namespace

TEST_CASE("Parts run heaviest first, and results come in the order of the parts", "[unit]") {
  const TemporaryFolder folder;
  Squares squares(4);

  const auto results = run_parts(squares.parts, kFacts, {}, in(folder));

  REQUIRE(results);
  CHECK(*results == squares.results());
  CHECK(squares.begun == std::vector<std::string>{"d", "c", "b", "a"});
  CHECK(journals_in(folder.path).size() == 1);  // until the results are written
}

TEST_CASE("An interrupted run goes on with what is missing", "[unit]") {
  const TemporaryFolder folder;
  Squares squares(4);
  const auto sound = squares.parts[1].run;
  squares.parts[1].run = []() -> Json { throw std::runtime_error("interrupted"); };
  CHECK(refusal([&] { run_parts(squares.parts, kFacts, {}, in(folder)); }) == "interrupted");
  squares.parts[1].run = sound;
  squares.begun.clear();

  const auto results = run_parts(squares.parts, kFacts, {}, in(folder));

  REQUIRE(results);
  CHECK(*results == squares.results());
  CHECK(squares.begun == std::vector<std::string>{"b", "a"});
}

// Weights 1, 2, 3, 4, 5 in two slices, by hand: e (5) | d (4); c (3) to the second, 7; b (2) to the first, 7; a (1) to
// the first.
TEST_CASE("Slices run their own parts, and merging runs none", "[unit]") {
  const TemporaryFolder folder;
  Squares squares(5);

  CHECK(!run_parts(squares.parts, kFacts, {.slice = "2/2"}, in(folder)));
  CHECK(squares.begun == std::vector<std::string>{"d", "c"});
  CHECK(refusal([&] { run_parts(squares.parts, kFacts, {.merge = true}, in(folder)); }) ==
        "--merge: 3 of 5 parts are missing in " + folder.path.string() +
            " (e, b, a; of slices 1/2); allowed is a folder with the journals of all slices");
  CHECK(!run_parts(squares.parts, kFacts, {.slice = "1/2"}, in(folder)));
  CHECK(squares.begun == std::vector<std::string>{"d", "c", "e", "b", "a"});

  const auto results = run_parts(squares.parts, kFacts, {.merge = true}, in(folder));

  REQUIRE(results);
  CHECK(*results == squares.results());
  CHECK(squares.begun.size() == 5);
}

TEST_CASE("A whole run goes on with what slices left", "[unit]") {
  const TemporaryFolder folder;
  Squares squares(5);
  run_parts(squares.parts, kFacts, {.slice = "2/2"}, in(folder));

  const auto results = run_parts(squares.parts, kFacts, {}, in(folder));

  REQUIRE(results);
  CHECK(*results == squares.results());
  CHECK(squares.begun == std::vector<std::string>{"d", "c", "e", "b", "a"});
}

TEST_CASE("A part that failed is used once and not kept", "[unit]") {
  const TemporaryFolder folder;
  Squares squares(2);
  const auto sound = squares.parts[0].run;
  squares.parts[0].run = [] { return Json{{"failure", "no memory"}}; };

  CHECK(refusal([&] { run_parts(squares.parts, kFacts, {.slice = "1/1"}, in(folder)); }) ==
        "slice 1/1: 1 of its parts failed (a); the others are kept, and the same command tries again");
  const auto results = run_parts(squares.parts, kFacts, {}, in(folder));
  REQUIRE(results);
  CHECK(results->front() == Json{{"failure", "no memory"}});
  squares.parts[0].run = sound;
  squares.begun.clear();
  CHECK(run_parts(squares.parts, kFacts, {}, in(folder)).value() == squares.results());
  CHECK(squares.begun == std::vector<std::string>{"a"});
}

TEST_CASE("A part that the plan does not know is refused", "[unit]") {
  const TemporaryFolder folder;
  run_parts(Squares(3).parts, kFacts, {}, in(folder));

  CHECK(refusal([&] { run_parts(Squares(2).parts, kFacts, {}, in(folder)); }) ==
        (folder.path / "unfinished.jsonl").string() +
            ": part \"c\" is none of this run; allowed are the journals of one run");
}

TEST_CASE("Results are what their text says, whether they were kept or not", "[unit]") {
  const TemporaryFolder folder;
  const std::vector<Part> parts{{"nan", 1, [] { return Json{{"x", std::numeric_limits<double>::quiet_NaN()}}; }}};

  const auto run = run_parts(parts, kFacts, {}, in(folder)), kept = run_parts(parts, kFacts, {}, in(folder));

  CHECK(run.value().front().dump() == R"({"x":null})");
  CHECK(run.value().front().at("x").is_null());
  CHECK(kept.value() == run.value());
}

TEST_CASE("Two parts of one name are a defect of the plan", "[unit]") {
  const TemporaryFolder folder;
  Squares squares(2);
  squares.parts[1].name = "a";

  CHECK_THROWS_AS(run_parts(squares.parts, kFacts, {}, in(folder)), std::logic_error);
}

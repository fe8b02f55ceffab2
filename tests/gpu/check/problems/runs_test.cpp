#include "gpu/check/problems/runs.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("the runs of the ranks are all keys, each once, in order", "[unit][gpu]") {
  for (const std::int64_t keys : {1, 2, 33, 40, 700}) {
    std::set<std::size_t> ranks;
    for (const Runs& runs : checked_runs(keys)) {
      std::int64_t end = 0;
      for (const Run& run : runs) {
        CHECK(run.first == end);
        CHECK(run.keys >= 0);
        end += run.keys;
      }
      CHECK(end == keys);
      ranks.insert(runs.size());
    }
    CHECK(ranks == std::set<std::size_t>{1, 2, 3, 4, 8});
  }
}

TEST_CASE("keys are dealt out evenly to each number of ranks, and to 2 and 8 each twice what the one before has",
          "[unit][gpu]") {
  std::vector<std::vector<std::int64_t>> dealt;
  for (const Runs& runs : checked_runs(24480)) {  // what 2, 3, 4, 8 and 255 = 2^8 - 1 divide
    dealt.emplace_back();
    for (const Run& run : runs) dealt.back().push_back(run.keys);
  }
  for (const std::int64_t ranks : {1, 2, 3, 4, 8}) {
    INFO(ranks);
    CHECK(std::count(dealt.begin(), dealt.end(), std::vector<std::int64_t>(ranks, 24480 / ranks)) == 1);
  }
  CHECK(std::count(dealt.begin(), dealt.end(), std::vector<std::int64_t>{8160, 16320}) == 1);
  CHECK(std::count(dealt.begin(), dealt.end(), std::vector<std::int64_t>{96, 192, 384, 768, 1536, 3072, 6144, 12288}) ==
        1);
}

TEST_CASE("some runs are empty, at the first rank, the last and between, and one holds all keys", "[unit][gpu]") {
  bool first = false, last = false, between = false, all = false, unequal = false;
  for (const Runs& runs : checked_runs(700)) {
    first |= runs.front().keys == 0;
    last |= runs.back().keys == 0;
    for (std::size_t r = 1; r + 1 < runs.size(); ++r) {
      between |= runs[r].keys == 0;
      all |= runs[r].keys == 700;
      unequal |= runs[r].keys > 1 && runs[r].keys != runs[0].keys;
    }
  }
  CHECK((first && last && between && all && unequal));
}

TEST_CASE("a rank's problem is its run of the keys, at the beginning of its cache", "[unit][gpu]") {
  CheckCase c;
  c.batch = 2;
  c.heads = 4;
  c.kv_heads = 2;
  c.keys = 100;
  c.mask = MaskKind::causal;
  c.fit_capacity();
  const Problem whole = make_problem(c);
  const Run run = {30, 50};

  const CheckCase own = case_of_run(c, run);
  const Problem problem = problem_of_run(c, whole, run);

  CHECK(own.keys == 50);
  CHECK(own.capacity == 64);
  CHECK(problem.queries == whole.queries);
  REQUIRE(std::ssize(problem.keys) == own.kv_rows() * own.capacity * c.dim);
  REQUIRE(std::ssize(problem.allowed) == own.rows() * own.capacity);
  for (std::int64_t row = 0; row < own.rows(); ++row) {
    for (std::int64_t key = 0; key < 50; ++key) {
      CHECK(is_allowed(own, problem, row, key) == is_allowed(c, whole, row, key + 30));
    }
  }
  const auto number = [&](const std::vector<float>& numbers, const CheckCase& of, std::int64_t row, std::int64_t key) {
    return numbers[(row * of.capacity + key) * of.dim + 7];
  };
  for (std::int64_t row = 0; row < own.kv_rows(); ++row) {
    CHECK(number(problem.keys, own, row, 0) == number(whole.keys, c, row, 30));
    CHECK(number(problem.values, own, row, 49) == number(whole.values, c, row, 79));
    CHECK(std::isnan(number(problem.keys, own, row, 50)));
  }
}

TEST_CASE("a full run leaves a place unused, and an empty one has a cache", "[unit][gpu]") {
  CheckCase c;
  c.keys = 128;

  CHECK(case_of_run(c, {0, 64}).capacity == 128);
  CHECK(case_of_run(c, {64, 0}).capacity == 64);
  CHECK(case_of_run(c, {64, 0}).keys == 0);
}

TEST_CASE("a rank's lengths count from its first position", "[unit][gpu]") {
  CHECK(lengths_of_run({0, 30, 100}, {30, 50}) == StepLengths{-30, 0, 70});
}

TEST_CASE("a run of scores is its columns, and behind them what is asked for", "[unit][gpu]") {
  const std::vector<float> rows = {0, 1, 2, 3, 10, 11, 12, 13};

  CHECK(columns_of_run(rows, 4, {1, 2}, 3, -1) == std::vector<float>{1, 2, -1, 11, 12, -1});
  CHECK(columns_of_run(rows, 4, {4, 0}, 1, -1) == std::vector<float>{-1, -1});
}

#include "gpu/check/references/shards.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gpu/functors/shards.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

using Keys = std::vector<std::int32_t>;
using Scores = std::vector<float>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// By a sort of all keys: falling score, the lower position first.
Keys by_sorting(const Scores& scores, const ShardRule& rule) {
  const auto is_forced = [&](std::int32_t key) { return key < rule.sink || key >= rule.used - rule.window; };
  const auto is_candidate = [&](std::int32_t key) { return scores[key] > -kInfinity; };  // neither NaN
  Keys best, list;
  for (std::int32_t key = 0; key < rule.used; ++key) {
    if (!is_candidate(key)) continue;
    (is_forced(key) ? list : best).push_back(key);
  }
  std::stable_sort(best.begin(), best.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
  best.resize(std::min<std::size_t>(best.size(), rule.budget));
  list.insert(list.end(), best.begin(), best.end());
  std::sort(list.begin(), list.end());
  return list;
}

// Numbers of a fixed sequence, in `values` different ones.
Scores drawn(std::int64_t keys, std::uint32_t values) {
  Scores scores;
  std::uint32_t state = 12345;
  for (std::int64_t key = 0; key < keys; ++key) {
    state = state * 1664525u + 1013904223u;
    scores.push_back(static_cast<float>(state >> 8 & 0xffffu) - 30000.0f);
    if (values > 0) scores.back() = static_cast<float>((state >> 16) % values);
  }
  return scores;
}

void check_all_runs(const Scores& scores, const ShardRule& rule) {
  const Keys expected = by_sorting(scores, rule);
  for (const Runs& runs : checked_runs(std::ssize(scores))) {
    CHECK(twin_sharded_list(scores, runs, rule) == expected);
  }
}

}  // namespace

TEST_CASE("the lists of all ranks are together a sort's, for any runs and budgets", "[unit][gpu]") {
  for (const std::uint32_t values : {0u, 1u, 3u}) {
    const Scores scores = drawn(200, values);
    for (std::int64_t budget = 0; budget <= 210; ++budget) {
      check_all_runs(scores, {200, budget, 0, 0});
      check_all_runs(scores, {200, budget, 7, 30});
    }
  }
}

TEST_CASE("masked keys, NaN and keys behind the length are never on a list", "[unit][gpu]") {
  Scores scores = drawn(100, 4);
  for (std::size_t key = 0; key < 100; key += 3) scores[key] = -kInfinity;
  for (std::size_t key = 1; key < 100; key += 7) scores[key] = kNan;
  scores[50] = kInfinity;
  scores[52] = -0.0f;
  for (const std::int64_t used : {0, 1, 49, 99, 100}) {
    for (const std::int64_t budget : {0, 1, 10, 60, 1000}) {
      check_all_runs(scores, {used, budget, std::min<std::int64_t>(used, 5), std::min<std::int64_t>(used, 9)});
    }
  }
  check_all_runs(Scores(100, -kInfinity), {100, 5, 4, 4});
}

TEST_CASE("the best may all be on one rank", "[unit][gpu]") {
  Scores scores(90, 1.0f);
  for (std::size_t key = 60; key < 90; ++key) scores[key] = 2.0f + static_cast<float>(key);

  const Keys list = twin_sharded_list(scores, {{0, 30}, {30, 30}, {60, 30}}, {90, 30, 0, 0});

  Keys expected(30);
  std::iota(expected.begin(), expected.end(), 60);
  CHECK(list == expected);
}

// 1.0 is 16 octaves behind 2^-16, whose ordered key 0xb7800000 begins coarse bin 0x2de: 734 + 16 (32 + 2). Its own bin
// holds 2^18 ordered keys from it on: digits 1278, 0, 0.
TEST_CASE("a rank counts the bins that its own candidates fall in", "[unit][gpu]") {
  const Scores scores = {1.0f, 1.0f, -kInfinity, 1.0f, 2.0f};
  const ShardScores own = {scores, {10, 5}};
  const ShardRule rule = {100, 3, 11, 0};  // the first of them is sink

  const Counts first = twin_shard_counts(own, rule, {});
  CHECK(first[1278] == 2);
  CHECK(first[1312] == 1);  // 2.0, an octave behind
  CHECK(std::accumulate(first.begin(), first.end(), 0) == 3);

  Counts sum(kShardBins, 0);  // with two more of 1.0 elsewhere: of three wanted the threshold is 1.0
  sum[1278] = 4;
  sum[1312] = 1;
  const std::vector<Counts> sums = {sum};
  const Counts second = twin_shard_counts(own, rule, sums);
  CHECK(second[0] == 2);
  CHECK(std::accumulate(second.begin(), second.end(), 0) == 2);
}

TEST_CASE("a row that is settled is counted no more", "[unit][gpu]") {
  const Scores scores = {1.0f, 2.0f};
  const ShardScores own = {scores, {0, 2}};
  Counts sum(kShardBins, 0);
  sum[1278] = sum[1312] = 1;
  const std::vector<Counts> sums = {sum};
  const auto counted = [&](std::int64_t budget) {
    const Counts counts = twin_shard_counts(own, {2, budget, 0, 0}, sums);
    return std::accumulate(counts.begin(), counts.end(), 0);
  };

  CHECK(counted(0) == 0);
  CHECK(counted(1) == 0);  // all of the upper bin
  CHECK(counted(5) == 0);  // all there are
}

// The lies: two ranks of five equal keys each, of which seven are taken.
TEST_CASE("a digit that is not exchanged, or ties of a lost rank, give another list", "[unit][gpu]") {
  const Scores scores(10, 1.0f);
  const ShardRule rule = {10, 7, 0, 0};
  const ShardScores first = {std::span(scores).first(5), {0, 5}}, second = {std::span(scores).last(5), {5, 5}};
  std::vector<Counts> sums;
  for (int digit = 0; digit < 2; ++digit) {
    Counts sum = twin_shard_counts(first, rule, sums);
    const Counts other = twin_shard_counts(second, rule, sums);
    for (std::size_t bin = 0; bin < sum.size(); ++bin) sum[bin] += other[bin];
    sums.push_back(sum);
  }
  const std::vector<Counts> last = {twin_shard_counts(first, rule, sums), twin_shard_counts(second, rule, sums)};
  const std::vector<Counts> lost = {Counts(kShardBins, 0), last[1]};
  const std::vector<Counts> not_exchanged = {twin_shard_counts(second, rule, {}), sums[1]};

  CHECK(twin_shard_selection(first, rule, sums, last, 0) == Keys{0, 1, 2, 3, 4});
  CHECK(twin_shard_selection(second, rule, sums, last, 1) == Keys{0, 1});
  CHECK(twin_shard_selection(second, rule, sums, lost, 1) != Keys{0, 1});
  CHECK(twin_shard_selection(second, rule, not_exchanged, last, 1) != Keys{0, 1});
}

// Logits to base 2 of 3, and of 5 and 4: weights 8, 32 and 16 of values 1, 2 and 4.
TEST_CASE("parts of ranks are merged by their exponents, an empty one as nothing", "[unit][gpu]") {
  constexpr float lowest = std::numeric_limits<float>::lowest();
  const std::vector<float> empty = {0, lowest, 0}, one = {1, 3, 1}, two = {2 + 0.5f * 4, 5, 1.5f};
  for (const auto& parts : {std::vector{one, two}, {two, one}, {empty, one, empty, two, empty}}) {
    const MergedRow row = twin_merged_parts(parts);
    CHECK(row.output == std::vector<float>{(8.0f + 64 + 64) / 56});
    CHECK(std::abs(row.log_sum_exp - std::log(56.0f)) < 1e-5f);
  }
  const std::vector<std::vector<float>> none = {empty, empty};
  CHECK(std::isnan(twin_merged_parts(none).output[0]));
  CHECK(twin_merged_parts(none).log_sum_exp == -kInfinity);
}

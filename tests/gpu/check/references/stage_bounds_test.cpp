#include "gpu/check/references/stage_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>

#include "estimators/selection.hpp"
#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/problems/problem.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/score_bounds.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

CheckCase stage_case(const std::string& more = "") {
  return CheckCase::parse(
      "operation=score-buckets,batch=2,heads=4,kv_heads=2,keys=60,tables=5,planes=6,dim=32,budget=8,sink=3,window=4" +
      more);
}

// The codes of the kernels' own arithmetic, [batch, kv_heads, tables, keys].
std::vector<std::int64_t> twin_codes(const CheckCase& c) {
  const Problem problem = make_problem(c);
  std::vector<std::int64_t> codes;
  for (std::int64_t row = 0; row < c.kv_rows(); ++row)
    for (std::int64_t table = 0; table < c.tables; ++table)
      for (std::int64_t key = 0; key < c.keys; ++key)
        codes.push_back(twin_code(float_row(problem.keys, row * c.capacity + key, c.dim),
                                  float_row(problem.hyperplanes, table, c.planes * c.dim), c.planes));
  return codes;
}

std::vector<double> twin_norms(const CheckCase& c) {
  const Problem problem = make_problem(c);
  std::vector<double> norms;
  for (std::int64_t row = 0; row < c.kv_rows(); ++row)
    for (std::int64_t key = 0; key < c.keys; ++key)
      norms.push_back(double{
          twin_norm(float_row(problem.values, row * c.capacity + key, c.dim), published_profile(c.profile).norm_form)});
  return norms;
}

// The estimators' selection of the middles of all intervals, [batch, heads, list].
std::vector<std::int64_t> good_lists(const CheckCase& c) {
  const Problem problem = make_problem(c);
  std::vector<std::int64_t> lists;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    skt::Vector scores(c.keys);
    std::vector<skt::Allowed> mask;
    const std::vector<ScoreInterval> intervals = score_intervals(c, problem, row);
    for (std::int64_t key = 0; key < c.keys; ++key) {
      const bool allowed = is_allowed(c, problem, row, key);
      mask.push_back(allowed ? skt::Allowed::yes : skt::Allowed::no);
      scores[key] = allowed ? (intervals[key].low + intervals[key].high) / 2 : 0;
    }
    std::vector<skt::Index> keys = skt::select_keys(scores, mask, {c.budget, c.sink, c.window});
    keys.resize(c.list(), -1);
    lists.insert(lists.end(), keys.begin(), keys.end());
  }
  return lists;
}

// Softmax attention over the lists, in double.
std::vector<double> good_outputs(const CheckCase& c, const std::vector<std::int64_t>& lists) {
  const Problem problem = make_problem(c);
  std::vector<double> outputs;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    skt::Vector sum = skt::Vector::Zero(c.dim);
    double weight = 0;
    const skt::Vector query = row_of(problem.queries, row, c.dim);
    for (std::int64_t i = 0; i < c.list(); ++i) {
      const std::int64_t key = lists[row * c.list() + i], at = row / c.group() * c.capacity + key;
      if (key < 0) continue;
      const double w = std::exp(query.dot(row_of(problem.keys, at, c.dim)) / std::sqrt(double(c.dim)));
      sum += w * row_of(problem.values, at, c.dim);
      weight += w;
    }
    for (std::int64_t d = 0; d < c.dim; ++d) outputs.push_back(sum[d] / weight);
  }
  return outputs;
}

}  // namespace

TEST_CASE("the kernels' own arithmetic and the estimators' selection pass every stage", "[unit][gpu]") {
  for (const char* more : {"", ",profile=paper-f16", ",profile=hub", ",mask=random", ",mask=causal", ",type=f32"}) {
    INFO(more);
    const CheckCase c = stage_case(more);
    const std::vector<std::int64_t> lists = good_lists(c);

    CHECK(compare_codes(c, twin_codes(c)).failures() == 0);
    CHECK(compare_norms(c, twin_norms(c)).failures() == 0);
    CHECK(compare_selection(c, lists, c.list()).failures() == 0);
    CHECK(compare_outputs(c, lists, c.list(), good_outputs(c, lists)).failures() == 0);
  }
  const CheckCase c = stage_case();
  CHECK(compare_codes(c, twin_codes(c)).compared() == 2 * 2 * 5 * 60);
  CHECK(compare_norms(c, twin_norms(c)).compared() == 2 * 2 * 60);
}

TEST_CASE("a code with one bit turned is found, and so is one out of range", "[unit][gpu]") {
  const CheckCase c = stage_case();
  std::int64_t found = 0;
  for (std::int64_t bit = 0; bit < c.planes; ++bit) {
    std::vector<std::int64_t> codes = twin_codes(c);
    for (std::int64_t& code : codes) code ^= std::int64_t{1} << bit;
    found += compare_codes(c, codes).failures();
  }
  // All but the doubtful bits: of 1,200 codes of bf16 numbers less than one in a hundred is within fp32 rounding of 0.
  CHECK(found >= 6 * 1200 * 99 / 100);
  for (const std::int64_t bits : {std::int64_t{-64}, std::int64_t{64}, std::int64_t{1} << 32, INT64_MIN}) {
    std::vector<std::int64_t> codes = twin_codes(c);
    codes[7] ^= bits;  // beside the six that a code has
    CHECK(compare_codes(c, codes).failures() == 1);
  }
}

TEST_CASE("a norm of another form, of the square and of another key is found", "[unit][gpu]") {
  const CheckCase c = stage_case();
  const std::vector<double> norms = twin_norms(c);
  const auto failures = [&](const std::function<double(std::size_t)>& norm) {
    std::vector<double> planted;
    for (std::size_t i = 0; i < norms.size(); ++i) planted.push_back(norm(i));
    return compare_norms(c, planted).failures();
  };

  CHECK(failures([&](std::size_t i) { return norms[i] * norms[i]; }) == 240);
  CHECK(failures([&](std::size_t i) { return norms[i] * 1.01; }) == 240);
  CHECK(failures([&](std::size_t i) { return i == 5 ? NAN : norms[i]; }) == 1);
  CHECK(failures([&](std::size_t i) { return norms[(i + 1) % norms.size()]; }) > 200);
}

TEST_CASE("each lie about a selection is found", "[unit][gpu]") {
  const CheckCase c = stage_case(",mask=random");
  const Problem problem = make_problem(c);
  const std::vector<std::int64_t> good = good_lists(c);
  const auto failures = [&](const std::function<void(std::vector<std::int64_t>&)>& plant) {
    std::vector<std::int64_t> lists = good;
    plant(lists);
    return compare_selection(c, lists, c.list()).failures();
  };
  // Row 0: the last of its list, a key beside sink and window, and another that is allowed and left out.
  std::int64_t last = c.list() - 1;
  while (good[last] < 0) --last;
  const std::vector<ScoreInterval> scores = score_intervals(c, problem, 0);
  std::int64_t worst = -1, forbidden = -1;
  for (std::int64_t key = c.sink; key < c.keys - c.window; ++key) {
    const bool listed = std::find(good.begin(), good.begin() + c.list(), key) != good.begin() + c.list();
    if (!is_allowed(c, problem, 0, key)) forbidden = key;
    if (is_allowed(c, problem, 0, key) && !listed && (worst < 0 || scores[key].high < scores[worst].high)) worst = key;
  }
  REQUIRE(worst >= 0);
  REQUIRE(forbidden >= 0);

  CHECK(failures([](auto&) {}) == 0);
  CHECK(failures([&](auto& lists) { std::reverse(lists.begin(), lists.begin() + c.list()); }) == 0);
  CHECK(failures([&](auto& lists) { lists[last] = worst; }) >= 1);
  CHECK(failures([&](auto& lists) { lists[last] = -1; }) == 1);
  CHECK(failures([&](auto& lists) { lists[last] = lists[last - 1]; }) >= 1);
  CHECK(failures([&](auto& lists) { lists[last] = forbidden; }) >= 1);
  CHECK(failures([&](auto& lists) { lists[last] = c.keys; }) == 1);
  CHECK(failures([&](auto& lists) { lists[last] = -2; }) == 1);
  CHECK(failures([&](auto& lists) { lists[0] = worst; }) >= 1);  // the first is a key of sink or window
}

TEST_CASE("a list of all allowed keys is good where the mask allows fewer than the budget, and one of fewer is not",
          "[unit][gpu]") {
  const CheckCase c = CheckCase::parse(
      "operation=score-buckets,keys=60,tables=5,planes=6,dim=32,budget=53,sink=3,window=4,mask=random");
  const Problem problem = make_problem(c);
  std::vector<std::int64_t> all;
  std::int64_t others = 0;
  for (std::int64_t key = 0; key < 60; ++key) {
    if (!is_allowed(c, problem, 0, key)) continue;
    all.push_back(key);
    others += key >= 3 && key < 56 ? 1 : 0;
  }
  REQUIRE((others > 1 && others < 53));
  all.resize(c.list(), -1);
  std::vector<std::int64_t> fewer = all;
  *std::find_if(fewer.begin(), fewer.end(), [](std::int64_t key) { return key >= 3; }) = -1;

  CHECK(compare_selection(c, all, c.list()).failures() == 0);
  CHECK(compare_selection(c, fewer, c.list()).failures() >= 1);
}

TEST_CASE("of two keys whose scores rounding cannot tell apart either is a good selection", "[unit][gpu]") {
  const auto case_with_budget = [](std::int64_t budget) {
    return CheckCase::parse("operation=score-buckets,keys=1500,tables=5,planes=6,dim=32,budget=" +
                            std::to_string(budget));
  };
  const CheckCase any = case_with_budget(8);
  const std::vector<ScoreInterval> scores = score_intervals(any, make_problem(any), 0);
  std::vector<std::int64_t> order(any.keys);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int64_t a, std::int64_t b) { return scores[a].low > scores[b].low; });

  // Each two neighbours in turn are the last that is chosen and the first that is not; the lists have the lower one.
  std::int64_t overlapping = 0, apart = 0;
  for (std::int64_t rank = 0; rank + 1 < 40; ++rank) {
    const ScoreInterval higher = scores[order[rank]], lower = scores[order[rank + 1]];
    if (higher.low == lower.low) continue;
    std::vector<std::int64_t> list(order.begin(), order.begin() + rank);
    list.push_back(order[rank + 1]);
    const CheckCase c = case_with_budget(rank + 1);
    INFO("rank " << rank);
    const bool overlap = lower.high >= higher.low;
    (overlap ? overlapping : apart) += 1;
    CHECK(compare_selection(c, list, c.list()).failures() == (overlap ? 0 : 1));
  }

  CHECK(overlapping >= 1);
  CHECK(apart >= 1);
}

TEST_CASE("an output of other keys, of other weights and of none is found", "[unit][gpu]") {
  const CheckCase c = stage_case();
  const std::vector<std::int64_t> lists = good_lists(c);
  const std::vector<double> good = good_outputs(c, lists);

  std::vector<std::int64_t> shifted = lists;
  for (std::int64_t& key : shifted) key = (key + 1) % c.keys;
  CHECK(compare_outputs(c, lists, c.list(), good_outputs(c, shifted)).failures() > 200);
  std::vector<double> scaled = good;
  for (double& x : scaled) x *= 1.001;
  CHECK(compare_outputs(c, lists, c.list(), scaled).failures() > 200);
  CHECK(compare_outputs(c, lists, c.list(), std::vector<double>(good.size(), NAN)).failures() == 256);
  std::vector<std::int64_t> broken = lists;
  broken[3] = c.keys;
  CHECK(compare_outputs(c, broken, c.list(), good).failures() ==
        2);  // the entry, and the list that it makes unreadable
}

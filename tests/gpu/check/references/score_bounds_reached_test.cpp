// How near do fp32 kernels come to the bounds on scores? Numbers made so that every rounding goes the same
// way and as far as it can: a bound that is too narrow refuses them, one much too wide lies far from them.
#include <cmath>

#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/reference.hpp"
#include "gpu/check/references/score_bounds.hpp"
#include "gpu/functors/half_table.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/check/references/lost_term.hpp"

using namespace skt::gpu;

namespace {

CheckCase one_key_case(const std::string& more) {
  return CheckCase::parse("operation=score-buckets,keys=1,planes=1,temperature=0.5," + more);
}

// Packed codes of 4 planes: halves of 2 bits, 4 entries to each half-table.
CheckCase packed_case_of(const std::string& more) {
  CheckCase c = one_key_case(more);
  c.operation = Operation::score_packed;
  c.planes = 4;
  return c;
}

// The distance of a score from the middle of its interval, in half-widths: at most 1 within it.
double reach(const ScoreInterval& interval, double score) {
  return std::abs(score - (interval.low + interval.high) / 2) / ((interval.high - interval.low) / 2);
}

// Inputs of one key of code 0 and one query.
ScoringInputs one_key(const CheckCase& c, float norm, std::vector<float> tables) {
  ScoringInputs inputs;
  inputs.codes.assign(c.tables, 0);
  inputs.norms = {norm};
  (scores_packed_codes(c) ? inputs.half_tables : inputs.probabilities) = std::move(tables);
  return inputs;
}

ScoreInterval interval_of(const CheckCase& c, const ScoringInputs& inputs) {
  return score_intervals(c, Problem{}, inputs, 0)[0];
}

// One query q = (query, 0, ..), one key and one value; the only weight of every hyperplane is its first.
Problem one_row(const CheckCase& c, float query, const std::vector<float>& weights, const std::vector<float>& value) {
  Problem problem;
  const auto dim = static_cast<std::size_t>(c.dim);
  problem.queries.assign(dim, 0);
  problem.queries[0] = query;
  problem.keys.assign(dim, 0);
  problem.keys[0] = 1;
  problem.hyperplanes.assign(weights.size() * dim, 0);
  for (std::size_t i = 0; i < weights.size(); ++i) problem.hyperplanes[i * dim] = weights[i];
  problem.values = value;
  problem.values.resize(dim, 0);
  return problem;
}

ScoreInterval interval_of(const CheckCase& c, const Problem& problem) {
  return score_intervals(c, problem, 0)[0];
}

}  // namespace

TEST_CASE("sums that lose every addition come near the bound over written inputs", "[unit][gpu]") {
  const CheckCase c = one_key_case("tables=512");
  std::vector<float> tables(1024, kLost);
  tables[0] = 1;

  const double score = twin_bucket_score(tables, std::vector<std::int16_t>(512, 0), 1, 1);

  CHECK(score == 1);
  const double reached = reach(interval_of(c, one_key(c, 1, tables)), score);
  CHECK(reached <= 1);
  CHECK(reached >= 0.99);
}

TEST_CASE("the products of one table with its norm reach the bound over written inputs", "[unit][gpu]") {
  const CheckCase c = packed_case_of("tables=1");
  std::vector<float> half_tables(8, 1 + 0x1p-12f);  // its square and that times the norm lose half a place
  const float norm = 1 + 0x1p-13f;

  const double score = twin_packed_score(half_tables, std::vector<std::int16_t>{0}, c.planes, norm);

  const double reached = reach(interval_of(c, one_key(c, norm, half_tables)), score);
  CHECK(reached <= 1);
  CHECK(reached >= 0.99);
}

TEST_CASE("numbers below the normal range may be flushed, others not", "[unit][gpu]") {
  const CheckCase c = one_key_case("tables=4");
  for (const float norm : {0.5f, 1.0f, 65504.0f}) {
    CHECK(reach(interval_of(c, one_key(c, norm, std::vector<float>(8, 0x1p-127f))), 0) <= 1);
    CHECK(reach(interval_of(c, one_key(c, norm, std::vector<float>(8, 0x1p-120f))), 0) > 1);
  }
}

TEST_CASE("entries and chains in fp16 come near their bound", "[unit][gpu]") {
  const CheckCase c = packed_case_of("tables=4,heads=2");
  constexpr float rounded_down = (1 + 0x1.ffcp-12f) / 64;
  std::vector<float> half_tables(4 * 8 * 2, 0x1p-6f);
  for (std::size_t entry = 0; entry < 8; ++entry) half_tables[entry] = rounded_down;
  for (const std::size_t table : {1, 2, 3}) half_tables[table * 8 + 4] = 0x1.ffcp-12f / 64;  // lost in a chain

  const double score = twin_half_score(std::span(half_tables).first(32), std::vector<std::int16_t>(4, 0), c.planes, 1);

  CHECK(score == 0x1p-12);
  const double reached = reach(interval_of(c, one_key(c, 1, half_tables)), score);
  CHECK(reached <= 1);
  CHECK(reached >= 0.8);
}

TEST_CASE("entries that vanish in fp16 lie within their bound", "[unit][gpu]") {
  const CheckCase c = packed_case_of("tables=1,heads=2");
  std::vector<float> half_tables(16, 1);
  half_tables[4] = 0x1.fffffep-32f;  // times 2^6 a little less than half of fp16's smallest number

  const double score = twin_half_score(std::span(half_tables).first(8), std::vector<std::int16_t>{0}, 4, 1);

  CHECK(score == 0);
  const double reached = reach(interval_of(c, one_key(c, 1, half_tables)), score);
  CHECK(reached <= 1);
  CHECK(reached >= 0.4);  // half of the bound is for the other entry
}

TEST_CASE("scores of one's own codes may be sums in fp16 where query heads share a kv head", "[unit][gpu]") {
  CheckCase c = packed_case_of("tables=4,dim=16");
  const Problem problem = one_row(c, 0, std::vector<float>(16, 1), {1});
  const double off = (1 + 6 * 0x1p-11) * 4 / 16;  // as far as sums in fp16 may be

  CHECK(reach(interval_of(c, problem), off) > 1);
  c.heads = 2;
  CHECK(reach(interval_of(c, problem), off) <= 1);
  CHECK(reach(interval_of(c, problem), (1 + 12 * 0x1p-11) * 4 / 16) > 1);
}

TEST_CASE("a bit may be either only where its projection is within the rounding of any order", "[unit][gpu]") {
  CheckCase c = one_key_case("tables=1,dim=16");
  c.planes = 2;
  // 3 - 3 + offset over 16 coordinates: the bound is 16 * 2^-24 * 6, about 2^-17.4.
  const auto interval = [&](float offset, float of_second) {
    Problem problem = one_row(c, 1, {3, 3}, {1});
    problem.keys[1] = -1;
    problem.hyperplanes[1] = 3 - offset;
    problem.hyperplanes[17] = 3 - of_second;
    return interval_of(c, problem);
  };
  const auto accepts = [](const ScoreInterval& a, const ScoreInterval& b) {
    return a.low <= b.low && b.high <= a.high;
  };
  const ScoreInterval both = interval(1, 1), second_off = interval(1, -1);
  const ScoreInterval first_off = interval(-1, 1), none = interval(-1, -1);

  CHECK(accepts(interval(0x1p-18f, 1), first_off));
  CHECK(accepts(interval(-0x1p-18f, 1), both));
  CHECK_FALSE(accepts(interval(0x1p-18f, 1), none));
  CHECK_FALSE(accepts(interval(0x1p-17f, 1), first_off));
  CHECK_FALSE(accepts(interval(-0x1p-17f, 1), both));
  for (const ScoreInterval& one : {both, second_off, first_off, none}) {
    CHECK(accepts(interval(0x1p-18f, -0x1p-18f), one));
  }

  Problem zeros = one_row(c, 1, {3, 3}, {1});
  zeros.keys.assign(16, 0);  // 0 in every order
  CHECK(interval_of(c, zeros).low == both.low);
  CHECK(interval_of(c, zeros).high == both.high);
}

TEST_CASE("norms that round as far as they can reach their own part of the bound", "[unit][gpu]") {
  const CheckCase c = one_key_case("tables=1,dim=16");
  const std::vector<float> half_a_place = {1 + 0x1p-11f};  // of fp16; a query of 0 makes every probability 1/2

  const double reached = reach(interval_of(c, one_row(c, 0, {1}, half_a_place)), 0.5);
  CHECK(reached <= 1);
  CHECK(reached >= 0.99);

  const CheckCase wide = one_key_case("tables=1,dim=65536");
  std::vector<float> value(65536, 0x1.fffffep-13f);  // their squares are lost beside 1
  value[0] = 1;
  REQUIRE(twin_norm(value, SKT_NORM_F16) == 1);
  const double reached_by_squares = reach(interval_of(wide, one_row(wide, 0, {1}, value)), 0.5);
  CHECK(reached_by_squares <= 1);
  CHECK(reached_by_squares >= 0.75);
}

TEST_CASE("norms that vanish in their type lie within the bound", "[unit][gpu]") {
  const CheckCase paper = one_key_case("tables=1,dim=16");
  CHECK(interval_of(paper, one_row(paper, 0, {1}, {0x1p-25f})).low <= 0);  // half of fp16's smallest
  CHECK(interval_of(paper, one_row(paper, 0, {1}, {0x1p-23f})).low > 0);

  const CheckCase hub = one_key_case("tables=1,dim=16,profile=hub");
  CHECK(interval_of(hub, one_row(hub, 0, {1}, std::vector<float>(16, 0x1p-75f))).low <= 0);  // squares vanish
  CHECK(interval_of(hub, one_row(hub, 0, {1}, std::vector<float>(16, 0x1p-70f))).low > 0);

  CheckCase tiny = hub;  // a probability of 2^-70: its product with the norm may be flushed
  tiny.temperature = 0.5 * std::tanh(2) / std::log(0x1p70);
  CHECK(interval_of(tiny, one_row(tiny, -1, {2}, {0x1p-60f})).low <= 0);
  CHECK(interval_of(tiny, one_row(tiny, -1, {2}, {0x1p-50f})).low > 0);
}

TEST_CASE("norms that overflow give infinite scores, norms at the border either", "[unit][gpu]") {
  const CheckCase c = one_key_case("tables=1,dim=16,profile=hf,type=f32");
  const auto failures = [&](float value, double score) {
    Comparison result;
    compare_score(interval_of(c, one_row(c, 0, {1}, {value})), 0, score, result);
    return result.failures();
  };

  CHECK(failures(65500, 32752) == 0);  // a probability of 1/2; 65504 is the nearest fp16
  CHECK(failures(65600, INFINITY) == 0);
  CHECK(failures(65600, 32800) == 1);
  CHECK(failures(65600, 32752) == 1);
  CHECK(failures(65519, INFINITY) == 0);  // 65520 overflows
  CHECK(failures(65519, 32752) == 0);
  CHECK(failures(65000, INFINITY) == 1);
  CHECK(failures(65519, 32000) == 1);
}

TEST_CASE("lost additions and a rounded norm together come near the bound of one's own codes", "[unit][gpu]") {
  CheckCase c = one_key_case("tables=4096,dim=16");
  // A logit is +-2 tanh(2) / 4 / temperature: towards the key in the first table, away from it in all others.
  c.temperature = 0.5 * std::tanh(2) / std::log(1 / double{kLost});
  Problem problem = one_row(c, -1, std::vector<float>(4096, 2), {1 + 0x1p-11f});
  problem.hyperplanes[0] = -2;
  problem.hyperplanes[1] = 4;  // the key's bit is 1 there too
  problem.keys[1] = 1;

  const double reached = reach(interval_of(c, problem), 1);  // all but the first table lost, the norm 1
  CHECK(reached <= 1);
  CHECK(reached >= 0.9);
}

TEST_CASE("fp32 probabilities come within a twelfth of their bound", "[unit][gpu]") {
  const CheckCase c = one_key_case("tables=1,dim=16");
  double reached = 0;
  for (int i = -4000; i <= 4000; ++i) {
    const float projection = static_cast<float>(i) / 1000;
    const Problem problem = one_row(c, projection, {1}, {1});
    const ReferenceBuckets exact = reference_buckets(c, problem, double_hyperplanes(c, problem), 0)[0];
    const float logit = plane_logit(projection, inverse_sqrt_dim(c), temperature_of(c));
    for (const std::uint32_t code : {0u, 1u}) {
      const double p = exact.probability[code];
      const double got = half_table_entry(&logit, 1, code);
      reached = std::max(reached, std::abs(got - p) / probability_tolerance(exact, p, SKT_F32));
    }
  }
  CHECK(reached <= 1);
  CHECK(reached >= 1.0 / 12);
}

TEST_CASE("probabilities of projections summed one by one lie within the bound of any order", "[unit][gpu]") {
  const CheckCase c = one_key_case("tables=1,dim=65536");
  Problem problem = one_row(c, 1, {0.5f}, {1});
  problem.queries.assign(65536, 1);
  for (std::size_t d = 1; d < 65536; ++d) problem.hyperplanes[d] = kLost / 2;
  float projection = 0;
  for (const float w : problem.hyperplanes) projection += w;
  REQUIRE(projection == 0.5f);
  const float logit = plane_logit(projection, inverse_sqrt_dim(c), temperature_of(c));
  const double got = half_table_entry(&logit, 1, 0);
  const auto reached = [&](Summation summation) {
    const ReferenceBuckets exact = reference_buckets(c, problem, double_hyperplanes(c, problem), 0, summation)[0];
    return std::abs(got - exact.probability[0]) / probability_tolerance(exact, exact.probability[0], SKT_F32);
  };

  CHECK(reached(Summation::any) <= 1);
  CHECK(reached(Summation::any) >= 0.25);
  CHECK(reached(Summation::of_the_kernel) > 1);

  problem.corners = {-1, 1};  // the same by the softmax over corners
  CHECK(reached(Summation::any) <= 1);
  CHECK(reached(Summation::of_the_kernel) > 1);
}

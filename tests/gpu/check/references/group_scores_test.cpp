#include "gpu/check/references/group_scores.hpp"

#include <cmath>
#include <limits>

#include "gpu/check/cases/element_type.hpp"
#include "gpu/functors/half_table.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

CheckCase case_of(std::int64_t heads, std::int64_t keys) {
  CheckCase c;
  c.operation = Operation::score_signed;
  c.lists = ListsOf::kv_head;
  c.heads = heads;
  c.keys = keys;
  c.tables = 8;
  c.fit_capacity();
  return c;
}

// Half sums of one head by doubles, rounded; and what a key's codes and norm are.
struct Drawn {
  // The first head's query is small: its normaliser is another than those of the others.
  explicit Drawn(const CheckCase& of) : c(of), problem(make_problem(of)), hyperplanes(double_hyperplanes(of, problem)) {
    for (std::int64_t d = 0; d < c.dim; ++d) problem.queries[d] /= 4;
  }

  SignedProjections projections(std::int64_t head) const { return signed_projections(c, problem, hyperplanes, head); }
  std::vector<float> half_sums(std::int64_t head) const {
    const SignedProjections exact = projections(head);
    const auto planes = static_cast<int>(c.planes);
    std::vector<float> sums;
    for (std::int64_t table = 0; table < c.tables; ++table) {
      std::vector<double> terms;
      for (int plane = 0; plane < planes; ++plane) {
        const double x = exact.of_bit[table * planes + plane];
        terms.insert(terms.end(), {-x, x});
      }
      for (int entry = 0; entry < half_table_entries(planes); ++entry) {
        sums.push_back(
            to_single(joined_entry(terms.data(), planes, entry, 0.0, [](double a, double b) { return a + b; })));
      }
    }
    return sums;
  }
  std::vector<std::int16_t> codes(std::int64_t key) const {
    std::vector<std::int16_t> codes;
    for (std::int64_t table = 0; table < c.tables; ++table)
      codes.push_back(twin_code(float_row(problem.keys, key, c.dim),
                                float_row(problem.hyperplanes, table, c.planes * c.dim), c.planes));
    return codes;
  }
  float norm(std::int64_t key) const { return twin_norm(float_row(problem.keys, key, c.dim), SKT_NORM_F16); }
  GroupKeys keys() const {
    return {c.keys, [this](std::int64_t key) { return codes(key); }, [this](std::int64_t key) { return norm(key); },
            [](std::int64_t) { return true; }};
  }

  CheckCase c;
  Problem problem;
  skt::Hyperplanes hyperplanes;
};

struct Group {
  std::vector<GroupHead> twins;
  std::vector<ExactGroupHead> exact;
};

Group sampled(const Drawn& drawn) {
  Group group;
  for (std::int64_t head = 0; head < drawn.c.heads; ++head) {
    group.twins.push_back(twin_group_head(drawn.c, drawn.half_sums(head), drawn.keys()));
    group.exact.push_back(exact_group_head(drawn.c, drawn.projections(head), drawn.keys()));
  }
  return group;
}

bool lies_in(const ScoreInterval& interval, float score) {
  return interval.low <= score && score <= interval.high;
}

}  // namespace

TEST_CASE("a group's score lies within its bounds, under exchanged normalisers it does not", "[unit][gpu]") {
  const Drawn drawn(case_of(GENERATE(2, 4, 5, 8), GENERATE(40, 1500)));
  Group group = sampled(drawn);
  std::vector<GroupHead> exchanged = group.twins;
  std::swap(exchanged[0].normaliser, exchanged[1].normaliser);
  std::int64_t noticed = 0;
  for (std::int64_t key = 0; key < drawn.c.keys; key += 7) {
    const std::vector<std::int16_t> codes = drawn.codes(key);
    const ScoreInterval interval = group_score_interval(drawn.c, group.exact, codes, drawn.norm(key));
    CHECK(lies_in(interval, twin_group_score(drawn.c, group.twins, codes, drawn.norm(key))));
    CHECK(interval.high < 3 * interval.low);  // or the bounds would say little
    noticed += lies_in(interval, twin_group_score(drawn.c, exchanged, codes, drawn.norm(key))) ? 0 : 1;
  }
  CHECK(noticed > 0);
}

TEST_CASE("a sampled normaliser is the log of a sum over all keys where a row has 16 tiles at most", "[unit][gpu]") {
  const Drawn drawn(case_of(1, 1000));
  const GroupHead head = twin_group_head(drawn.c, drawn.half_sums(0), drawn.keys());
  double sum = 0;
  for (std::int64_t key = 0; key < drawn.c.keys; ++key) {
    const double steps = twin_signed_sum(head.weights, drawn.codes(key), drawn.c.planes, drawn.norm(key));
    sum += std::exp2(steps / kOctaveSteps);
  }
  CHECK(head.normaliser / kOctaveSteps == Approx(std::log2(sum)).margin(2 * std::log2(1 + kPowerError) + 0.02));
}

TEST_CASE("a sampled normaliser leaves out what is masked, and tiles between those of 16", "[unit][gpu]") {
  Drawn drawn(case_of(1, 64 * 40));
  GroupKeys keys = drawn.keys();
  const float all = twin_group_head(drawn.c, drawn.half_sums(0), keys).normaliser;
  // Of 40 tiles the first, the last and 14 between: tile 1 is none of them, tile 2 is.
  const auto without_tile = [&](std::int64_t tile) {
    keys.is_allowed = [tile](std::int64_t key) { return key / 64 != tile; };
    return twin_group_head(drawn.c, drawn.half_sums(0), keys).normaliser == all;
  };
  CHECK(without_tile(1));
  CHECK(!without_tile(2));
  CHECK(!without_tile(39));
  keys.is_allowed = [](std::int64_t) { return false; };
  CHECK(twin_group_head(drawn.c, drawn.half_sums(0), keys).normaliser == 0);
}

TEST_CASE("weights are worked out by hand", "[unit][gpu]") {
  CheckCase c = case_of(2, 1);
  c.tables = 1;
  c.planes = 4;
  // Of projections 127, 0, 0, 0 in steps: a key of the first bit has 127 steps, one without it -127.
  const FixedWeights of_first_bit = {{0, 0, 0, 127}, 127, 1};
  const std::vector<GroupHead> heads = {{of_first_bit, 127}, {of_first_bit, 127 + 64}};
  const std::vector<std::int16_t> set = {0b1000}, clear = {0};
  // 2^0, and half an octave less: 1/2 * (1 + 1/2) on its straight line. Then 254 steps less: two octaves but for two steps,
  // 2^-2 (1 + 2/128), and 2^-3 (1 + 66/128): 0.2539 and 0.1895, of which bf16 keeps 0.4434 = 227 / 512.
  CHECK(twin_group_score(c, heads, set, 1) == 1.75f);
  CHECK(twin_group_score(c, heads, clear, 1) == 227.0f / 512);
  CHECK(std::isnan(twin_group_score(c, heads, set, std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("a normaliser of a log-sum-exp is that number to base 2, and 0 where it is not finite", "[unit][gpu]") {
  const Drawn drawn(case_of(1, 40));
  const ExactGroupHead head = exact_group_head(drawn.c, drawn.projections(0), 3.0f);
  CHECK(head.normaliser.low < 3 / std::log(2.0));
  CHECK(head.normaliser.high > 3 / std::log(2.0));
  CHECK(head.normaliser.high - head.normaliser.low < 1e-4);
  const ExactGroupHead none = exact_group_head(drawn.c, drawn.projections(0), -INFINITY);
  CHECK(none.normaliser.low == 0);
  CHECK(none.normaliser.high == 0);
}

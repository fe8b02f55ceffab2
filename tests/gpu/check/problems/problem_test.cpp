// Are the inputs and masks of a case what their names say? A kind that lost its property would let every kernel pass.
#include "gpu/check/problems/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sim/number.hpp"
#include "tests/catch.hpp"

using namespace skt;
using namespace skt::gpu;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

CheckCase case_of(const std::string& more) {
  return CheckCase::parse("batch=2,heads=4,kv_heads=2,keys=60,capacity=64," + more);
}

// The keys that query row `row` may attend to.
std::vector<std::int64_t> allowed_keys(const CheckCase& c, const Problem& problem, std::int64_t row) {
  std::vector<std::int64_t> keys;
  for (std::int64_t key = 0; key < c.keys; ++key) {
    if (is_allowed(c, problem, row, key)) keys.push_back(key);
  }
  return keys;
}

// Of the used keys or values of every row.
std::vector<float> used(const CheckCase& c, const std::vector<float>& cache) {
  std::vector<float> numbers;
  for (std::size_t at = 0; at < cache.size(); ++at) {
    const auto key = static_cast<std::int64_t>(at) / c.dim % c.capacity;
    if (key < c.keys) numbers.push_back(cache[at]);
  }
  return numbers;
}

float largest(const std::vector<float>& numbers) {
  float most = 0;
  for (const float x : numbers) most = std::max(most, std::abs(x));
  return most;
}

bool all(const std::vector<float>& numbers, bool (*holds)(float)) {
  return std::all_of(numbers.begin(), numbers.end(), holds);
}

// The scores of used keys.
std::set<float> distinct_scores(const CheckCase& c) {
  std::set<float> distinct;
  const std::vector<float> scores = make_scores(c);
  for (std::size_t at = 0; at < scores.size(); ++at) {
    if (static_cast<std::int64_t>(at) % c.capacity < c.keys) distinct.insert(scores[at]);
  }
  return distinct;
}

}  // namespace

TEST_CASE("every mask forbids what its name says", "[unit][gpu]") {
  CHECK(make_problem(case_of("mask=none")).allowed.empty());

  const CheckCase nothing = case_of("mask=nothing"), padding = case_of("mask=padding");
  const CheckCase causal = case_of("mask=causal"), random = case_of("mask=random");
  const Problem of_nothing = make_problem(nothing), of_padding = make_problem(padding);
  const Problem of_causal = make_problem(causal), of_random = make_problem(random);
  for (std::int64_t row = 0; row < 8; ++row) {
    CHECK(allowed_keys(nothing, of_nothing, row).empty());

    const std::vector<std::int64_t> front = allowed_keys(padding, of_padding, row);
    CHECK(front.size() == (row < 4 ? 30 : 31));  // the second batch is longer
    CHECK(front.back() + 1 == static_cast<std::int64_t>(front.size()));

    const std::vector<std::int64_t> past = allowed_keys(causal, of_causal, row);
    CHECK(past.size() == (row % 4 == 3 ? 60 : static_cast<std::size_t>(15 * (row % 4 + 1) + 1)));
    CHECK(past.back() + 1 == static_cast<std::int64_t>(past.size()));

    const std::vector<std::int64_t> half = allowed_keys(random, of_random, row);
    CHECK(half.size() > 15);
    CHECK(half.size() < 45);
    CHECK(half == allowed_keys(random, of_random, row / 4 * 4));  // one mask to a batch
  }
  CHECK(allowed_keys(random, of_random, 0) != allowed_keys(random, of_random, 4));
  for (std::int64_t key = 60; key < 64; ++key) {  // behind the last
    CHECK_FALSE(is_allowed(padding, of_padding, 0, key));
    CHECK_FALSE(is_allowed(causal, of_causal, 3, key));
    CHECK_FALSE(is_allowed(random, of_random, 0, key));
  }
}

TEST_CASE("every kind of input has the property that it is named by", "[unit][gpu]") {
  for (const std::string type : {"f32", "f16", "bf16"}) {
    const auto drawn = [&](const std::string& kind) {
      const CheckCase c = case_of("type=" + type + ",inputs=" + kind);
      const Problem problem = make_problem(c);
      return std::pair{used(c, problem.keys), used(c, problem.values)};
    };
    INFO(type);
    const float smallest_normal = type == "f16" ? 0x1p-14f : 0x1p-126f;

    for (const auto& numbers : {drawn("gaussian").first, drawn("gaussian").second}) {
      const auto near = std::count_if(numbers.begin(), numbers.end(), [](float x) { return std::abs(x) <= 1; });
      const double share = real(near) / real(numbers.size());
      CHECK(std::abs(share - 0.6827) <= 0.02);
      CHECK(all(numbers, [](float x) { return std::isfinite(x); }));
    }
    for (const std::string kind : {"dyadic", "ties"}) {
      const std::vector<float> numbers = drawn(kind).first;
      CHECK(all(numbers, [](float x) { return 4 * x == std::nearbyint(4 * x) && std::abs(x) <= 1; }));
      CHECK(std::set<float>(numbers.begin(), numbers.end()).size() == 9);
    }
    CHECK(all(drawn("zeros").first, [](float x) { return x == 0; }));
    CHECK(all(drawn("constant").second, [](float x) { return x == 0.5f; }));
    CHECK(largest(drawn("large").second) > 5e4f);  // norms above 65504, in fp16 too
    CHECK(all(drawn("large").second, [](float x) { return std::isfinite(x); }));
    if (type != "f16") CHECK(std::isinf(largest(drawn("huge").first) * largest(drawn("huge").first)));
    for (const auto& numbers : {drawn("subnormals").first, drawn("subnormals").second}) {
      CHECK(largest(numbers) > 0);
      CHECK(largest(numbers) < smallest_normal);
    }
    const std::vector<float> planted = drawn("non-finite").first;
    CHECK(std::count(planted.begin(), planted.end(), kInfinity) > 0);
    CHECK(std::count(planted.begin(), planted.end(), -kInfinity) > 0);
    CHECK_FALSE(all(planted, [](float x) { return !std::isnan(x); }));
  }
}

TEST_CASE("the needle stands out towards the first query", "[unit][gpu]") {
  const CheckCase c = case_of("inputs=needle");
  const Problem problem = make_problem(c);
  const Vector query = row_of(problem.queries, 0, c.dim);
  for (std::int64_t key = 0; key < c.keys; ++key) {
    const Vector at = row_of(problem.keys, key, c.dim);
    const double cosine = query.dot(at) / query.norm() / at.norm();
    CHECK((cosine > 0.99) == (key == 30));
  }
}

TEST_CASE("every kind of scores has the property that it is named by", "[unit][gpu]") {
  CHECK(distinct_scores(case_of("inputs=ties")) == std::set<float>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(distinct_scores(case_of("inputs=zeros")) == std::set<float>{0});
  CHECK(distinct_scores(case_of("inputs=gaussian")).size() > 470);  // of 480

  const std::set<float> near = distinct_scores(case_of("inputs=low-contrast"));
  CHECK(*near.begin() >= 1);
  CHECK(*near.rbegin() <= 1 + 0x1p-17f);
  CHECK(near.size() > 50);
  const std::set<float> wide = distinct_scores(case_of("inputs=large"));
  CHECK(*wide.begin() < -1e30f);
  CHECK(*wide.rbegin() > 1e30f);

  const std::vector<float> zeros = make_scores(case_of("inputs=zeros"));
  CHECK(std::count_if(zeros.begin(), zeros.end(), [](float x) { return x == 0 && std::signbit(x); }) > 100);
  const std::vector<float> planted = make_scores(case_of("inputs=non-finite"));
  CHECK(std::count(planted.begin(), planted.end(), kInfinity) > 0);
  CHECK(std::isnan(planted[7]));

  const CheckCase masked = case_of("mask=causal");
  const std::vector<float> scores = make_scores(masked);
  CHECK(std::isfinite(scores[15]));  // head 0 sees 16 keys
  CHECK(scores[16] == -kInfinity);   // forbidden
  CHECK(scores[59] == -kInfinity);
  CHECK(std::isnan(scores[60]));  // not a key
}

TEST_CASE("inputs are numbers of their type, and others with another seed", "[unit][gpu]") {
  for (const std::string type : {"f16", "bf16"}) {
    const CheckCase c = case_of("profile=hf,type=" + type);
    const Problem problem = make_problem(c);
    for (const std::vector<float>& numbers :
         {problem.queries, used(c, problem.keys), used(c, problem.values), problem.hyperplanes}) {
      const auto rounded = [&](float x) { return round_to(c.element_type(), x) == x; };
      CHECK(std::all_of(numbers.begin(), numbers.end(), rounded));
    }
  }
  const float sixth_deviation = 6 * 0.02f;  // of gpt-fast's planes and corners
  const Problem small = make_problem(case_of("profile=gpt-fast"));
  CHECK(largest(small.hyperplanes) < sixth_deviation);
  CHECK(largest(small.corners) < sixth_deviation);
  CHECK(largest(small.corners) > 0.02f);
  CHECK(largest(make_problem(case_of("profile=hub")).hyperplanes) > 1);
  const Problem first = make_problem(case_of("seed=1")), second = make_problem(case_of("seed=2"));
  CHECK(first.queries != second.queries);
  CHECK(used(case_of(""), first.keys) != used(case_of(""), second.keys));
  CHECK(first.hyperplanes != second.hyperplanes);
  CHECK(used(case_of(""), first.keys) != used(case_of(""), first.values));
}

TEST_CASE("what no head may see holds NaN, and nothing else does", "[unit][gpu]") {
  for (const std::string& mask : names_of<MaskKind>()) {
    CheckCase c = CheckCase::parse("heads=4,kv_heads=2,batch=2,keys=100,capacity=128,mask=" + mask);
    const Problem problem = make_problem(c);
    for (std::int64_t row = 0; row < c.batch * c.kv_heads; ++row) {
      for (std::int64_t key = 0; key < c.capacity; ++key) {
        bool seen = false;
        for (std::int64_t head = 0; head < c.heads; ++head) {
          seen = seen || (key < c.keys && is_allowed(c, problem, row / c.kv_heads * c.heads + head, key));
        }
        const float first = problem.keys[(row * c.capacity + key) * c.dim];
        INFO(mask << ", row " << row << ", key " << key);
        CHECK(std::isnan(first) != seen);
      }
    }
  }
}

TEST_CASE("a long cache repeats its rows with an odd period", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse("keys=40000,capacity=40064,dim=16");
  const Problem problem = make_problem(c);
  const auto row = [&](std::int64_t key) { return row_of(problem.keys, key, c.dim); };

  CHECK(row(8191) == row(0));
  for (const std::int64_t step : {128, 256, 4096, 8192, 32768}) CHECK(row(step) != row(0));
}

TEST_CASE("a row of floats is as wide as it is asked for, and in double the same numbers", "[unit][gpu]") {
  const std::vector<float> numbers = {0, 1, 2, 3, 4, 5};

  const std::span<const float> second = float_row(numbers, 1, 3);

  CHECK(std::vector<float>(second.begin(), second.end()) == std::vector<float>{3, 4, 5});
  CHECK(row_of(numbers, 2, 2) == Vector{{4.0, 5.0}});
}

TEST_CASE("keys and values of bytes are exact in the type, each head with scales of its own", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse("operation=decode-step,heads=8,kv_heads=8,keys=60,cache=e4m3,type=bf16");

  const Problem problem = make_problem(c);

  std::set<float> scales(problem.key_scales.begin(), problem.key_scales.end());
  scales.insert(problem.value_scales.begin(), problem.value_scales.end());
  CHECK(problem.key_scales.size() == 8);
  for (std::size_t h = 0; h < 8; ++h) {
    CHECK(problem.key_scales[h] != problem.key_scales[(h + 1) % 8]);
    CHECK(problem.value_scales[h] != problem.value_scales[(h + 1) % 8]);
    CHECK(problem.key_scales[h] != problem.value_scales[h]);
    CHECK(problem.key_scales[h] != 1);
  }
  for (std::int64_t row = 0; row < c.kv_rows() * c.capacity; ++row) {
    if (row % c.capacity >= c.keys) continue;
    for (std::int64_t d = 0; d < c.dim; ++d) {
      const float number = problem.keys[row * c.dim + d], scale = problem.key_scales[row / c.capacity];
      REQUIRE(round_to(SKT_BF16, number) == number);
      REQUIRE(round_to_e4m3(number / scale) * scale == number);
    }
  }
}

TEST_CASE("scales of attention alone have more bits than 16-bit types hold", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse("operation=sparse-attention,heads=4,kv_heads=4,keys=60,cache=e4m3");
  const Problem problem = make_problem(c);

  for (const auto* scales : {&problem.key_scales, &problem.value_scales}) {
    for (const float scale : *scales) {
      CHECK(round_to(SKT_F16, scale) != scale);
      for (int byte = 0; byte < 127; ++byte) {
        const double number = byte < 8 ? byte : (8 + byte % 8);
        CHECK(static_cast<double>(static_cast<float>(number * double{scale})) == number * double{scale});
      }
    }
  }
  CHECK(make_problem(CheckCase::parse("operation=sparse-attention,keys=60,cache=e4m3-unscaled")).key_scales.empty());
  CHECK(make_problem(CheckCase::parse("operation=hash-keys,keys=60,cache=e4m3")).value_scales.empty());
}

TEST_CASE("NaN of bytes stands in the key or in the value of a key, and subnormals are numbers", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse("operation=sparse-attention,keys=60,dim=32,cache=e4m3,inputs=non-finite");
  const Problem problem = make_problem(c);
  for (std::int64_t key = 0; key < c.keys; ++key) {
    CHECK(row_of(problem.keys, key, c.dim).hasNaN() == (key % 10 == 2));
    CHECK(row_of(problem.values, key, c.dim).hasNaN() == (key % 10 == 7));
  }
  const CheckCase small = CheckCase::parse("operation=sparse-attention,keys=60,cache=e4m3-unscaled,inputs=subnormals");
  const std::vector<float> numbers = used(small, make_problem(small).keys);
  CHECK(largest(numbers) > 0);
  CHECK(std::count_if(numbers.begin(), numbers.end(), [](float x) { return x != 0 && std::abs(x) < 0x1p-6f; }) > 1000);
}

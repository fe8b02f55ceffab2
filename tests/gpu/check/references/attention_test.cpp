// Attention in double over a list, and how near an fp32 kernel that loses every addition comes to its bound.
#include "gpu/check/references/attention.hpp"

#include <cmath>

#include "sim/number.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/check/references/lost_term.hpp"

using namespace skt;
using namespace skt::gpu;

namespace {

CheckCase attention_case(std::int64_t keys, std::int64_t dim) {
  CheckCase c;
  c.operation = Operation::sparse_attention;
  c.keys = c.capacity = c.budget = keys;
  c.dim = dim;
  return c;
}

// A query of zeros, keys of zeros and values of `first` at key 0 and `rest` at all others.
Problem flat(const CheckCase& c, float first, float rest) {
  Problem problem;
  const auto dim = static_cast<std::size_t>(c.dim);
  problem.queries.assign(dim, 0);
  problem.keys.assign(static_cast<std::size_t>(c.keys) * dim, 0);
  problem.values.assign(static_cast<std::size_t>(c.keys) * dim, rest);
  std::fill_n(problem.values.begin(), dim, first);
  return problem;
}

std::vector<std::int32_t> all_keys(const CheckCase& c) {
  std::vector<std::int32_t> list;
  for (std::int32_t key = 0; key < c.keys; ++key) list.push_back(key);
  return list;
}

}  // namespace

TEST_CASE("attention over a list is the average of its values, a key that stands twice counts twice", "[unit][gpu]") {
  const CheckCase c = attention_case(3, 4);
  Problem problem = flat(c, 6, 0);
  const std::vector<std::int32_t> once = {0, 2}, twice = {0, 0, 2};

  CHECK(attention_reference(c, problem, 0, once).output == Vector::Constant(4, 3.0));
  CHECK(attention_reference(c, problem, 0, twice).output == Vector::Constant(4, 4.0));
  CHECK(std::abs(attention_reference(c, problem, 0, twice).log_sum_exp - std::log(3)) <= 0x1p-50);

  problem.queries = {2, 0, 0, 0};
  problem.keys[0] = static_cast<float>(std::log(5));  // a logit of log 5, by 1 / sqrt(4)
  const AttentionReference steep = attention_reference(c, problem, 0, once);
  CHECK(std::abs(steep.output[0] - 5) <= 1e-6);
  CHECK(std::abs(steep.log_sum_exp - std::log(6)) <= 1e-6);
}

TEST_CASE("query heads attend to the keys of their own kv head and batch", "[unit][gpu]") {
  CheckCase c = attention_case(2, 4);
  c.batch = c.kv_heads = 2;
  c.heads = 4;
  Problem problem;
  problem.queries.assign(8 * 4, 0);
  problem.keys.assign(4 * 2 * 4, 0);
  for (int kv_row = 0; kv_row < 4; ++kv_row) problem.values.insert(problem.values.end(), 8, float(kv_row));

  for (std::int64_t row = 0; row < 8; ++row) {
    CHECK(attention_reference(c, problem, row, all_keys(c)).output[0] == real(row / 2));
  }
}

TEST_CASE("an empty list has no output but NaN", "[unit][gpu]") {
  const CheckCase c = attention_case(3, 4);
  const AttentionReference empty = attention_reference(c, flat(c, 1, 1), 0, {});
  Comparison of_nan, of_zeros;
  compare_output(c.dim, empty, 0, std::vector<float>(4, NAN), of_nan);
  compare_output(c.dim, empty, 0, std::vector<float>(4, 0), of_zeros);

  CHECK(empty.log_sum_exp == -INFINITY);
  CHECK(of_nan.failures() == 0);
  CHECK(of_zeros.failures() == 4);
}

TEST_CASE("values that are lost one by one come near the bound of the output", "[unit][gpu]") {
  const CheckCase c = attention_case(2000, 16);
  const Problem problem = flat(c, 1, kLost);
  const AttentionReference reference = attention_reference(c, problem, 0, all_keys(c));
  float sum = 0;
  for (std::int64_t key = 0; key < c.keys; ++key) sum += problem.values[key * c.dim];

  const double got = double{sum / 2000.0f};
  const double reached = std::abs(got - reference.output[0]) / reference.tolerance[0];
  CHECK(reached <= 1);
  CHECK(reached >= 0.9);

  Comparison good, without_a_key;
  compare_output(c.dim, reference, 0, std::vector<float>(16, static_cast<float>(got)), good);
  compare_output(c.dim, reference, 0, std::vector<float>(16, static_cast<float>(got * 2000 / 1999)), without_a_key);
  CHECK(good.failures() == 0);
  CHECK(without_a_key.failures() == 16);
}

TEST_CASE("a logit that loses every addition comes near its part of the bound", "[unit][gpu]") {
  const CheckCase c = attention_case(2, 4096);
  Problem problem = flat(c, 1, 0);
  problem.queries.assign(4096, 1);
  std::fill_n(problem.keys.begin(), 4096, 64 * kLost);
  problem.keys[0] = 64;  // a logit of 1, or in fp32 one by one: 64 alone
  float logit = 0;
  for (std::size_t d = 0; d < 4096; ++d) logit += problem.keys[d];
  REQUIRE(logit == 64);

  const AttentionReference reference = attention_reference(c, problem, 0, all_keys(c));
  const double got = 1 / (1 + std::exp(-double{logit} / 64));
  const double reached = std::abs(got - reference.output[0]) / reference.tolerance[0];
  CHECK(reached <= 1);
  CHECK(reached >= 0.1);  // (1 - p) / 2 of the bound, as the weight stands in the sum too
  const double log_reached = std::abs(std::log1p(std::exp(1)) - reference.log_sum_exp) / reference.log_tolerance;
  CHECK(log_reached <= 1);
  CHECK(log_reached >= 0.3);  // p / 2
}

TEST_CASE("weights that vanish beside a large value are allowed to", "[unit][gpu]") {
  const CheckCase c = attention_case(2, 4);
  Problem problem = flat(c, 0, 1e20f);
  problem.queries = {1, 0, 0, 0};
  problem.keys[0] = 180;  // the other key's weight is e^-90, below 2^-126
  const AttentionReference reference = attention_reference(c, problem, 0, all_keys(c));

  CHECK(reference.output[0] > 0);
  CHECK(reference.output[0] <= reference.tolerance[0]);
}

TEST_CASE("only bf16 lists that heads share have the bound of products", "[unit][gpu]") {
  CheckCase c = attention_case(10, 128);
  c.heads = 4;
  CHECK(attention_units(c).logit == 128 + 8);
  CHECK(attention_units(c).sum(10) == 10 + 40);
  c.lists = ListsOf::kv_head;
  CHECK(attention_units(c).logit == 3 * 64 + 8);
  CHECK(attention_units(c).sum(10) == 10 + 280);
  CheckCase wide = c, narrow = c, bytes = c;
  wide.dim = 256;
  narrow.type = NumberType::f16;
  bytes.cache = CacheForm::e4m3;
  CHECK(attention_units(wide).logit == 256 + 8);
  CHECK(attention_units(narrow).logit == 128 + 8);
  CHECK(attention_units(bytes).logit == 128 + 8);
}

TEST_CASE("a weight of two bf16 numbers keeps the bound of products, one alone does not", "[unit][gpu]") {
  CheckCase c = attention_case(2, 128);
  c.heads = 4;
  c.lists = ListsOf::kv_head;
  Problem problem = flat(c, 0, 1);
  problem.queries = std::vector<float>(4 * 128, 0.0f);
  problem.queries[0] = -1;
  problem.keys[128] = 1;  // key 1 weighs e^-(1 / sqrt(128)) = 0.91540..
  const double weight = std::exp(-1 / std::sqrt(128.0));
  const auto rounded = [](double x) {  // to 8 digits
    int exponent = 0;
    const double part = std::frexp(x, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(part, 8)), exponent - 8);
  };
  const double first = rounded(weight), second = rounded(weight - first);
  const AttentionReference reference = attention_reference(c, problem, 0, all_keys(c));
  const auto off = [&](double number) { return std::abs(number / (1 + weight) - reference.output[0]); };

  CHECK(std::abs(reference.output[0] - weight / (1 + weight)) <= 1e-15);
  CHECK(off(first + second) <= reference.tolerance[0]);
  CHECK(off(first) > 10 * reference.tolerance[0]);
}

// The cases of gpu-check and how they are compared; needs no CUDA.
#include "gpu/check/cases/check_case.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "gpu/check/cases/grid.hpp"
#include "gpu/check/problems/problem.hpp"
#include "gpu/check/references/comparison.hpp"
#include "gpu/socketlab_gpu.h"
#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("a case is replayed from its text", "[unit][gpu]") {
  for (const CheckCase& c : full_grid(5)) REQUIRE(CheckCase::parse(c.text()).text() == c.text());
  CHECK_THROWS_AS(CheckCase::parse("tables=many"), skt::InputError);
  CHECK_THROWS_AS(CheckCase::parse("operation=guess"), skt::InputError);
  CHECK_THROWS_AS(CheckCase::parse("colour=3"), skt::InputError);
  CHECK_THROWS_AS(CheckCase::parse("planes=17"), skt::InputError);
  CHECK_THROWS_AS(CheckCase::parse("tables=0"), skt::InputError);
  CHECK_THROWS_AS(CheckCase::parse("heads=3,kv_heads=2"), skt::InputError);
  CHECK_THROWS_AS(CheckCase::parse("profile=mine"), skt::InputError);
  CHECK_THROWS_AS(CheckCase::parse("planes=4,planes=5"), skt::InputError);
  CHECK_THROWS_AS(CheckCase::parse("planes=4,keys=3,planes=4"), skt::InputError);
}

TEST_CASE("every field of a case is held to what is allowed", "[unit][gpu]") {
  for (const char* wrong :
       {"tables=4x",       "tables=",         "tables=4.5",        "temperature=0",    "temperature=-1",
        "temperature=nan", "temperature=inf", "temperature=1e-50", "temperature=1e39", "temperature=1 ",
        "batch=0",         "heads=0",         "kv_heads=0",        "keys=0",           "dim=0",
        "planes=0",        "budget=-1",       "sink=-1",           "window=-1",        "mask=some",
        "inputs=mine",     "type=f64",        "pages=columns",     "page_size=3",      "page_size=131072",
        "page_size=-16",   "seed=-1"}) {
    INFO(wrong);
    CHECK_THROWS_AS(CheckCase::parse(wrong), skt::InputError);
  }
  for (const char* right : {"page_size=65536", "page_size=1", "planes=15", "budget=0", "temperature=1e-3",
                            "heads=6,kv_heads=3", "seed=18446744073709551615"}) {
    INFO(right);
    CHECK_NOTHROW(CheckCase::parse(right));
  }
}

TEST_CASE("types, rules, scales and temperatures of a case are those of the interface", "[unit][gpu]") {
  CHECK(CheckCase::parse("type=f32").element_type() == SKT_F32);
  CHECK(CheckCase::parse("type=f16").element_type() == SKT_F16);
  CHECK(CheckCase::parse("type=bf16").element_type() == SKT_BF16);
  for (const std::string& operation : check_operations()) {
    const bool is_signed = operation == "score-signed" || operation == "decode-signed";
    CHECK(CheckCase::parse("operation=" + operation).rule() ==
          (is_signed ? SKT_SIGNED_PROJECTION : SKT_SOFT_COLLISION));
  }
  CHECK(inverse_sqrt_dim(CheckCase::parse("dim=64")) == 0.125f);
  CHECK(inverse_sqrt_dim(CheckCase::parse("dim=128")) == 0x1.6a09e6p-4f);  // of 2^-3.5, to the nearest
  CHECK(temperature_of(CheckCase::parse("temperature=0.7")) == 0.7f);
  CHECK(temperature_of(CheckCase::parse("temperature=0.7,profile=hub")) == 0.7f);
  CHECK(temperature_of(CheckCase::parse("temperature=0.7,profile=hf")) == 0.3f);
  CHECK(temperature_of(CheckCase::parse("temperature=0.7,profile=gpt-fast")) == 1.0f);
}

TEST_CASE("16 planes are of packed codes and half-tables only, in no published profile", "[unit][gpu]") {
  std::set<std::string> in_grid;
  for (const CheckCase& c : quick_grid(1)) {
    if (c.planes == 16) in_grid.insert(c.operation);
  }
  const std::vector<std::string>& longest = operations_of_16_planes();
  CHECK(in_grid == std::set<std::string>(longest.begin(), longest.end()));
  for (const std::string& operation : check_operations()) {
    const std::string text = "planes=16,operation=" + operation;
    if (in_grid.contains(operation)) {
      CHECK(CheckCase::parse(text).planes == 16);
      CHECK_THROWS_AS(CheckCase::parse(text + ",profile=hf"), skt::InputError);
    } else {
      CHECK_THROWS_AS(CheckCase::parse(text), skt::InputError);
    }
  }
}

TEST_CASE("a capacity that is not given follows the keys in tiles of 64", "[unit][gpu]") {
  CHECK(CheckCase::parse("keys=1000").capacity == 1024);
  CHECK(CheckCase::parse("keys=1024").capacity == 1024);
  CHECK(CheckCase::parse("keys=1").capacity == 64);
  CHECK(CheckCase::parse("capacity=1001,keys=1000").capacity == 1001);
  CHECK_THROWS_AS(CheckCase::parse("keys=1000,capacity=128"), skt::InputError);
  CHECK_THROWS_AS(CheckCase::parse("keys=9223372036854775807"), skt::InputError);
}

TEST_CASE("a comparison fails on NaN, on infinity and beyond the tolerance", "[unit][gpu]") {
  Comparison good;
  good.within("x", 0, 1.5, 1.0, 0.5);
  good.equal("x", 1, -INFINITY, -INFINITY);
  good.equal("x", 2, NAN, NAN);
  CHECK(good.failures() == 0);
  CHECK(good.worst_ratio() == 1.0);

  Comparison bad;
  bad.within("x", 3, NAN, 1.0, INFINITY);
  bad.within("x", 4, INFINITY, 1.0, 1e300);
  bad.within("x", 5, 1.6, 1.0, 0.5);
  bad.equal("x", 6, 1.0, NAN);
  CHECK(bad.failures() == 4);
  CHECK(bad.worst().find("x[3]") == 0);
}

TEST_CASE("same bits are the same length and the same bits", "[unit][gpu]") {
  const std::vector<float> numbers = {1, -0.0f, NAN};
  const auto failures = [&](const std::vector<float>& got) {
    Comparison result;
    result.same_bits("x", got, numbers);
    CHECK(result.compared() > 0);
    return result.failures();
  };
  CHECK(failures(numbers) == 0);
  CHECK(failures({1, 0.0f, NAN}) == 1);
  CHECK(failures({2, 0.0f, NAN}) == 2);
  CHECK(failures({1, -0.0f}) == 1);
  CHECK(failures({}) == 1);
}

TEST_CASE("the full grid holds every operation, mask, kind of input and number of planes", "[unit][gpu]") {
  std::set<std::string> operations, masks, inputs;
  std::set<std::int64_t> planes, keys;
  for (const CheckCase& c : full_grid(1)) {
    operations.insert(c.operation);
    masks.insert(c.mask);
    inputs.insert(c.inputs);
    planes.insert(c.planes);
    keys.insert(c.keys);
  }
  CHECK(operations.size() == check_operations().size());
  CHECK(masks.size() == mask_kinds().size());
  CHECK(inputs.size() == input_kinds().size());
  CHECK(planes.size() == 16);
  for (const std::int64_t n : {1, 31, 32, 33, 1000, 4096, 32768, 131072, 1 << 20}) CHECK(keys.count(n) == 1);
}

TEST_CASE("samples hold both ends and every remainder of 128, and everything short", "[unit][gpu]") {
  CHECK(sampled_keys(1000).size() == 1000);
  const std::vector<std::int64_t> keys = sampled_keys(1 << 20);
  CHECK(keys.front() == 0);
  CHECK(keys.back() == (1 << 20) - 1);
  CHECK(std::is_sorted(keys.begin(), keys.end()));
  std::set<std::int64_t> remainders;
  for (const std::int64_t key : keys) {
    if (key >= 1000 && key < (1 << 20) - 1000) remainders.insert(key % 128);  // between the ends too
  }
  CHECK(remainders.size() == 128);
  CHECK(sampled_rows(3) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(sampled_rows(512).back() == 511);
}

TEST_CASE("what no head may see holds NaN, and nothing else does", "[unit][gpu]") {
  for (const std::string mask : {"none", "random", "padding", "causal", "nothing"}) {
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

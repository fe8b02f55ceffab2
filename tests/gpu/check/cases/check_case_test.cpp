#include "gpu/check/cases/check_case.hpp"

#include <fmt/format.h>

#include "gpu/check/cases/grid.hpp"
#include "gpu/check/problems/problem.hpp"
#include "gpu/socketlab_gpu.h"
#include "tests/numbers.hpp"

using namespace skt::gpu;

TEST_CASE("a case is replayed from its text", "[unit][gpu]") {
  for (const CheckCase& c : full_grid(5)) REQUIRE(CheckCase::parse(c.text()).text() == c.text());
}

TEST_CASE("every field of a case is held to what is allowed", "[unit][gpu]") {
  for (const char* wrong : {"tables=4x",
                            "operation=guess",
                            "colour=3",
                            "planes=17",
                            "heads=3,kv_heads=2",
                            "planes=4,keys=3,planes=4",
                            "tables=",
                            "tables=4.5",
                            "temperature=0",
                            "temperature=-1",
                            "temperature=nan",
                            "temperature=inf",
                            "temperature=1e-50",
                            "temperature=1e39",
                            "temperature=1 ",
                            "batch=0",
                            "heads=0",
                            "kv_heads=0",
                            "keys=0",
                            "dim=0",
                            "planes=0",
                            "budget=-1",
                            "sink=-1",
                            "window=-1",
                            "mask=some",
                            "inputs=mine",
                            "type=f64",
                            "pages=columns",
                            "page_size=3",
                            "page_size=131072",
                            "page_size=-16",
                            "seed=-1",
                            "cache=fp8",
                            "lists=batch",
                            "dense=-1",
                            "dense=2000000000",
                            "dense=5,mask=random",
                            "append=1",
                            "operation=append-step,append=9",
                            "operation=append-step,query_rows=2",
                            "lists=kv-head,heads=2,mask=causal",
                            "operation=score-signed,lists=kv-head,heads=9",
                            "operation=score-packed,lists=kv-head,heads=5",
                            "operation=decode-step,lists=kv-head,heads=4,tables=200,planes=10"}) {
    INFO(wrong);
    CHECK_THROWS_AS(CheckCase::parse(wrong), skt::InputError);
  }
  for (const char* right :
       {"page_size=65536", "page_size=1", "planes=15", "budget=0", "temperature=1e-3", "heads=6,kv_heads=3",
        "seed=18446744073709551615", "dense=1073741824", "operation=append-step,append=8,query_rows=8",
        "operation=score-packed,lists=kv-head,heads=4", "operation=score-signed,lists=kv-head,heads=8",
        "lists=kv-head,heads=9,kv_heads=9,mask=causal"}) {
    INFO(right);
    CHECK_NOTHROW(CheckCase::parse(right));
  }
}

TEST_CASE("types, rules, scales and temperatures of a case are those of the interface", "[unit][gpu]") {
  CHECK(CheckCase::parse("type=f32").element_type() == SKT_F32);
  CHECK(CheckCase::parse("type=f16").element_type() == SKT_F16);
  CHECK(CheckCase::parse("type=bf16").element_type() == SKT_BF16);
  for (const std::string& operation : names_of<Operation>()) {
    const bool is_signed = operation == "score-signed" || operation == "decode-signed" || operation == "decode-rest";
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
  std::set<Operation> in_grid;
  for (const CheckCase& c : quick_grid(1)) {
    if (c.planes == 16) in_grid.insert(c.operation);
  }
  CHECK(in_grid == std::set{Operation::build_index, Operation::soft_buckets, Operation::score_packed,
                            Operation::score_signed, Operation::decode_step, Operation::decode_signed,
                            Operation::paged_index, Operation::decode_rows});
  for (const Operation operation : values_of<Operation>()) {
    const std::string text = fmt::format("planes=16,operation={}", name_of(operation));
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

TEST_CASE("the text of a case is every field in its order, and numbers as they were given", "[unit][gpu]") {
  CHECK(CheckCase{}.text() ==
        "operation=decode-step,profile=paper,inputs=gaussian,mask=none,type=bf16,batch=1,heads=1,kv_heads=1,keys=33,"
        "capacity=128,dim=64,tables=4,planes=8,budget=8,sink=0,window=0,pages=none,page_size=16,cache=type,"
        "lists=head,dense=0,append=0,query_rows=1,temperature=0.5,seed=1");
  CHECK(CheckCase::parse("inputs=low-contrast,profile=paper-f16,pages=nhd,temperature=0.3,cache=e4m3").text() ==
        "operation=decode-step,profile=paper-f16,inputs=low-contrast,mask=none,type=bf16,batch=1,heads=1,kv_heads=1,"
        "keys=33,capacity=64,dim=64,tables=4,planes=8,budget=8,sink=0,window=0,pages=nhd,page_size=16,cache=e4m3,"
        "lists=head,dense=0,append=0,query_rows=1,temperature=0.3,seed=1");
}

TEST_CASE("a word that a field does not know is refused with those that it knows", "[unit][gpu]") {
  CHECK_THROWS_WITH(CheckCase::parse("pages=columns"), "case: pages=columns: allowed are none, hnd, nhd");
  CHECK_THROWS_WITH(CheckCase::parse("mask=None"),
                    "case: mask=None: allowed are none, random, padding, causal, nothing");
  CHECK_THROWS_WITH(CheckCase::parse("profile=gpt_fast"),
                    "case: profile=gpt_fast: allowed are paper, paper-f16, gpt-fast, hf, hub");
  CHECK_THROWS_WITH(CheckCase::parse("type="), "case: type=: allowed are f32, f16, bf16");
  CHECK_THROWS_WITH(CheckCase::parse("planes=16,operation=score-buckets"),
                    "case: planes=16: allowed are 1 to 15, and 16 with profile=paper in build-index, soft-buckets, "
                    "score-packed, score-signed, decode-step, decode-signed, decode-rows, paged-index");
  CHECK_THROWS_WITH(CheckCase::parse("query_rows=2"),
                    "case: query_rows=2: allowed is 1, and 1 to 8 in decode-rows, and in append-step with append");
  CHECK_THROWS_WITH(CheckCase::parse("query_rows=9,operation=decode-rows"),
                    "case: query_rows=9: allowed is 1, and 1 to 8 in decode-rows, and in append-step with append");
  CHECK_THROWS_WITH(CheckCase::parse("query_rows=0,operation=decode-rows"),
                    "case: query_rows=0: allowed is 1, and 1 to 8 in decode-rows, and in append-step with append");
}

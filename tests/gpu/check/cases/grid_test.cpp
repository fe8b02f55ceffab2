#include "gpu/check/cases/grid.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gpu/check/cases/full_grid.hpp"
#include "gpu/check/cases/published_profile.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;
using namespace skt::gpu;

TEST_CASE("Every case of every grid is valid and can be replayed from its text", "[unit]") {
  for (const char* name : {"tiny", "quick", "full"}) {
    for (const CheckCase& c : grid_by_name(name, 7)) {
      INFO(c.text());
      REQUIRE_NOTHROW(c.require_valid());
      REQUIRE(CheckCase::parse(c.text()).text() == c.text());
      REQUIRE(c.seed == 7);
    }
  }
}

TEST_CASE("The quick grid holds every operation but those that need giant memory", "[unit]") {
  std::set<std::string> quick, full;
  for (const CheckCase& c : quick_grid(1)) quick.insert(c.operation);
  for (const CheckCase& c : full_grid(1)) full.insert(c.operation);
  for (const std::string& operation : check_operations()) {
    INFO(operation);
    CHECK(full.contains(operation));
    CHECK(quick.contains(operation) == !operation.starts_with("far-"));
  }
}

TEST_CASE("The full grid holds a step whose rows keep many blocks busy for several tiles", "[unit]") {
  constexpr std::int64_t multiprocessors = 132, warps = 24;  // of an H200, and of a block of packed scores
  const auto keeps_busy = [&](const CheckCase& c) {
    const std::int64_t tiles = c.batch * c.kv_heads * (c.keys / kTileKeys);
    return c.operation == "append-step" && multiprocessors >= 10 * c.batch * c.kv_heads &&
           tiles >= 3 * warps * multiprocessors;
  };
  CHECK(std::ranges::any_of(full_grid(1), keeps_busy));
}

TEST_CASE("The slices of a grid are its cases, each once", "[unit]") {
  const std::vector<CheckCase> grid = tiny_grid(1);
  for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{16}, grid.size() + 1}) {
    std::multiset<std::string> sliced, whole;
    for (const CheckCase& c : grid) whole.insert(c.text());
    for (std::size_t i = 1; i <= n; ++i) {
      for (const CheckCase& c : slice_of(grid, std::to_string(i) + "/" + std::to_string(n))) sliced.insert(c.text());
    }
    CHECK(sliced == whole);
  }
}

TEST_CASE("What is left out by size is what is larger", "[unit]") {
  const std::vector<CheckCase> grid = quick_grid(1);
  const std::vector<CheckCase> kept = no_larger(grid, 1000, 1 << 12);
  std::size_t small = 0;
  for (const CheckCase& c : grid) small += c.keys <= 1000 && c.tables * (1 << c.planes) <= 1 << 12;
  CHECK(kept.size() == small);
  CHECK(kept.size() < grid.size());
  for (const CheckCase& c : kept) CHECK((c.keys <= 1000 && c.tables << c.planes <= 1 << 12));
}

TEST_CASE("A slice that is none is refused by name", "[unit]") {
  for (const char* wrong : {"", "1", "/", "0/4", "5/4", "1/0", "-1/4", "1/4x", "a/b", "1/4/2"}) {
    INFO(wrong);
    CHECK_THROWS_AS(slice_of(tiny_grid(1), wrong), InputError);
  }
}

TEST_CASE("The cases of pairs take every operation through all of its axes", "[unit]") {
  using Numbers = std::set<std::int64_t>;
  using Words = std::set<std::string>;
  struct Met {
    Numbers keys, batch, kv_heads, heads, group, dim, tables, planes, budget, sink, window, page_size;
    Words mask, inputs, type, profile, pages;
  };
  std::map<std::string, Met> met;
  for (const CheckCase& c : pairs_of_axes(1)) {
    Met& m = met[c.operation];
    for (const auto& [set, value] : {std::pair{&m.keys, c.keys},
                                     {&m.batch, c.batch},
                                     {&m.kv_heads, c.kv_heads},
                                     {&m.heads, c.heads},
                                     {&m.group, c.group()},
                                     {&m.dim, c.dim},
                                     {&m.tables, c.tables},
                                     {&m.planes, c.planes},
                                     {&m.budget, c.budget},
                                     {&m.sink, c.sink},
                                     {&m.window, c.window},
                                     {&m.page_size, c.page_size}}) {
      set->insert(value);
    }
    for (const auto& [set, value] : {std::pair{&m.mask, c.mask},
                                     {&m.inputs, c.inputs},
                                     {&m.type, c.type},
                                     {&m.profile, c.profile},
                                     {&m.pages, c.pages}}) {
      set->insert(value);
    }
  }

  const Words operations = {"hash-keys",     "build-index",   "value-norms",     "soft-buckets",
                            "score-buckets", "score-packed",  "select-keys",     "published-list",
                            "decode-step",   "decode-signed", "sparse-attention"};
  const Words attend = {"published-list", "sparse-attention", "decode-step", "decode-signed"};
  const Words steps = {"decode-step", "decode-signed"};
  CHECK(met.size() == operations.size());
  for (const std::string& operation : operations) {
    INFO(operation);
    const Met& m = met[operation];
    const bool attends = attend.contains(operation), steps_on = steps.contains(operation);
    const bool builds = operation == "build-index", selects = operation == "select-keys";
    const bool hashes = !selects && (!attends || steps_on);
    CHECK(m.keys == Numbers{1, 31, 32, 33, 1000, 4096, 32768, 131072, 1 << 20});
    CHECK(m.batch == Numbers{1, 2, 3, 8});
    CHECK(m.kv_heads == Numbers{1, 2, 5, 8});
    CHECK(m.group == Numbers{1, 2, 3, 4, 8});
    CHECK(*m.heads.rbegin() == 64);
    CHECK(m.mask.size() == mask_kinds().size());
    CHECK(m.inputs.size() == (builds ? 5 : attends ? input_kinds().size() - 2 : input_kinds().size()));
    if (!selects) {
      CHECK(m.dim == (attends || builds ? Numbers{32, 64, 128, 256} : Numbers{16, 24, 64, 96, 128, 200, 256}));
      CHECK(m.type == (builds ? Words{"f16", "bf16"} : Words{"f32", "f16", "bf16"}));
    }
    if (hashes && operation != "value-norms") {
      CHECK(m.tables == Numbers{1, 2, 7, 31, 32, 33, 60, 64, 128});
      const bool packed = builds || steps_on || operation == "score-packed";
      const bool longest = packed || operation == "soft-buckets";
      CHECK(*m.planes.begin() == (packed ? 4 : 1));
      CHECK(*m.planes.rbegin() == (longest ? 16 : 15));
      CHECK(m.planes.size() == static_cast<std::size_t>(*m.planes.rbegin() - *m.planes.begin() + 1));
    }
    if (operation == "value-norms" || operation == "soft-buckets" || operation == "score-buckets") {
      CHECK(m.profile.size() == profile_names().size());
    }
    if (attends || selects) {
      CHECK(m.budget == Numbers{1, 37, 128, 1000});
      CHECK(m.sink == Numbers{0, 5, 128});
      CHECK(m.window == Numbers{0, 7, 128});
    }
    if (operation == "sparse-attention" || steps_on) {
      CHECK(m.pages == Words{"none", "hnd", "nhd"});
      CHECK(m.page_size == Numbers{1, 16, 256});
    }
  }
}

TEST_CASE("The cases of far addresses exceed 2^31 elements of every array that they are for", "[unit]") {
  const auto elements = [](const char* operation, auto&& count) {
    std::int64_t least = INT64_MAX;
    for (const CheckCase& c : full_grid(1)) {
      if (c.operation == operation) least = std::min(least, count(c));
    }
    return least;
  };
  constexpr std::int64_t most = std::int64_t{1} << 31;
  CHECK(elements("far-addresses", [](const CheckCase& c) {
          return c.batch * c.kv_heads * c.tables * c.capacity;  // codes
        }) > most);
  CHECK(elements("far-packed", [](const CheckCase& c) { return c.batch * c.heads * c.capacity; }) > most);
  CHECK(elements("far-attention", [](const CheckCase& c) { return c.batch * c.kv_heads * c.capacity * c.dim; }) > most);
  CHECK(elements("far-index", [](const CheckCase& c) {
          return c.batch * c.kv_heads * c.capacity * words_per_key(c.tables, c.planes);
        }) > most);
}

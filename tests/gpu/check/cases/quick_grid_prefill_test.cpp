#include <set>

#include "gpu/check/cases/quick_grid.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/check/cases/grid_counts.hpp"

using namespace skt::gpu;

TEST_CASE("The prefill has as many cases as its axes have values", "[unit]") {
  // Of either operation 3 types, 8 inputs and 4 dimensions, 8 counts of keys, and 5 profiles of 3 inputs.
  constexpr int kEither = 3 * 8 * 4 + 8 + 5 * 3;
  CHECK(counts_of(cases_of(add_prefill_cases)) ==
        Counts{{Operation::hash_keys, kEither + 15},  // and planes 1 to 15
               {Operation::value_norms, kEither},
               // 2 types and 4 dimensions of 4 inputs and 8 counts of keys; planes 4 to 16 with 3 counts of tables; two
               // large ones.
               {Operation::build_index, 2 * 4 * (4 + 8) + 13 * 3 + 2},
               // 3 types and 3 dimensions; one tile, one sequence, many, and words that tables straddle.
               {Operation::append_lengths, 3 * 3 + 4}});
}

TEST_CASE("Keys are appended by lengths where a warp takes several groups of them, and to words that tables straddle",
          "[unit]") {
  bool several = false, straddles = false;
  for (const CheckCase& c : cases_of(add_prefill_cases)) {
    if (c.operation != Operation::append_lengths) continue;
    CHECK(c.keys == c.capacity);
    several |= c.kv_rows() > 132 * 8;  // warps of an H200's blocks
    straddles |= c.planes * 4 > 32 && c.tables > 4;
  }
  CHECK(several);
  CHECK(straddles);
}

TEST_CASE("An index is built of 16-bit types in all dimensions and planes that it takes", "[unit]") {
  std::set<std::int64_t> dims, planes;
  for (const CheckCase& c : cases_of(add_prefill_cases)) {
    if (c.operation != Operation::build_index) continue;
    CHECK(c.type != NumberType::f32);
    dims.insert(c.dim);
    planes.insert(c.planes);
  }
  CHECK(dims == std::set<std::int64_t>{32, 64, 128, 256});
  CHECK(*planes.begin() == 4);
  CHECK(*planes.rbegin() == 16);
  CHECK(planes.size() == 13);
}

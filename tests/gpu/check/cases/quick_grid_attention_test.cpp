#include "gpu/check/cases/quick_grid.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/check/cases/grid_counts.hpp"

using namespace skt::gpu;

TEST_CASE("Selection, lists and attention have as many cases as their axes have values", "[unit]") {
  // 6 inputs; 5 masks, 6 counts of keys and 4 budgets below a cluster; 3 masks with 2 budgets at 8,200 keys and 1 at
  // 40,000; and 2 inputs of 400,000 keys.
  constexpr int kSelections = 6 * (5 * 6 * 4 + 3 * (2 + 1)) + 2;
  // 3 types, 4 dimensions: of 3 inputs and 5 budgets, of 2 layouts, 3 page sizes and 3 budgets, and of many rows; one
  // case of a mask that forbids all.
  constexpr int kAttentions = 3 * 4 * (3 * 5 + 2 * 3 * 3 + 1) + 1;
  // Bytes: 3 types, 4 dimensions and 4 budgets; by dimension 3 inputs, 2 budgets with NaN, no scales, 2 layouts with 3
  // page sizes, and many rows.
  constexpr int kOverBytes = 3 * 4 * 4 + 4 * (3 + 2 + 1 + 2 * 3 + 1);
  CHECK(counts_of(cases_of(add_attention_cases)) == Counts{{Operation::select_keys, kSelections},
                                                           {Operation::published_list, 5 * 5 * 3},
                                                           {Operation::sparse_attention, kAttentions + kOverBytes},
                                                           {Operation::refusals, 1}});
}

TEST_CASE("Attention from pages is over all used keys of Gaussian inputs, with nothing masked", "[unit]") {
  int paged = 0;
  for (const CheckCase& c : cases_of(add_attention_cases)) {
    if (!c.paged()) continue;
    ++paged;
    CHECK(c.operation == Operation::sparse_attention);
    CHECK(c.inputs == InputKind::gaussian);
    CHECK(c.mask == MaskKind::none);
    CHECK(c.keys == 700);
  }
  CHECK(paged == 3 * 4 * (2 * 3 * 3 + 1) + 4 * (2 * 3 + 1));
}

#include <algorithm>

#include "gpu/check/cases/grid.hpp"
#include "gpu/check/cases/quick_grid.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/check/cases/grid_counts.hpp"

using namespace skt::gpu;

namespace {

// Without those of contracts, which stand at its end.
std::vector<CheckCase> templates() {
  std::vector<CheckCase> cases = tiny_grid(1);
  cases.resize(cases.size() - cases_of(add_contract_cases).size());
  return cases;
}

}  // namespace

TEST_CASE("The tiny grid holds nearly every template of a kernel", "[unit]") {
  const Counts counts = counts_of(templates());

  CHECK(counts ==
        Counts{{Operation::hash_keys, 3},
               {Operation::value_norms, 3},
               {Operation::soft_buckets, 3 + 5},  // types, and profiles
               // Types, bytes, and dimensions; lists of kv heads, and whole sequences.
               {Operation::sparse_attention, 4 * 4 + 1 + 1},
               // Planes 4 to 16, one head of three stages, and two groups of the usual tables; lists of kv heads.
               {Operation::score_packed, 13 + 1 + 2 + 1},
               {Operation::score_signed, 1 + 1},
               {Operation::build_index, 2 * 4},  // 16-bit types and dimensions
               {Operation::score_buckets, 5},    // profiles
               {Operation::bad_codes, 5},
               {Operation::published_list, 5},
               {Operation::select_keys, 2},      // one block, and a cluster
               {Operation::decode_step, 1 + 1},  // and lists of kv heads
               {Operation::decode_signed, 1 + 1},
               {Operation::decode_lengths, 1 + 1 + 2},  // an instance of the scores; whole sequences
               {Operation::decode_rest, 2 * 2 + 2},     // lists of kv heads, and ties; a cluster; ties alone
               {Operation::paged_writes, 1},
               {Operation::paged_index, 1},
               {Operation::decode_rows, 1},
               {Operation::select_shards, 1},
               {Operation::sharded_step, 1 + 1 + 1},  // bytes, and lists of kv heads
               {Operation::append_lengths, 1},
               {Operation::append_step, 1 + 2 * 2},  // and by the step itself
               {Operation::rewritten_index, 1}});
}

TEST_CASE("The templates of the tiny grid are small enough for a race checker", "[unit]") {
  for (const CheckCase& c : templates()) {
    INFO(c.text());
    const bool may_be_of_a_cluster = c.operation == Operation::select_keys || c.operation == Operation::decode_rest;
    CHECK(c.keys <= (may_be_of_a_cluster ? 9000 : c.paged() ? 130 : 40));
    CHECK(c.all_rows() <= 4);
    CHECK(c.query_rows == (c.operation == Operation::decode_rows ? 2 : 1));
    const bool of_instance = c.planes == 10 && c.mask == MaskKind::none;  // of packed scores
    CHECK(c.tables == (of_instance ? (c.operation == Operation::decode_lengths ? 30 : 60)
                       : c.operation == Operation::score_packed && c.heads == 1 ? 70
                                                                                : 2));
  }
}

TEST_CASE("The tiny and the quick grid hold the cases of contracts", "[unit]") {
  for (const CheckCase& contract : cases_of(add_contract_cases)) {
    const auto is_it = [&](const CheckCase& c) { return c.text() == contract.text(); };
    CHECK(std::ranges::any_of(tiny_grid(1), is_it));
    CHECK(std::ranges::any_of(quick_grid(1), is_it));
  }
}

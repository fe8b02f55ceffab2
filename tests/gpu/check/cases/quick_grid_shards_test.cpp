#include "gpu/check/cases/quick_grid.hpp"
#include "gpu/check/problems/runs.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/check/cases/grid_counts.hpp"

using namespace skt::gpu;

TEST_CASE("Ranks have as many cases as their axes have values", "[unit]") {
  CHECK(counts_of(cases_of(add_shard_cases)) ==
        Counts{// 6 inputs, 3 masks, 3 counts of keys, 3 budgets; 9 edges with three budgets; 3 sinks with 3 windows; 3
               // of long rows.
               {Operation::select_shards, 6 * 3 * 3 * 3 + 9 * 3 + 3 * 3 + 3},
               // 2 masks, 2 counts of keys and another budget, 2 groups; the usual tables; 3 inputs; 2 of few keys.
               {Operation::sharded_step, 2 * 3 * 2 + 2 + 3 + 2}});
}

TEST_CASE("Where all keys tie the last that is taken lies beside every edge of even runs", "[unit]") {
  for (const Runs& runs : checked_runs(96)) {
    if (runs.size() < 2 || runs.back().keys != 96 / std::ssize(runs)) continue;  // even ones
    for (const Run& run : runs) {
      for (const std::int64_t budget : {run.first - 1, run.first, run.first + 1}) {
        if (run.first == 0) continue;
        bool found = false;
        for (const CheckCase& c : cases_of(add_shard_cases)) {
          found |= c.keys == 96 && c.inputs == InputKind::zeros && c.budget == budget;
        }
        INFO(budget);
        CHECK(found);
      }
    }
  }
}

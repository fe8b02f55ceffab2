#include "gpu/check/cases/contract_cases.hpp"

#include <set>
#include <tuple>

#include "tests/catch.hpp"
#include "tests/gpu/check/cases/grid_counts.hpp"

using namespace skt::gpu;

TEST_CASE("Contracts are few small cases of scores and steps", "[unit]") {
  const std::vector<CheckCase> cases = cases_of(add_contract_cases);
  CHECK(counts_of(cases).size() == 3);
  CHECK(cases.size() >= 3 * 5 * 3);  // masks and groups of each operation
  CHECK(cases.size() <= 60);         // the quick grid has 3,260 others
  for (const CheckCase& c : cases) {
    CHECK((c.keys <= 200 && c.all_rows() <= 16 && c.tables <= 9));
    CHECK((c.keys > 128 && c.keys % 64 != 0));  // a tail behind full tiles of either size
  }
}

TEST_CASE("Contracts hold every mask with every group, and of steps with sink and window", "[unit]") {
  std::set<std::tuple<Operation, std::int64_t, MaskKind>> groups_masks;
  std::set<std::tuple<MaskKind, bool>> sinks, windows;
  std::set<std::tuple<std::int64_t, double>> temperatures;
  for (const CheckCase& c : cases_of(add_contract_cases)) {
    groups_masks.emplace(c.operation, c.group(), c.mask);
    if (c.operation != Operation::decode_step) continue;
    sinks.emplace(c.mask, c.sink > 0);
    windows.emplace(c.mask, c.window > 0);
    temperatures.emplace(c.group(), c.temperature);
  }
  CHECK(groups_masks.size() == 3 * 3 * 5);
  CHECK(sinks.size() == 5 * 2);
  CHECK(windows.size() == 5 * 2);
  CHECK(temperatures.size() == 3 * 2);
}

#include "gpu/check/cases/quick_grid.hpp"

#include <cstdint>
#include <iterator>
#include <map>
#include <set>

#include "gpu/check/cases/grid.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("The full grid holds every operation, mask, kind of input and number of planes", "[unit][gpu]") {
  std::set<Operation> operations;
  std::set<MaskKind> masks;
  std::set<InputKind> inputs;
  std::set<std::int64_t> planes, keys;
  for (const CheckCase& c : full_grid(1)) {
    operations.insert(c.operation);
    masks.insert(c.mask);
    inputs.insert(c.inputs);
    planes.insert(c.planes);
    keys.insert(c.keys);
  }
  CHECK(operations.size() == 29);
  CHECK(masks.size() == 5);
  CHECK(inputs.size() == 11);
  CHECK(planes.size() == 16);
  for (const std::int64_t n : {1, 31, 32, 33, 1000, 4096, 32768, 131072, 1 << 20}) CHECK(keys.count(n) == 1);
}

TEST_CASE("The cases of pairs take every operation through the key counts, masks and planes that it has", "[unit]") {
  std::map<Operation, std::set<std::int64_t>> keys, planes;
  std::map<Operation, std::set<MaskKind>> masks;
  for (const CheckCase& c : pairs_of_axes(1)) {
    keys[c.operation].insert(c.keys);
    masks[c.operation].insert(c.mask);
    planes[c.operation].insert(c.planes);
  }
  CHECK(keys.size() == 13);
  for (const auto& [operation, met] : planes) {
    INFO(name_of(operation));
    CHECK(keys[operation] == std::set<std::int64_t>{1, 31, 32, 33, 1000, 4096, 32768, 131072, 1 << 20});
    CHECK(masks[operation].size() == 5);
    const PlaneRange range = planes_of(operation);
    CHECK((met.size() == 1 || std::ssize(met) == range.most - range.least + 1));
  }
}

TEST_CASE("No case of pairs is one that a host cannot check or a kernel does not take", "[unit]") {
  for (const CheckCase& c : pairs_of_axes(1)) {
    INFO(c.text());
    CHECK(c.capacity % 64 == 0);
    CHECK((c.capacity > c.keys && c.capacity <= c.keys + 64));
    CHECK(c.kv_rows() * c.capacity * c.dim <= 1 << 26);
    CHECK(c.heads <= 64);
    CHECK(c.planes >= planes_of(c.operation).least);
    // The half-tables of one head, 2^high + 2^low entries of 4 bytes to a table, in 227 KiB of shared memory.
    if (c.operation == Operation::score_packed) {
      const std::int64_t entries = (1 << (c.planes + 1) / 2) + (1 << c.planes / 2);
      CHECK((c.tables + 3) / 4 * 4 * entries * 4 <= 232448);
    }
  }
}

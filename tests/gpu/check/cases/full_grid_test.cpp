#include "gpu/check/cases/quick_grid.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <utility>

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

TEST_CASE("The cases of pairs take every operation through all of its axes", "[unit]") {
  using Numbers = std::set<std::int64_t>;
  using Operations = std::set<Operation>;
  using Types = std::set<NumberType>;
  struct Met {
    Numbers keys, batch, kv_heads, heads, group, dim, tables, planes, budget, sink, window, page_size, query_rows;
    std::set<MaskKind> mask;
    std::set<InputKind> inputs;
    Types type;
    std::set<Profile> profile;
    std::set<PageLayout> pages;
    std::set<CacheForm> cache;
  };
  std::map<Operation, Met> met;
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
                                     {&m.page_size, c.page_size},
                                     {&m.query_rows, c.query_rows}}) {
      set->insert(value);
    }
    m.mask.insert(c.mask);
    m.inputs.insert(c.inputs);
    m.type.insert(c.type);
    m.profile.insert(c.profile);
    m.pages.insert(c.pages);
    m.cache.insert(c.cache);
  }

  const Operations operations = {Operation::hash_keys,     Operation::build_index,      Operation::value_norms,
                                 Operation::soft_buckets,  Operation::score_buckets,    Operation::score_packed,
                                 Operation::select_keys,   Operation::published_list,   Operation::decode_step,
                                 Operation::decode_signed, Operation::sparse_attention, Operation::paged_index,
                                 Operation::decode_rows};
  const Operations attend = {Operation::published_list, Operation::sparse_attention, Operation::decode_step,
                             Operation::decode_signed,  Operation::paged_index,      Operation::decode_rows};
  const Operations steps = {Operation::decode_step, Operation::decode_signed, Operation::paged_index,
                            Operation::decode_rows};
  CHECK(met.size() == operations.size());
  for (const Operation operation : operations) {
    INFO(name_of(operation));
    const Met& m = met[operation];
    const bool attends = attend.contains(operation), steps_on = steps.contains(operation);
    const bool builds = operation == Operation::build_index, selects = operation == Operation::select_keys;
    const bool hashes = !selects && (!attends || steps_on);
    CHECK(m.keys == Numbers{1, 31, 32, 33, 1000, 4096, 32768, 131072, 1 << 20});
    CHECK(m.batch == Numbers{1, 2, 3, 8});
    CHECK(m.kv_heads == Numbers{1, 2, 5, 8});
    CHECK(m.group == Numbers{1, 2, 3, 4, 8});
    CHECK(*m.heads.rbegin() == 64);
    CHECK(m.mask.size() == 5);
    CHECK(m.inputs.size() == (builds ? 5 : attends ? 9 : 11));
    if (!selects) {
      CHECK(m.dim == (attends || builds ? Numbers{32, 64, 128, 256} : Numbers{16, 24, 64, 96, 128, 200, 256}));
      CHECK(m.type == (builds ? Types{NumberType::f16, NumberType::bf16}
                              : Types{NumberType::f32, NumberType::f16, NumberType::bf16}));
    }
    if (hashes && operation != Operation::value_norms) {
      CHECK(m.tables == Numbers{1, 2, 7, 31, 32, 33, 60, 64, 128});
      const bool packed = builds || steps_on || operation == Operation::score_packed;
      const bool longest = packed || operation == Operation::soft_buckets;
      CHECK(*m.planes.begin() == (packed ? 4 : 1));
      CHECK(*m.planes.rbegin() == (longest ? 16 : 15));
      CHECK(m.planes.size() == static_cast<std::size_t>(*m.planes.rbegin() - *m.planes.begin() + 1));
    }
    if (operation == Operation::value_norms || operation == Operation::soft_buckets ||
        operation == Operation::score_buckets) {
      CHECK(m.profile.size() == 5);
    }
    if (attends || selects) {
      CHECK(m.budget == Numbers{1, 37, 128, 1000});
      CHECK(m.sink == Numbers{0, 5, 128});
      CHECK(m.window == Numbers{0, 7, 128});
    }
    if (operation == Operation::paged_index) {
      CHECK(m.pages == std::set{PageLayout::hnd, PageLayout::nhd});
      CHECK(m.page_size == Numbers{64, 128, 1024});
    } else if (operation == Operation::sparse_attention || steps_on) {
      CHECK(m.pages.size() == 3);
      CHECK(m.cache.size() == 3);
      CHECK(m.page_size == Numbers{1, 16, 256});
    }
    CHECK(m.query_rows == (operation == Operation::decode_rows ? Numbers{1, 2, 3, 8} : Numbers{1}));
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

// Which cases of several query rows to a sequence does the quick grid hold? Each runs all lengths of
// lengths_of_query_rows() (gpu/check/problems/step_lengths.hpp) by both rules.
#include "gpu/check/cases/grid_builder.hpp"
#include "gpu/check/cases/quick_grid.hpp"

namespace skt::gpu {
namespace {

CheckCase rows_case() {
  CheckCase c;
  c.operation = Operation::decode_rows;
  c.batch = 3;
  c.kv_heads = c.heads = 2;
  c.keys = 200;
  c.dim = 32;
  c.tables = 8;
  c.budget = 20;
  c.sink = 4;
  c.window = 10;
  c.query_rows = 3;
  return c;
}

// One row as well: a field of 1 is a step of old. Groups of one pass and of several.
void add_rows_and_groups(Grid& grid) {
  CheckCase c = rows_case();
  for (const std::int64_t rows : {1, 2, 3, 8}) {
    for (const std::int64_t group : {1, 2, 4, 8}) {
      c.query_rows = rows;
      c.heads = c.kv_heads * group;
      grid.add(c);
    }
  }
  c.heads = c.kv_heads * 5;  // the last pass is of fewer heads
  grid.add(c);
}

// Sequences that are never as long as they have rows; a full cache; a list of every key.
void add_few_keys(Grid& grid) {
  CheckCase c = rows_case();
  c.query_rows = 8;
  for (const std::int64_t keys : {1, 5}) {
    c.keys = keys;
    add_groups(grid, c);
  }
  c.keys = 128;
  c.budget = 200;
  grid.add_full(c);
}

void add_masks_and_types(Grid& grid) {
  CheckCase c = rows_case();
  for (const MaskKind mask : {MaskKind::random, MaskKind::padding, MaskKind::causal, MaskKind::nothing}) {
    c.mask = mask;
    add_groups(grid, c);
  }
  c.mask = MaskKind::none;
  c.heads = 4;
  for (const InputKind inputs : {InputKind::ties, InputKind::zeros}) {
    c.inputs = inputs;
    grid.add(c);
  }
  c.inputs = InputKind::gaussian;
  c.type = NumberType::f32;
  grid.add(c);
  c.type = NumberType::f16;
  c.dim = 128;
  for (const PageLayout pages : {PageLayout::hnd, PageLayout::nhd}) {
    c.pages = pages;
    grid.add(c);
  }
  c.cache = CacheForm::e4m3;
  grid.add(c);
}

// Codes, norms and masks in pages too, which are then of whole tiles.
void add_pages_of_the_index(Grid& grid) {
  CheckCase c = rows_case();
  c.pages = PageLayout::hnd;
  c.page_size = 64;
  for (const MaskKind mask : {MaskKind::none, MaskKind::random}) {
    c.mask = mask;
    add_groups(grid, c);
  }
  c.pages = PageLayout::nhd;
  c.page_size = 128;
  c.query_rows = 8;
  grid.add(c);
}

// The usual tables; tables too large for fp16, which four heads then score one by one; and 16 planes.
void add_tables(Grid& grid) {
  CheckCase c = rows_case();
  c.planes = 10;
  for (const std::int64_t tables : {60, 132}) {
    c.tables = tables;
    add_groups(grid, c);
  }
  c.planes = 16;
  c.tables = 16;
  c.heads = 8;
  grid.add(c);
}

// Many sequences; rows that go on as soon as they are scored, with one pass and with several.
void add_many_and_long(Grid& grid) {
  CheckCase c = rows_case();
  c.batch = 64;
  c.kv_heads = 8;
  c.heads = 8;
  c.query_rows = 2;
  c.keys = 130;
  grid.add(c);
  c.batch = 2;
  c.query_rows = 4;
  c.keys = 12000;
  c.tables = 4;
  c.planes = 10;
  c.budget = 400;
  add_groups(grid, c);
}

}  // namespace

void add_query_row_cases(Grid& grid) {
  add_rows_and_groups(grid);
  add_few_keys(grid);
  add_masks_and_types(grid);
  add_pages_of_the_index(grid);
  add_tables(grid);
  add_many_and_long(grid);
}

}  // namespace skt::gpu

// Which cases of an index in pages does the quick grid hold? Both layouts of keys and values, pages of one tile and of
// several, each kernel of packed scores, masks, and rows long enough to go on by themselves.
#include <initializer_list>

#include "gpu/check/cases/grid_builder.hpp"
#include "gpu/check/cases/quick_grid.hpp"

namespace skt::gpu {
namespace {

void add_writes(Grid& grid) {
  CheckCase c;
  c.operation = Operation::paged_writes;
  c.batch = 3;
  c.heads = c.kv_heads = 2;
  c.keys = 300;
  c.pages = PageLayout::hnd;
  for (const std::int64_t dim : kAttentionDims) {
    c.dim = dim;
    c.type = dim == 64 ? NumberType::f16 : dim == 32 ? NumberType::f32 : NumberType::bf16;
    c.planes = dim == 128 ? 10 : 8;
    c.tables = dim == 128 ? 60 : 5;
    for (const std::int64_t page_size : {64, 128, 256}) {
      c.page_size = page_size;
      c.pages = page_size == 128 ? PageLayout::nhd : PageLayout::hnd;
      grid.add(c);
    }
  }
  c.dim = 64;
  c.batch = 1;
  c.heads = c.kv_heads = 5;
  c.keys = 1000;
  c.page_size = 512;
  grid.add(c);
}

// One query head to a kv head and more, which by two rules are the four kernels; heads in one pass and in two.
void add_groups_of(Grid& grid, CheckCase c, std::initializer_list<std::int64_t> groups) {
  for (const std::int64_t group : groups) {
    c.heads = c.kv_heads * group;
    grid.add(c);
  }
}

void add_indexes(Grid& grid) {
  CheckCase c;
  c.operation = Operation::paged_index;
  c.batch = 3;
  c.kv_heads = 2;
  c.tables = 8;
  c.dim = 32;
  c.sink = 4;
  c.window = 40;
  c.budget = 50;
  c.keys = 700;
  c.pages = PageLayout::hnd;
  for (const MaskKind mask : values_of<MaskKind>()) {
    for (const std::int64_t page_size : {64, 256}) {
      c.mask = mask;
      c.page_size = page_size;
      add_groups_of(grid, c, {1, 4});
    }
  }
  c.mask = MaskKind::none;
  c.tables = 60;  // an instance of the scores knows these tables and planes, and where there are no pages
  c.planes = 10;
  add_groups_of(grid, c, {1, 4});
  c.tables = 8;
  c.planes = 8;
  c.mask = MaskKind::random;
  c.pages = PageLayout::nhd;
  c.page_size = 128;
  add_groups_of(grid, c, {2, 6, 10});
  c.planes = 16;
  add_groups_of(grid, c, {1, 4});
  c.planes = 8;
  c.kv_heads = 3;
  c.keys = 60;  // a page of more keys than there are
  c.page_size = 512;
  add_groups_of(grid, c, {1, 4});
}

void add_long_indexes(Grid& grid) {
  CheckCase c;
  c.operation = Operation::paged_index;
  c.batch = 2;
  c.kv_heads = 8;
  c.keys = 26000;
  c.dim = 32;
  c.tables = 36;  // of two stages
  c.planes = 10;
  c.budget = 700;
  c.sink = c.window = 8;
  c.pages = PageLayout::hnd;
  c.page_size = 64;
  add_groups_of(grid, c, {1, 4});
  c.batch = 40;
  c.keys = 200;
  c.page_size = 128;
  c.budget = 20;
  c.tables = 4;
  add_groups_of(grid, c, {1, 4});
}

}  // namespace

void add_page_cases(Grid& grid) {
  add_writes(grid);
  add_indexes(grid);
  add_long_indexes(grid);
}

}  // namespace skt::gpu

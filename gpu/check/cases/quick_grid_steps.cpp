// Which cases of whole steps does the quick grid hold? The decode step by both rules, after an appended key, over long
// rows, and the published way from keys to the output.
#include <initializer_list>
#include <utility>

#include "gpu/check/cases/grid_builder.hpp"
#include "gpu/check/cases/quick_grid.hpp"

namespace skt::gpu {
namespace {

// Every mask with every count of heads, whichever `heads` names, over few and many keys; `c` is left as the last.
void add_masks_heads_keys(Grid& grid, CheckCase& c, std::int64_t CheckCase::* heads,
                          std::initializer_list<std::int64_t> counts) {
  for (const MaskKind mask : values_of<MaskKind>()) {
    for (const std::int64_t count : counts) {
      for (const std::int64_t keys : {1, 20, 2000}) {
        c.mask = mask;
        c.*heads = count;
        c.keys = keys;
        c.budget = keys / 10 + 1;
        grid.add(c);
      }
    }
  }
}

void add_decode_step(Grid& grid) {
  CheckCase c;
  c.operation = Operation::decode_step;
  c.batch = 2;
  c.heads = 8;
  c.dim = 128;
  c.tables = 60;
  c.planes = 10;
  c.sink = 8;
  c.window = 8;
  add_masks_heads_keys(grid, c, &CheckCase::kv_heads, {1, 2, 8});
  c.mask = MaskKind::none;
  c.keys = 2000;
  c.dim = 64;
  c.planes = 8;
  c.type = NumberType::f16;
  grid.add(c);
  for (const PageLayout pages : {PageLayout::hnd, PageLayout::nhd}) {
    for (const std::int64_t page_size : {16, 64}) {
      c.pages = pages;
      c.page_size = page_size;
      grid.add(c);
    }
  }
}

void add_decode_step_shapes(Grid& grid) {
  CheckCase c;
  c.operation = Operation::decode_step;
  c.mask = MaskKind::none;
  c.type = NumberType::f16;
  c.keys = 2000;
  c.budget = 201;
  c.sink = 8;
  c.window = 8;
  c.page_size = 64;
  c.batch = 1;  // half-tables of few blocks that take long: others score at once
  c.dim = 256;
  c.heads = 4;
  for (const auto& [planes, tables] : {std::pair{15, 16}, {16, 16}, {16, 60}}) {
    c.planes = planes;
    c.tables = tables;
    for (const std::int64_t kv_heads : {1, 4}) {
      c.kv_heads = kv_heads;
      grid.add(c);
    }
  }
  c.planes = 8;
  c.batch = 8;  // blocks of the scores that pass from one kv row to the next
  c.kv_heads = 16;
  c.tables = 4;
  c.keys = 4500;
  c.dim = 32;
  add_groups(grid, c);
}

void add_signed_steps(Grid& grid) {
  CheckCase c = grouped_case(Operation::decode_signed);
  c.tables = 32;
  c.planes = 10;
  c.sink = 8;
  c.window = 8;
  add_masks_heads_keys(grid, c, &CheckCase::heads, {2, 8});
  c.mask = MaskKind::none;
  c.pages = PageLayout::nhd;
  for (const NumberType type : values_of<NumberType>()) {
    for (const InputKind inputs : {InputKind::gaussian, InputKind::ties, InputKind::zeros, InputKind::needle}) {
      c.type = type;
      c.inputs = inputs;
      grid.add(c);
    }
  }
  c.planes = 16;
  c.tables = 40;
  grid.add(c);
}

// Lengths of their own, by both rules: few heads and many, masks, pages, a list that takes every key of most lengths;
// and so many tiles that rows go on as soon as they are scored, some of them with none.
void add_lengths(Grid& grid) {
  CheckCase c;
  c.operation = Operation::decode_lengths;
  c.batch = 5;
  c.kv_heads = 2;
  c.tables = 8;
  c.dim = 32;
  c.sink = 4;
  c.window = 40;
  for (const MaskKind mask : {MaskKind::none, MaskKind::random, MaskKind::causal}) {
    for (const std::int64_t keys : {40, 64, 700}) {
      c.mask = mask;
      c.keys = keys;
      c.budget = keys == 700 ? 50 : 200;
      add_groups(grid, c);
    }
  }
  c.mask = MaskKind::none;
  c.heads = 4;
  c.pages = PageLayout::nhd;
  grid.add(c);
  c.pages = PageLayout::none;
  c.keys = 640;
  grid.add_full(c);
  c.batch = 64;
  c.kv_heads = 8;
  c.keys = 130;
  c.heads = 8;
  grid.add(c);
  c.batch = 9;
  c.keys = 6000;
  c.planes = 10;
  c.tables = 36;
  c.budget = 400;
  add_groups(grid, c);
}

// One of ragged lengths to a kernel of long rows, each row over several blocks.
void add_long_lengths(Grid& grid) {
  CheckCase c;
  c.operation = Operation::decode_lengths;
  c.batch = 3;
  c.kv_heads = 4;
  c.keys = 36000;
  c.dim = 32;
  c.tables = 4;
  c.planes = 10;
  c.budget = 900;
  c.sink = 8;
  c.window = 8;
  add_groups(grid, c);
}

// Instances of the scores that know what a launch of a step has not: of the usual tables, whose steps without lengths are
// above, and of others.
void add_step_instances(Grid& grid) {
  CheckCase c;
  c.operation = Operation::decode_lengths;
  c.batch = 3;
  c.keys = 200;
  c.dim = 32;
  c.tables = 60;
  c.planes = 10;
  c.budget = 50;
  c.sink = 4;
  c.window = 40;
  add_groups(grid, c);
  for (const TableShape& shape : kTablesOfStepInstances) {
    c.tables = shape.tables;
    c.planes = shape.planes;
    for (const Operation operation : {Operation::decode_lengths, Operation::decode_step}) {
      c.operation = operation;
      add_groups(grid, c);
    }
  }
}

// Over a cache of e4m3: both rules, types, dimensions, pages, long rows, and lengths of their own.
void add_steps_over_bytes(Grid& grid) {
  CheckCase c = grouped_case(Operation::decode_step);
  c.cache = CacheForm::e4m3;
  c.keys = 2000;
  c.budget = 201;
  c.sink = c.window = 8;
  c.tables = 16;
  c.planes = 8;
  for (const Operation operation : {Operation::decode_step, Operation::decode_signed}) {
    for (const std::int64_t dim : kAttentionDims) {
      c.operation = operation;
      c.dim = dim;
      c.type = dim == 32 ? NumberType::f32 : dim == 64 ? NumberType::f16 : NumberType::bf16;
      c.pages = dim == 128 ? PageLayout::nhd : dim == 256 ? PageLayout::hnd : PageLayout::none;
      grid.add(c);
    }
  }
  c.operation = Operation::decode_lengths;
  c.batch = 5;
  c.keys = 700;
  c.budget = 50;
  c.sink = 4;
  c.window = 40;
  c.dim = 128;
  for (const PageLayout pages : {PageLayout::none, PageLayout::nhd}) {
    c.pages = pages;
    add_groups(grid, c);
  }
  c.operation = Operation::decode_step;  // rows that go on as soon as they are scored, as below
  c.pages = PageLayout::none;
  c.batch = 2;
  c.kv_heads = c.heads = 8;
  c.keys = 22000;
  c.budget = 700;
  c.tables = 4;
  c.planes = 10;
  grid.add(c);
}

void add_append_steps(Grid& grid) {
  CheckCase c;
  c.operation = Operation::append_step;
  for (const std::int64_t keys : {33, 64, 65, 2000, 20000}) {  // the last of a tile, and the first
    for (const auto& [heads, kv_heads] : {std::pair{1, 1}, {8, 1}, {8, 8}}) {
      c.keys = keys;
      c.heads = heads;
      c.kv_heads = kv_heads;
      c.dim = keys == 65 ? 256 : 128;
      c.tables = keys == 65 ? 16 : 60;
      c.planes = keys == 65 ? 15 : 10;
      c.type = keys == 33 ? NumberType::f32 : keys == 64 ? NumberType::f16 : NumberType::bf16;
      grid.add(c);
    }
  }
  c.keys = 45000;  // rows that go on as soon as they are scored, as below
  c.dim = 64;
  c.tables = 8;
  c.kv_heads = 8;
  for (const std::int64_t heads : {8, 32}) {
    c.heads = heads;
    grid.add(c);
  }
  half_of_the_device(c);  // room for a selection that is launched while the counters are still the last step's
  grid.add(c);
}

// Keys enough that each warp of the scores takes several tiles of two stages of tables one after another, and that the
// selection divides a row among several blocks.
void add_long_rows(Grid& grid) {
  CheckCase c;
  c.batch = 1;
  c.kv_heads = 8;
  c.keys = 60000;
  c.dim = 32;
  c.tables = 60;
  c.planes = 10;
  c.budget = 1800;
  c.sink = 128;
  c.window = 128;
  for (const Operation operation : {Operation::score_packed, Operation::decode_step}) {
    for (const std::int64_t heads : {8, 32}) {
      c.operation = operation;
      c.heads = heads;
      grid.add(c);
    }
  }
}

// Rows long enough that each goes on as soon as it is scored (should_count_rows() on up to 132 multiprocessors): more
// than blocks divide evenly, heads in one pass and in two, masks, pages.
void add_rows_of_their_own(Grid& grid) {
  CheckCase c;
  c.operation = Operation::decode_step;
  c.batch = 2;
  c.kv_heads = 8;
  c.keys = 22000;
  c.dim = 32;
  c.tables = 4;
  c.planes = 10;
  c.budget = 700;
  c.sink = 8;
  c.window = 8;
  for (const MaskKind mask : {MaskKind::random, MaskKind::padding}) {
    c.mask = mask;
    c.heads = mask == MaskKind::random ? 8 : 64;
    grid.add(c);
  }
  c.mask = MaskKind::none;
  c.heads = 16;
  c.pages = PageLayout::nhd;
  grid.add(c);
  c.operation = Operation::decode_signed;
  c.tables = 8;
  grid.add(c);
}

// Rows of one tile, as when many sequences have just begun; of three, by the signed rule, with heads that fill four or
// leave some out; and of seven. So many that a block counts those of several pairs of rows one after the other, and of
// seven each goes on as soon as it is scored.
void add_many_short_rows(Grid& grid) {
  CheckCase c;
  c.operation = Operation::decode_step;
  c.batch = 64;
  c.kv_heads = 8;
  c.keys = 40;
  c.dim = 32;
  c.budget = 10;
  c.sink = 2;
  c.window = 2;
  add_groups(grid, c);
  CheckCase of_three = c;
  of_three.operation = Operation::decode_signed;
  of_three.keys = 130;
  for (const std::int64_t group : {2, 3, 4, 5, 6, 7}) {
    of_three.heads = group * c.kv_heads;
    grid.add(of_three);
  }
  c.kv_heads = 16;
  c.keys = 400;
  c.heads = 16;
  grid.add(c);
  c.operation = Operation::append_step;
  c.sink = c.window = 0;
  grid.add(c);
}

// From keys, values and query to the output, under each profile with the masks that its code takes.
void add_pipeline(Grid& grid) {
  for (const Profile profile : values_of<Profile>()) {
    CheckCase c = grouped_case(Operation::pipeline);
    c.profile = profile;
    c.tables = 8;
    c.budget = 20;
    c.planes = 6;
    const bool length_only = profile == Profile::gpt_fast || profile == Profile::hf;
    const std::vector<MaskKind> masks = length_only ? std::vector{MaskKind::none} : values_of<MaskKind>();
    for (const MaskKind mask : masks) {
      for (const InputKind inputs : {InputKind::gaussian, InputKind::needle, InputKind::large}) {
        for (const std::int64_t keys : {1, 33, 300}) {
          c.mask = mask;
          c.inputs = inputs;
          c.type = keys == 33 ? NumberType::f16 : NumberType::bf16;
          c.sink = c.window = keys == 33 ? 0 : 8;
          c.keys = keys;
          grid.add(c);
        }
      }
    }
  }
}

}  // namespace

void add_step_cases(Grid& grid) {
  add_decode_step(grid);
  add_decode_step_shapes(grid);
  add_signed_steps(grid);
  add_lengths(grid);
  add_long_lengths(grid);
  add_step_instances(grid);
  add_steps_over_bytes(grid);
  add_append_steps(grid);
  add_long_rows(grid);
  add_rows_of_their_own(grid);
  add_many_short_rows(grid);
  add_pipeline(grid);
}

}  // namespace skt::gpu

// Which cases of buckets and scores does the quick grid hold? Each over key counts around the sizes of a warp, a tile
// and a block, types, masks, kinds of input, planes and profiles.
#include "gpu/check/cases/grid_builder.hpp"
#include "gpu/check/cases/quick_grid.hpp"

namespace skt::gpu {
namespace {

void add_soft_buckets(Grid& grid) {
  CheckCase c;
  c.operation = Operation::soft_buckets;
  c.heads = c.kv_heads = 3;
  c.tables = 5;
  for (c.planes = 1; c.planes <= 16; ++c.planes) grid.add(c);
  c.planes = 10;
  for (const Profile profile : values_of<Profile>()) {
    for (const std::int64_t planes : {1, 5, 10}) {
      c.profile = profile;
      c.planes = planes;
      grid.add(c);
    }
  }
  c.profile = Profile::paper;
  c.planes = 10;
  for (const std::int64_t dim : {16, 128, 256}) {
    for (const NumberType type : values_of<NumberType>()) {
      for (const double temperature : {0.001, 0.3, 10.0}) {
        c.dim = dim;
        c.type = type;
        c.temperature = temperature;
        grid.add(c);
      }
    }
  }
  for (const InputKind inputs : {InputKind::zeros, InputKind::large}) {
    c.inputs = inputs;
    grid.add(c);
  }
}

void add_scores(Grid& grid, Operation operation) {
  CheckCase c = grouped_case(operation);
  for (const InputKind inputs :
       {InputKind::dyadic, InputKind::gaussian, InputKind::zeros, InputKind::large, InputKind::non_finite}) {
    c.inputs = inputs;
    for (const MaskKind mask : values_of<MaskKind>()) {
      c.mask = mask;
      for (const std::int64_t keys : kKeyCounts) {
        c.keys = keys;
        grid.add(c);
      }
    }
  }
  c.mask = MaskKind::random;
  c.inputs = InputKind::gaussian;
  c.keys = 300;
  for (c.planes = 4; c.planes <= planes_of(operation).most; ++c.planes) {
    c.batch = c.planes < 14 ? 2 : 1;  // the host makes 2^planes probabilities for each table of each head
    for (const std::int64_t tables : {1, 31, 32, 33, 60, 65}) {
      c.tables = tables;
      grid.add(c);
    }
  }
  c.batch = 2;
  c.planes = 10;
  c.tables = 60;
  c.keys = 20000;
  grid.add(c);
}

// Tables and planes that an instance of the kernel knows, and with no mask that there is none; and planes alone.
void add_usual_tables(Grid& grid) {
  CheckCase c = grouped_case(Operation::score_packed);
  c.tables = 60;
  c.planes = 10;
  for (const MaskKind mask : values_of<MaskKind>()) {
    c.mask = mask;
    for (const std::int64_t keys : {1, 64, 300}) {
      c.keys = keys;
      add_groups(grid, c);
    }
  }
  c.mask = MaskKind::none;
  for (const TableShape& shape : kTablesOfStepInstances) {
    c.tables = shape.tables;
    c.planes = shape.planes;
    add_groups(grid, c);
  }
}

// More units of keys than the device holds blocks: a block passes from one kv row to the next.
void add_many_kv_rows(Grid& grid) {
  CheckCase c;
  c.operation = Operation::score_packed;
  c.batch = 8;
  c.kv_heads = 16;
  c.dim = 16;
  c.keys = 4500;
  add_groups(grid, c);
  c.batch = 2;
  c.tables = 60;
  c.planes = 10;
  add_groups(grid, c);
}

// Rows of one tile, as when many sequences have just begun, and of a few: a warp's next tile is several kv rows on, and
// a block's range spans more rows than it keeps half-tables of.
void add_short_rows(Grid& grid) {
  CheckCase c;
  c.operation = Operation::score_packed;
  c.batch = 64;
  c.kv_heads = 8;
  c.dim = 16;
  for (const std::int64_t keys : {40, 64, 200}) {
    c.keys = keys;
    add_groups(grid, c);
  }
  c.tables = 60;
  c.planes = 10;
  add_groups(grid, c);
}

void add_signed_scores(Grid& grid) {
  CheckCase c = grouped_case(Operation::score_signed);
  c.mask = MaskKind::random;
  c.keys = 300;
  for (const std::int64_t bits : {64, 320, 640}) {
    for (const std::int64_t planes : {8, 10, 16}) {
      c.planes = planes;
      c.tables = bits / planes;
      grid.add(c);
    }
  }
}

// By the signed rule: one query head to a kv head, and groups that fill no four, four, eight, and two passes of eight;
// words that fill no four, and more than the warps of a block keep; keys around a tile; inputs whose weights are exact,
// none, or below the normal range.
void add_signed_groups(Grid& grid) {
  CheckCase c = grouped_case(Operation::score_signed);
  c.keys = 200;
  c.planes = 10;
  c.tables = 60;
  for (const std::int64_t group : {1, 2, 3, 4, 5, 7, 8, 16, 32}) {
    c.heads = group * c.kv_heads;
    for (const MaskKind mask : values_of<MaskKind>()) {
      c.mask = mask;
      grid.add(c);
    }
  }
  c.heads = 4 * c.kv_heads;
  c.mask = MaskKind::none;
  c.planes = 8;
  for (const std::int64_t words : {1, 2, 3, 4, 5, 6, 7, 13, 15, 16}) {
    c.tables = 4 * words;
    grid.add(c);
  }
  c.tables = 180;
  grid.add(c);
  c.tables = 64;
  for (const std::int64_t keys : {1, 63, 64, 65}) {
    c.keys = keys;
    grid.add(c);
  }
  c.keys = 200;
  for (const InputKind inputs : {InputKind::dyadic, InputKind::zeros, InputKind::subnormals}) {
    c.inputs = inputs;
    grid.add(c);
  }
  c.inputs = InputKind::gaussian;
  c.batch = c.kv_heads = 1;  // behind the heads of the last row is nobody's memory
  c.heads = 3;
  grid.add(c);
}

// By the signed rule: blocks that pass from one kv row to the next, and to several; more tiles to a warp than it keeps at
// once, of words that a kernel knows and of others; and two rows with more words than the warps keep.
void add_signed_rows(Grid& grid) {
  CheckCase c;
  c.operation = Operation::score_signed;
  c.batch = 16;
  c.kv_heads = 16;
  c.dim = 16;
  c.tables = 8;
  c.planes = 8;
  for (const std::int64_t keys : {40, 200, 4500}) {
    c.keys = keys;
    add_groups(grid, c);
  }
  c.batch = 4;
  c.heads = 4 * c.kv_heads;
  c.planes = 10;
  c.tables = 60;
  grid.add(c);
  c.tables = 32;
  c.keys = 8500;
  grid.add(c);
  c.batch = 1;
  c.heads = 8 * c.kv_heads;
  c.tables = 60;
  grid.add(c);
}

// Query heads that fill no four, and one to a kv head.
void add_groups_that_fill_no_four(Grid& grid) {
  CheckCase c = grouped_case(Operation::score_packed);
  c.mask = MaskKind::random;
  c.planes = 10;
  c.tables = 60;
  c.keys = 1000;
  for (const std::int64_t heads : {2, 6, 16}) {
    c.heads = heads;
    grid.add(c);
  }
}

// The published scoring kernel with each profile's types, and with codes that are none.
void add_profiles(Grid& grid) {
  CheckCase c = grouped_case(Operation::score_buckets);
  c.keys = 200;
  c.planes = 6;
  for (const Profile profile : values_of<Profile>()) {
    for (const InputKind inputs : {InputKind::gaussian, InputKind::large, InputKind::non_finite}) {
      for (const MaskKind mask : values_of<MaskKind>()) {
        c.operation = Operation::score_buckets;
        c.profile = profile;
        c.inputs = inputs;
        c.mask = mask;
        grid.add(c);
      }
    }
    c.inputs = InputKind::gaussian;
    c.operation = Operation::bad_codes;
    for (const std::int64_t tables : {1, 9, 10, 33}) {
      c.tables = tables;
      c.mask = MaskKind::random;
      grid.add(c);
    }
    c.tables = 4;
  }
}

}  // namespace

void add_score_cases(Grid& grid) {
  add_soft_buckets(grid);
  add_scores(grid, Operation::score_buckets);
  add_scores(grid, Operation::score_packed);
  add_usual_tables(grid);
  add_many_kv_rows(grid);
  add_short_rows(grid);
  add_signed_scores(grid);
  add_signed_groups(grid);
  add_signed_rows(grid);
  add_groups_that_fill_no_four(grid);
  add_profiles(grid);
}

}  // namespace skt::gpu

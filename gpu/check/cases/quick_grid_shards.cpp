// Which cases of one sequence over several ranks does the quick grid hold? Each runs all of checked_runs()
// (gpu/check/problems/runs.hpp): 1 to 8 ranks with even, unequal and empty runs of the keys.
#include "gpu/check/cases/grid_builder.hpp"
#include "gpu/check/cases/quick_grid.hpp"

namespace skt::gpu {
namespace {

// Kinds of scores, masks and budgets, none and more than there are keys among them.
void add_selections(Grid& grid) {
  CheckCase c;
  c.operation = Operation::select_shards;
  c.batch = 5;
  c.sink = 5;
  c.window = 7;
  for (const InputKind inputs : {InputKind::gaussian, InputKind::ties, InputKind::zeros, InputKind::low_contrast,
                                 InputKind::large, InputKind::non_finite}) {
    for (const MaskKind mask : {MaskKind::none, MaskKind::random, MaskKind::nothing}) {
      for (const std::int64_t keys : {1, 33, 1000}) {
        for (const std::int64_t budget : {0, 37, 1500}) {
          c.inputs = inputs;
          c.mask = mask;
          c.keys = keys;
          c.budget = budget;
          grid.add(c);
        }
      }
    }
  }
}

// All keys tie, and the last that is taken lies beside an edge of two, three, four or eight even runs.
void add_ties_at_edges(Grid& grid) {
  CheckCase c;
  c.operation = Operation::select_shards;
  c.inputs = InputKind::zeros;
  c.keys = 96;
  for (const std::int64_t edge : {12, 24, 32, 36, 48, 60, 64, 72, 84}) {
    for (const std::int64_t beside : {-1, 0, 1}) {
      c.budget = edge + beside;
      grid.add(c);
    }
  }
}

// Sink and window that reach over the edges of runs, and a rank that is all sink or all window.
void add_wide_ends(Grid& grid) {
  CheckCase c;
  c.operation = Operation::select_shards;
  c.batch = 2;
  c.keys = 300;
  c.budget = 20;
  for (const std::int64_t sink : {0, 80, 200}) {
    for (const std::int64_t window : {0, 75, 160}) {
      c.sink = sink;
      c.window = window;
      grid.add(c);
    }
  }
}

// Rows over several blocks on each rank, with more ties than a block gathers.
void add_long_selections(Grid& grid) {
  CheckCase c;
  c.operation = Operation::select_shards;
  c.batch = 2;
  c.keys = 70000;
  c.sink = c.window = 128;
  for (const InputKind inputs : {InputKind::gaussian, InputKind::ties, InputKind::zeros}) {
    c.inputs = inputs;
    c.budget = 9000;
    grid.add(c);
  }
}

void add_sharded_steps(Grid& grid) {
  CheckCase c;
  c.operation = Operation::sharded_step;
  c.batch = 3;
  c.kv_heads = 2;
  c.sink = 4;
  c.window = 40;
  c.budget = 60;
  for (const MaskKind mask : {MaskKind::none, MaskKind::causal}) {
    for (const std::int64_t keys : {40, 700}) {
      c.mask = mask;
      c.keys = keys;
      c.dim = keys == 40 ? 32 : 64;
      add_groups(grid, c);
    }
    c.budget = 500;  // reaches scores below 0 by the signed rule
    add_groups(grid, c);
    c.budget = 60;
  }
  c.mask = MaskKind::none;
  c.tables = 60;  // an instance of the scores knows these tables and planes, and how ranks count
  c.planes = 10;
  add_groups(grid, c);
  c.tables = 4;
  c.planes = 8;
  c.heads = 2;
  c.keys = 200;
  for (const InputKind inputs : {InputKind::ties, InputKind::needle, InputKind::large}) {
    c.inputs = inputs;
    c.type = inputs == InputKind::ties ? NumberType::f32 : NumberType::f16;
    c.dim = inputs == InputKind::large ? 256 : 128;
    grid.add(c);
  }
}

// Four heads at once, so few keys that the emulated device comes to an end: of the usual tables, and of others.
void add_short_sharded_steps(Grid& grid) {
  CheckCase c;
  c.operation = Operation::sharded_step;
  c.heads = 4;
  c.keys = 100;
  c.dim = 32;
  c.budget = 20;
  c.sink = 4;
  c.window = 10;
  grid.add(c);
  c.tables = 60;
  c.planes = 10;
  grid.add(c);
}

}  // namespace

void add_shard_cases(Grid& grid) {
  add_selections(grid);
  add_ties_at_edges(grid);
  add_wide_ends(grid);
  add_long_selections(grid);
  add_sharded_steps(grid);
  add_short_sharded_steps(grid);
}

}  // namespace skt::gpu

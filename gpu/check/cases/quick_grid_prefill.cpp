// Which cases of the prefill does the quick grid hold? Key counts around the sizes of a warp, a tile and a block; every
// type, kind of input, dimension and number of planes; and an index that is written again behind what reads it.
#include "gpu/check/cases/grid_builder.hpp"
#include "gpu/check/cases/quick_grid.hpp"

namespace skt::gpu {
namespace {

void add_hashes_and_norms(Grid& grid) {
  CheckCase c;
  c.kv_heads = c.heads = 2;
  for (const Operation operation : {Operation::hash_keys, Operation::value_norms}) {
    c.operation = operation;
    for (const NumberType type : values_of<NumberType>()) {
      for (const InputKind inputs : {InputKind::dyadic, InputKind::gaussian, InputKind::zeros, InputKind::constant,
                                     InputKind::large, InputKind::huge, InputKind::subnormals, InputKind::non_finite}) {
        c.type = type;
        c.inputs = inputs;
        c.keys = 129;
        for (const std::int64_t dim : {16, 64, 128, 256}) {
          c.dim = dim;
          grid.add(c);
        }
      }
    }
    c.dim = 64;
    c.inputs = InputKind::dyadic;
    for (const std::int64_t keys : kKeyCounts) {
      c.keys = keys;
      grid.add(c);
    }
    c.inputs = InputKind::gaussian;
  }
  for (const Profile profile : values_of<Profile>()) {
    for (const Operation operation : {Operation::hash_keys, Operation::value_norms}) {
      for (const InputKind inputs : {InputKind::gaussian, InputKind::large, InputKind::huge}) {
        c.operation = operation;
        c.profile = profile;
        c.inputs = inputs;
        grid.add(c);
      }
    }
  }
  c.profile = Profile::paper;
  c.inputs = InputKind::gaussian;
  c.operation = Operation::hash_keys;
  c.keys = 200;
  for (c.planes = 1; c.planes <= kMostInt16Planes; ++c.planes) grid.add(c);
}

void add_build_index(Grid& grid) {
  CheckCase c;
  c.operation = Operation::build_index;
  c.kv_heads = c.heads = 2;
  for (const NumberType type : {NumberType::f16, NumberType::bf16}) {
    c.type = type;
    for (const std::int64_t dim : kAttentionDims) {
      c.dim = dim;
      for (const InputKind inputs : {InputKind::gaussian, InputKind::dyadic, InputKind::zeros, InputKind::large}) {
        c.inputs = inputs;
        c.keys = 129;
        grid.add(c);
      }
      c.inputs = InputKind::dyadic;
      for (const std::int64_t keys : kKeyCounts) {
        c.keys = keys;
        grid.add(c);
      }
    }
  }
}

void add_build_index_shapes(Grid& grid) {
  CheckCase c;
  c.operation = Operation::build_index;
  c.kv_heads = c.heads = 2;
  c.keys = 200;
  for (c.planes = 4; c.planes <= 16; ++c.planes) {
    for (const std::int64_t tables : {1, 16, 33}) {
      c.tables = tables;
      grid.add(c);
    }
  }
  c.dim = 32;
  c.planes = 4;
  c.tables = 1;
  c.keys = 3000;  // 3008 groups of 64 keys: several to a warp
  c.kv_heads = c.heads = 8;
  c.batch = 8;
  grid.add(c);
  c.batch = 1;
  c.kv_heads = c.heads = 2;
  c.dim = 128;
  c.planes = 10;
  c.tables = 300;  // more hyperplanes than the shared memory of a block holds
  c.keys = 300;
  grid.add(c);
}

// Places of appended keys by lengths on the device: types and groups of keys to a warp; one tile; one sequence; many, of
// which a warp takes several; words that tables straddle.
void add_append_lengths(Grid& grid) {
  CheckCase c;
  c.operation = Operation::append_lengths;
  c.batch = 3;
  c.kv_heads = c.heads = 2;
  c.keys = 192;
  for (const NumberType type : values_of<NumberType>()) {
    for (const std::int64_t dim : {32, 128, 256}) {
      c.type = type;
      c.dim = dim;
      grid.add_full(c);
    }
  }
  c.dim = 64;
  c.keys = 64;
  grid.add_full(c);
  c.batch = 1;
  c.keys = 320;
  grid.add_full(c);
  c.batch = 160;
  c.kv_heads = c.heads = 8;
  c.keys = 64;
  c.tables = 1;
  grid.add_full(c);
  c.batch = 2;
  c.kv_heads = c.heads = 3;
  c.keys = 128;
  c.tables = 33;
  c.planes = 15;
  grid.add_full(c);
}

// An index that is written again behind what reads it. A few blocks to a reader, so that a call that does not wait finds
// a free multiprocessor: types; more keys to a row, one query head and four, and dimensions; and longer readers. Eight
// at least, one to each run of kill_matrix.sh.
void add_rewritten_indexes(Grid& grid) {
  CheckCase c = grouped_case(Operation::rewritten_index);
  c.dim = 32;
  c.keys = 200;
  c.tables = 60;
  c.budget = 20;
  for (const NumberType type : values_of<NumberType>()) {
    c.type = type;
    grid.add(c);
  }
  c.batch = c.kv_heads = 1;
  c.keys = 1000;
  c.budget = 100;
  for (const std::int64_t dim : {32, 128}) {
    c.dim = dim;
    add_groups(grid, c);
  }
  c.dim = 32;
  half_of_the_device(c);  // for tens of microseconds, longer than a launch takes
  grid.add(c);
}

}  // namespace

void add_prefill_cases(Grid& grid) {
  add_hashes_and_norms(grid);
  add_build_index(grid);
  add_build_index_shapes(grid);
  add_append_lengths(grid);
  add_rewritten_indexes(grid);
}

}  // namespace skt::gpu

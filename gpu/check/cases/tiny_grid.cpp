// Which cases does the tiny grid hold? Kernel templates at forty keys, but for most of one-head and signed scores; and of
// scores and steps what their contracts name, in keys that end behind full tiles.
#include "gpu/check/cases/contract_cases.hpp"
#include "gpu/check/cases/grid.hpp"
#include "gpu/check/cases/grid_builder.hpp"

namespace skt::gpu {

namespace {

CheckCase tiny_case() {
  CheckCase c;
  c.heads = 2;
  c.keys = 40;
  c.dim = 32;
  c.tables = 2;
  c.mask = MaskKind::random;
  return c;
}

void add_types(Grid& grid) {
  CheckCase c = tiny_case();
  for (const NumberType type : values_of<NumberType>()) {
    c.type = type;
    for (const Operation operation : {Operation::hash_keys, Operation::value_norms, Operation::soft_buckets}) {
      c.operation = operation;
      grid.add(c);
    }
    c.operation = Operation::sparse_attention;
    for (const std::int64_t dim : kAttentionDims) {
      c.dim = dim;
      grid.add(c);
    }
    c.dim = 32;
  }
  c.operation = Operation::sparse_attention;
  c.cache = CacheForm::e4m3;
  for (const std::int64_t dim : kAttentionDims) {
    c.dim = dim;
    grid.add(c);
  }
}

void add_planes_and_indexes(Grid& grid) {
  CheckCase c = tiny_case();
  c.operation = Operation::score_packed;
  for (c.planes = 4; c.planes <= 16; ++c.planes) grid.add(c);
  c.planes = 5;
  CheckCase of_one_head = c;  // three stages of tables, the third in a slot that the first has left
  of_one_head.heads = 1;
  of_one_head.tables = 70;
  grid.add(of_one_head);
  CheckCase usual = c;  // an instance of the scores knows these tables and planes, and that there is no mask
  usual.mask = MaskKind::none;
  usual.tables = 60;
  usual.planes = 10;
  grid.add(usual);
  usual.operation = Operation::score_signed;
  grid.add(usual);
  usual.heads = 1;
  usual.operation = Operation::score_packed;
  grid.add(usual);
  c.mask = MaskKind::none;
  c.operation = Operation::build_index;
  for (const NumberType type : {NumberType::f16, NumberType::bf16}) {
    c.type = type;
    for (const std::int64_t dim : kAttentionDims) {
      c.dim = dim;
      grid.add(c);
    }
  }
}

void add_profiles_and_steps(Grid& grid) {
  CheckCase c = tiny_case();
  c.planes = 5;
  for (const Profile profile : values_of<Profile>()) {
    c.profile = profile;
    for (const Operation operation :
         {Operation::score_buckets, Operation::bad_codes, Operation::soft_buckets, Operation::published_list}) {
      c.operation = operation;
      grid.add(c);
    }
  }
  c.profile = Profile::paper;
  c.operation = Operation::select_keys;
  c.inputs = InputKind::ties;
  for (const std::int64_t keys : {40, 9000}) {  // one block, and a cluster
    c.keys = keys;
    grid.add(c);
  }
  c.inputs = InputKind::gaussian;
  c.keys = 40;
  for (const Operation operation : {Operation::decode_step, Operation::decode_signed}) {
    c.operation = operation;
    grid.add(c);
  }
  for (const Operation operation : {Operation::decode_lengths, Operation::select_shards, Operation::sharded_step}) {
    c.operation = operation;
    grid.add(c);
  }
  CheckCase instance = c;  // of the scores, of lengths and 10 planes
  instance.mask = MaskKind::none;
  instance.planes = 10;
  instance.tables = 30;
  instance.operation = Operation::decode_lengths;
  grid.add(instance);
  CheckCase in_pages = c;
  in_pages.batch = 2;
  in_pages.heads = 1;
  in_pages.keys = 130;  // of three tiles, the first in common
  in_pages.pages = PageLayout::hnd;
  in_pages.page_size = 64;
  for (const Operation operation : {Operation::paged_writes, Operation::paged_index}) {
    in_pages.operation = operation;
    grid.add(in_pages);
  }
  c.operation = Operation::decode_rows;
  c.query_rows = 2;
  grid.add(c);
  c.query_rows = 1;
  c.mask = MaskKind::none;
  for (const Operation operation : {Operation::append_step, Operation::append_lengths, Operation::rewritten_index}) {
    c.operation = operation;
    grid.add(c);
  }
}

}  // namespace

std::vector<CheckCase> tiny_grid(std::uint64_t seed) {
  Grid grid(seed);
  add_types(grid);
  add_planes_and_indexes(grid);
  add_profiles_and_steps(grid);
  add_contract_cases(grid);
  return grid.take();
}

}  // namespace skt::gpu

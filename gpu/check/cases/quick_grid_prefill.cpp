// Which cases of the prefill does the quick grid hold? Key counts around the sizes of a warp, a tile and a
// block; every type, kind of input, dimension and number of planes.
#include "gpu/check/cases/grid_builder.hpp"
#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/cases/quick_grid.hpp"

namespace skt::gpu {
namespace {

void add_hashes_and_norms(Grid& grid) {
  CheckCase c;
  c.kv_heads = c.heads = 2;
  for (const std::string operation : {"hash-keys", "value-norms"}) {
    c.operation = operation;
    for (const std::string& type : kTypes) {
      for (const std::string inputs :
           {"dyadic", "gaussian", "zeros", "constant", "large", "huge", "subnormals", "non-finite"}) {
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
    c.inputs = "dyadic";
    for (const std::int64_t keys : kKeyCounts) {
      c.keys = keys;
      grid.add(c);
    }
    c.inputs = "gaussian";
  }
  for (const std::string& profile : profile_names()) {
    for (const std::string operation : {"hash-keys", "value-norms"}) {
      for (const std::string inputs : {"gaussian", "large", "huge"}) {
        c.operation = operation;
        c.profile = profile;
        c.inputs = inputs;
        grid.add(c);
      }
    }
  }
  c.profile = "paper";
  c.inputs = "gaussian";
  c.operation = "hash-keys";
  c.keys = 200;
  for (c.planes = 1; c.planes <= kMostInt16Planes; ++c.planes) grid.add(c);
}

void add_build_index(Grid& grid) {
  CheckCase c;
  c.operation = "build-index";
  c.kv_heads = c.heads = 2;
  for (const std::string type : {"f16", "bf16"}) {
    c.type = type;
    for (const std::int64_t dim : {32, 64, 128, 256}) {
      c.dim = dim;
      for (const std::string inputs : {"gaussian", "dyadic", "zeros", "large"}) {
        c.inputs = inputs;
        c.keys = 129;
        grid.add(c);
      }
      c.inputs = "dyadic";
      for (const std::int64_t keys : kKeyCounts) {
        c.keys = keys;
        grid.add(c);
      }
    }
  }
  c.dim = 64;
  c.inputs = "gaussian";
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

}  // namespace

void add_prefill_cases(Grid& grid) {
  add_hashes_and_norms(grid);
  add_build_index(grid);
}

}  // namespace skt::gpu

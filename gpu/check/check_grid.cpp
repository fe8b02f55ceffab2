// Which cases does the quick grid hold? Key counts around the sizes of a warp, a tile and a block; every
// type, mask, kind of input and number of planes at least once for each operation they matter to.
#include "gpu/check/check_case.hpp"

namespace skt::gpu {
namespace {

constexpr std::int64_t kTile = 128;

std::int64_t tiles_for(std::int64_t keys) {
  return (keys + kTile - 1) / kTile * kTile;
}

class Grid {
 public:
  explicit Grid(std::uint64_t seed) : seed_(seed) {}

  void add(CheckCase c) {
    c.capacity = tiles_for(c.keys + 1);  // at least one key of the cache is unused
    c.seed = seed_;
    cases_.push_back(c);
  }
  std::vector<CheckCase> take() { return std::move(cases_); }

 private:
  std::uint64_t seed_;
  std::vector<CheckCase> cases_;
};

const std::vector<std::int64_t> kKeyCounts = {1, 31, 32, 33, 127, 128, 129, 1000};
const std::vector<std::string> kTypes = {"f32", "f16", "bf16"};
const std::vector<std::string> kMasks = {"none", "random", "padding", "nothing"};

void add_index_building(Grid& grid) {
  CheckCase c;
  c.kv_heads = c.heads = 2;
  for (const std::string operation : {"hash-keys", "value-norms"}) {
    c.operation = operation;
    for (const std::string& type : kTypes) {
      for (const std::string inputs : {"gaussian", "dyadic", "zeros", "large"}) {
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
  c.operation = "hash-keys";
  c.keys = 200;
  for (c.planes = 1; c.planes <= 15; ++c.planes) grid.add(c);
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
  for (c.planes = 4; c.planes <= 15; ++c.planes) {
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

void add_soft_buckets(Grid& grid) {
  CheckCase c;
  c.operation = "soft-buckets";
  c.heads = c.kv_heads = 3;
  c.tables = 5;
  for (c.planes = 1; c.planes <= 15; ++c.planes) grid.add(c);
  c.planes = 10;
  for (const std::int64_t dim : {16, 128, 256}) {
    for (const std::string& type : kTypes) {
      for (const double temperature : {0.001, 0.3, 10.0}) {
        c.dim = dim;
        c.type = type;
        c.temperature = temperature;
        grid.add(c);
      }
    }
  }
  for (const std::string inputs : {"zeros", "large"}) {
    c.inputs = inputs;
    grid.add(c);
  }
}

void add_scores(Grid& grid) {
  CheckCase c;
  for (const std::string operation : {"score-buckets", "score-packed"}) {
    c = {};
    c.operation = operation;
    c.batch = 2;
    c.heads = 4;
    c.kv_heads = 2;
    for (const std::string inputs : {"gaussian", "dyadic", "zeros", "large"}) {
      c.inputs = inputs;
      for (const std::string& mask : kMasks) {
        c.mask = mask;
        for (const std::int64_t keys : kKeyCounts) {
          c.keys = keys;
          grid.add(c);
        }
      }
    }
    c.mask = "random";
    c.inputs = "gaussian";
    c.keys = 300;
    for (c.planes = 4; c.planes <= 15; ++c.planes) {
      for (const std::int64_t tables : {1, 31, 32, 33, 60, 65}) {
        c.tables = tables;
        grid.add(c);
      }
    }
    c.planes = 10;
    c.tables = 60;
    c.keys = 20000;
    grid.add(c);
  }
}

void add_selection(Grid& grid) {
  CheckCase c;
  c.operation = "select-keys";
  c.heads = c.kv_heads = 3;
  for (const std::string inputs : {"gaussian", "ties", "zeros", "low-contrast", "large"}) {
    for (const std::string& mask : kMasks) {
      for (const std::int64_t keys : {1, 31, 32, 33, 1000, 4096, 40000}) {
        for (const std::int64_t budget : {0, 1, 37, 5000}) {
          c.inputs = inputs;
          c.mask = mask;
          c.keys = keys;
          c.budget = budget;
          c.sink = 5;
          c.window = budget == 37 ? 0 : 7;
          grid.add(c);
        }
      }
    }
  }
  c.heads = c.kv_heads = 1;
  c.keys = 400000;  // more than the shared memory of a cluster holds
  c.mask = "random";
  for (const std::string inputs : {"gaussian", "ties"}) {
    c.inputs = inputs;
    grid.add(c);
  }
}

void add_attention(Grid& grid) {
  CheckCase c;
  c.operation = "sparse-attention";
  c.batch = 2;
  c.heads = 4;
  c.kv_heads = 2;
  c.keys = 700;
  for (const std::string& type : kTypes) {
    for (const std::int64_t dim : {32, 64, 128, 256}) {
      for (const std::string inputs : {"gaussian", "zeros", "large"}) {
        for (const std::int64_t budget : {1, 31, 128, 129, 600}) {
          c.type = type;
          c.dim = dim;
          c.inputs = inputs;
          c.budget = budget;
          grid.add(c);
        }
      }
    }
  }
  c.mask = "nothing";
  c.inputs = "gaussian";
  grid.add(c);
}

void add_decode_step(Grid& grid) {
  CheckCase c;
  c.operation = "decode-step";
  c.batch = 2;
  c.heads = 8;
  c.dim = 128;
  c.tables = 60;
  c.planes = 10;
  c.sink = 8;
  c.window = 8;
  for (const std::string& mask : kMasks) {
    for (const std::int64_t kv_heads : {1, 2, 8}) {
      for (const std::int64_t keys : {1, 20, 2000}) {
        c.mask = mask;
        c.kv_heads = kv_heads;
        c.keys = keys;
        c.budget = keys / 10 + 1;
        grid.add(c);
      }
    }
  }
  c.mask = "none";
  c.keys = 2000;
  c.dim = 64;
  c.planes = 8;
  c.type = "f16";
  grid.add(c);
}

}  // namespace

std::vector<CheckCase> quick_grid(std::uint64_t seed) {
  Grid grid(seed);
  add_index_building(grid);
  add_build_index(grid);
  add_soft_buckets(grid);
  add_scores(grid);
  add_selection(grid);
  add_attention(grid);
  add_decode_step(grid);
  return grid.take();
}

}  // namespace skt::gpu

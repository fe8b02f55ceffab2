// Which cases does the quick grid hold? Key counts around the sizes of a warp, a tile and a block; every
// type, mask, kind of input and number of planes at least once for each operation they matter to.
#include "gpu/check/check_grid.hpp"

#include "gpu/check/full_grid.hpp"
#include "gpu/check/published_profile.hpp"
#include "sim/input_error.hpp"

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
const std::vector<std::string> kMasks = {"none", "random", "padding", "causal", "nothing"};

void add_index_building(Grid& grid) {
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
  for (const std::string& profile : profile_names()) {
    for (const std::int64_t planes : {1, 5, 10}) {
      c.profile = profile;
      c.planes = planes;
      grid.add(c);
    }
  }
  c.profile = "paper";
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
    for (const std::string inputs : {"dyadic", "gaussian", "zeros", "large", "non-finite"}) {
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
  c.operation = "score-signed";
  c.keys = 300;
  for (const std::int64_t bits : {64, 320, 640}) {
    for (const std::int64_t planes : {8, 10}) {
      c.planes = planes;
      c.tables = bits / planes;
      grid.add(c);
    }
  }
  c.operation = "score-packed";  // query heads that fill no four, and one to a kv head
  c.planes = 10;
  c.tables = 60;
  c.keys = 1000;
  for (const std::int64_t heads : {2, 6, 16}) {
    c.heads = heads;
    c.kv_heads = 2;
    grid.add(c);
  }
}

// The published scoring kernel with each profile's types, and with codes that are none.
void add_profiles(Grid& grid) {
  CheckCase c;
  c.batch = 2;
  c.heads = 4;
  c.kv_heads = 2;
  c.keys = 200;
  c.planes = 6;
  for (const std::string& profile : profile_names()) {
    for (const std::string inputs : {"gaussian", "large", "non-finite"}) {
      for (const std::string& mask : kMasks) {
        c.operation = "score-buckets";
        c.profile = profile;
        c.inputs = inputs;
        c.mask = mask;
        grid.add(c);
      }
    }
    c.inputs = "gaussian";
    c.operation = "bad-codes";
    for (const std::int64_t tables : {1, 9, 10, 33}) {
      c.tables = tables;
      c.mask = "random";
      grid.add(c);
    }
    c.tables = 4;
  }
}

void add_published_list(Grid& grid) {
  CheckCase c;
  c.operation = "published-list";
  c.batch = 2;
  c.heads = 4;
  c.kv_heads = 2;
  c.profile = "hf";
  c.sink = 20;
  c.window = 20;
  for (const std::string& mask : kMasks) {
    for (const std::int64_t keys : {1, 33, 39, 40, 700}) {
      for (const std::int64_t budget : {1, 40, 700}) {
        c.mask = mask;
        c.keys = keys;
        c.budget = budget;
        grid.add(c);
      }
    }
  }
}

void add_refusals(Grid& grid) {
  CheckCase c;
  c.operation = "refusals";
  c.heads = 4;
  c.kv_heads = 2;
  grid.add(c);
}

void add_selection(Grid& grid) {
  CheckCase c;
  c.operation = "select-keys";
  c.heads = c.kv_heads = 3;
  for (const std::string inputs : {"gaussian", "ties", "zeros", "low-contrast", "large", "non-finite"}) {
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
  add_profiles(grid);
  add_selection(grid);
  add_published_list(grid);
  add_attention(grid);
  add_decode_step(grid);
  add_refusals(grid);
  return grid.take();
}

std::vector<CheckCase> tiny_grid(std::uint64_t seed) {
  Grid grid(seed);
  CheckCase c;
  c.heads = 2;
  c.keys = 40;
  c.dim = 32;
  c.tables = 2;
  c.mask = "random";
  for (const std::string& type : kTypes) {
    c.type = type;
    for (const std::string operation : {"hash-keys", "value-norms", "soft-buckets"}) {
      c.operation = operation;
      grid.add(c);
    }
    c.operation = "sparse-attention";
    for (const std::int64_t dim : {32, 64, 128, 256}) {
      c.dim = dim;
      grid.add(c);
    }
    c.dim = 32;
  }
  c.operation = "score-packed";
  for (c.planes = 4; c.planes <= 15; ++c.planes) grid.add(c);
  c.planes = 5;
  c.mask = "none";
  c.operation = "build-index";
  for (const std::string type : {"f16", "bf16"}) {
    c.type = type;
    for (const std::int64_t dim : {32, 64, 128, 256}) {
      c.dim = dim;
      grid.add(c);
    }
  }
  c.mask = "random";
  c.dim = 32;
  for (const std::string& profile : profile_names()) {
    c.profile = profile;
    for (const std::string operation : {"score-buckets", "bad-codes", "soft-buckets", "published-list"}) {
      c.operation = operation;
      grid.add(c);
    }
  }
  c.profile = "paper";
  c.operation = "select-keys";
  c.inputs = "ties";
  for (const std::int64_t keys : {40, 3000}) {  // one block, and a cluster
    c.keys = keys;
    grid.add(c);
  }
  c.inputs = "gaussian";
  c.operation = "decode-step";
  c.keys = 40;
  grid.add(c);
  return grid.take();
}

std::vector<CheckCase> full_grid(std::uint64_t seed) {
  std::vector<CheckCase> cases = quick_grid(seed);
  const std::vector<CheckCase> pairs = pairs_of_axes(seed);
  cases.insert(cases.end(), pairs.begin(), pairs.end());
  CheckCase far;  // 64 * 128 * 2^18 codes and one row more than 2^31 elements
  far.operation = "far-addresses";
  far.heads = far.kv_heads = 65;
  far.tables = 128;
  far.keys = far.capacity = std::int64_t{1} << 18;
  far.planes = 3;
  far.seed = seed;
  cases.push_back(far);
  return cases;
}

std::vector<CheckCase> grid_by_name(const std::string& name, std::uint64_t seed) {
  if (name == "tiny") return tiny_grid(seed);
  if (name == "quick") return quick_grid(seed);
  if (name == "full") return full_grid(seed);
  throw InputError("--grid " + name + ": allowed are tiny, quick, full");
}

}  // namespace skt::gpu

// Which cases does the tiny grid hold? Kernel templates at forty keys, but for one-head and signed scores.
#include "gpu/check/cases/grid.hpp"
#include "gpu/check/cases/grid_builder.hpp"
#include "gpu/check/cases/published_profile.hpp"

namespace skt::gpu {

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
  for (c.planes = 4; c.planes <= 16; ++c.planes) grid.add(c);
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
  for (const std::int64_t keys : {40, 9000}) {  // one block, and a cluster
    c.keys = keys;
    grid.add(c);
  }
  c.inputs = "gaussian";
  c.keys = 40;
  for (const std::string operation : {"decode-step", "decode-signed"}) {
    c.operation = operation;
    grid.add(c);
  }
  c.operation = "append-step";
  c.mask = "none";
  grid.add(c);
  return grid.take();
}

}  // namespace skt::gpu

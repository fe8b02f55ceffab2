// Which cases of a decode step's operations does the quick grid hold? Each over key counts around the sizes
// of a warp, a tile and a block, types, masks, kinds of input, planes and profiles.
#include "gpu/check/cases/grid_builder.hpp"
#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/cases/quick_grid.hpp"

namespace skt::gpu {
namespace {

void add_soft_buckets(Grid& grid) {
  CheckCase c;
  c.operation = "soft-buckets";
  c.heads = c.kv_heads = 3;
  c.tables = 5;
  for (c.planes = 1; c.planes <= 16; ++c.planes) grid.add(c);
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
    c = grouped_case(operation);
    for (const std::string inputs : {"dyadic", "gaussian", "zeros", "large", "non-finite"}) {
      c.inputs = inputs;
      for (const std::string& mask : mask_kinds()) {
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
    const std::int64_t most_planes = operation == "score-packed" ? 16 : kMostInt16Planes;
    for (c.planes = 4; c.planes <= most_planes; ++c.planes) {
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
  // More units of keys than the device holds blocks: a block passes from one kv row to the next.
  c = {};
  c.operation = "score-packed";
  c.batch = 8;
  c.kv_heads = 16;
  c.dim = 16;
  c.keys = 4500;
  for (const std::int64_t group : {1, 4}) {
    c.heads = c.kv_heads * group;
    grid.add(c);
  }
  c = grouped_case("score-signed");
  c.mask = "random";
  c.keys = 300;
  for (const std::int64_t bits : {64, 320, 640}) {
    for (const std::int64_t planes : {8, 10, 16}) {
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
  CheckCase c = grouped_case("score-buckets");
  c.keys = 200;
  c.planes = 6;
  for (const std::string& profile : profile_names()) {
    for (const std::string inputs : {"gaussian", "large", "non-finite"}) {
      for (const std::string& mask : mask_kinds()) {
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
  CheckCase c = grouped_case("published-list");
  c.profile = "hf";
  c.sink = 20;
  c.window = 20;
  for (const std::string& mask : mask_kinds()) {
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
    for (const std::string& mask : mask_kinds()) {
      for (const std::int64_t keys : {1, 31, 32, 33, 1000, 4096, 8200, 40000}) {  // clusters from 8192 on
        for (const std::int64_t budget : {0, 1, 37, 5000}) {
          if (keys > 8192 && (budget < 37 || mask == "causal" || mask == "padding")) continue;
          if (keys > 8200 && budget != 5000) continue;
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
  c.keys = 400000;  // several batches of reads to every warp of the largest cluster
  c.mask = "random";
  for (const std::string inputs : {"gaussian", "ties"}) {
    c.inputs = inputs;
    grid.add(c);
  }
}

void add_attention(Grid& grid) {
  CheckCase c = grouped_case("sparse-attention");
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
  c.mask = "none";
  for (const std::string pages : {"hnd", "nhd"}) {
    for (const std::int64_t page_size : {1, 16, 256}) {
      for (const std::string& type : kTypes) {
        for (const std::int64_t dim : {32, 64, 128, 256}) {
          for (const std::int64_t budget : {1, 129, 600}) {
            c.pages = pages;
            c.page_size = page_size;
            c.type = type;
            c.dim = dim;
            c.budget = budget;
            grid.add(c);
          }
        }
      }
    }
  }
  c.batch = 8;  // so many rows that one block takes a whole list, by several batches of entries to a warp
  c.heads = 64;
  c.page_size = 16;
  c.budget = 600;
  for (const std::string& type : kTypes) {
    for (const std::int64_t dim : {32, 64, 128, 256}) {
      c.type = type;
      c.dim = dim;
      grid.add(c);
    }
  }
}

}  // namespace

void add_decode_cases(Grid& grid) {
  add_soft_buckets(grid);
  add_scores(grid);
  add_profiles(grid);
  add_selection(grid);
  add_published_list(grid);
  add_attention(grid);
  add_refusals(grid);
}

}  // namespace skt::gpu

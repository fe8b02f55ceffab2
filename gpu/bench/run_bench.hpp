// How long does each stage of a decode step take, and how long must it take at least?
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace skt::gpu {

struct BenchShape {
  std::int64_t batch = 1, heads = 32, kv_heads = 32;
  std::int64_t keys = 145408;
  std::int64_t tables = 60, planes = 10;
  std::int64_t sparsity = 33;  // budget = keys / sparsity
  std::int64_t sink = 128, window = 128;
};

// One stage; times are of one launch, from a CUDA graph of one launch on each of several input sets in turn.
struct BenchRow {
  BenchShape shape;
  std::string stage;
  double median_us = 0, fastest_us = 0, slowest_us = 0;
  int repetitions = 0;
  std::int64_t floor_bytes = 0;  // the fewest that device memory must move
  double floor_us = 0;           // at the copy bandwidth measured in the same run
  // Against dense attention on the same inputs; NaN where the stage yields no attention output.
  double output_error = std::numeric_limits<double>::quiet_NaN();
  double softmax_mass = std::numeric_limits<double>::quiet_NaN();
};

// dim is 128 and the type bf16. Needs a device; std::runtime_error if CUDA fails.
std::vector<BenchRow> run_bench(const BenchShape& shape, std::uint64_t seed);

// Lengths, heads, batches, tables, planes and densities, one axis at a time; seconds on a data-centre GPU.
std::vector<BenchShape> bench_grid();

}  // namespace skt::gpu

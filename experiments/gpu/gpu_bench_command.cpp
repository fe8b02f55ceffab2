// socketlab gpu-bench: how long does each stage of a decode step take, beside the least that its bytes allow? Options and
// result files; what runs on a device is bench_on_device.hpp.
#include <fmt/format.h>

#include "experiments/command/command.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/files/csv.hpp"
#include "experiments/gpu/bench_on_device.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

struct GpuBenchOptions {
  std::vector<std::int64_t> keys = {18432, 36864, 73728, 145408, 294912};
  gpu::BenchShape shape;
  bool grid = false;

  std::vector<gpu::BenchShape> shapes() const {
    if (grid) return gpu::bench_grid();
    std::vector<gpu::BenchShape> all(keys.size(), shape);
    for (Index i = 0; i < std::ssize(keys); ++i) all[i].keys = keys[i];
    return all;
  }
};

void add_fields(Fields& fields, GpuBenchOptions& options) {
  constexpr double kMost = 1 << 30;
  gpu::BenchShape& shape = options.shape;
  fields
      .add("grid", &options.grid,
           "Instead of one shape, varies lengths, heads, batches, tables, planes and densities, one axis at a time")
      .excludes({"keys", "batch", "heads", "kv-heads", "tables", "planes", "sparsity"});
  fields.add("keys", &options.keys, "Tokens in the cache, separated by commas").from(1, kMost);
  fields.add("batch", &shape.batch, "Batch size: sequences").from(1, kMost);
  fields.add("heads", &shape.heads, "Query heads").from(1, kMost);
  fields.add("kv-heads", &shape.kv_heads, "Key-value heads").from(1, kMost);
  fields.add("tables", &shape.tables, "Hash tables").from(1, kMost);
  fields.add("planes", &shape.planes, "Hyperplanes per table, 4 to 15").from(4, 15);
  fields.add("sparsity", &shape.sparsity, "Keys per selected key").from(1, kMost);
}

void add_rows(const std::vector<gpu::BenchRow>& rows, CsvTable& table) {
  for (const gpu::BenchRow& row : rows) {
    const gpu::BenchShape& s = row.shape;
    fmt::print("{:>9} {:<18}{:>10.1f} us  [{:.1f}, {:.1f}]  floor {:.1f} us, ratio {:.2f}\n", s.keys, row.stage,
               row.median_us, row.fastest_us, row.slowest_us, row.floor_us, row.median_us / row.floor_us);
    table.add({s.batch, s.heads, s.kv_heads, s.keys, s.tables, s.planes, s.keys / s.sparsity, s.sink, s.window,
               row.stage, row.median_us, row.fastest_us, row.slowest_us, row.repetitions, row.floor_bytes, row.floor_us,
               row.median_us / row.floor_us, row.output_error, row.softmax_mass});
  }
}

int run_gpu_bench(const GpuBenchOptions& options, const SharedOptions& shared) {
  require(options.shape.heads % options.shape.kv_heads == 0, "--heads {}: allowed are multiples of --kv-heads {}",
          options.shape.heads, options.shape.kv_heads);
  CsvTable table = CsvTable::of(
      "batch,heads,kv_heads,keys,tables,planes,budget,sink,window,stage,median_us,fastest_us,"
      "slowest_us,repetitions,floor_bytes,floor_us,ratio,output_error,softmax_mass");
  const int code = bench_on_device({options.shapes(), shared.seed, shared.arguments},
                                   [&](const std::vector<gpu::BenchRow>& rows) { add_rows(rows, table); });
  if (code != kAsExpected) return code;
  write_results(shared.out, {{"gpu_bench.csv", table.text()}}, {shared.command, shared.seed, ""});
  return kAsExpected;
}

}  // namespace

Command gpu_bench_command() {
  return make_command<GpuBenchOptions>("gpu-bench", "Times the stages of a decode step against their lower bounds",
                                       run_gpu_bench);
}

}  // namespace skt

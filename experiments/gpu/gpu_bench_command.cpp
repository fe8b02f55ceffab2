// socketlab gpu-bench: how long does each stage of a decode step take, beside the least that its bytes allow? Options and
// result files; what runs on a device is bench_on_device.hpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>

#include "experiments/command/command.hpp"
#include "experiments/command/option_text.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/files/csv.hpp"
#include "experiments/files/result_file.hpp"
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

// Of a list with commas.
CLI::Validator each_length() {
  return {[](std::string& text) {
            std::istringstream items(text + ",");
            for (std::string item; std::getline(items, item, ',');) {
              const std::string wrong = whole_numbers(1, std::uint64_t{1} << 30)(item);
              if (!wrong.empty()) return wrong;
            }
            return std::string();
          },
          ""};
}

int run_gpu_bench(const SharedOptions& shared, const GpuBenchOptions& options, const CLI::App& sub) {
  require(options.shape.heads % options.shape.kv_heads == 0, "--heads {}: allowed are multiples of --kv-heads {}",
          options.shape.heads, options.shape.kv_heads);
  CsvTable table({"batch", "heads", "kv_heads", "keys", "tables", "planes", "budget", "sink", "window", "stage",
                  "median_us", "fastest_us", "slowest_us", "repetitions", "floor_bytes", "floor_us", "ratio",
                  "output_error", "softmax_mass"});
  const int code = bench_on_device({options.shapes(), shared.seed, shared.arguments},
                                   [&](const std::vector<gpu::BenchRow>& rows) { add_rows(rows, table); });
  if (code != kAsExpected) return code;
  make_folder(shared.out);
  write_result(std::filesystem::path(shared.out) / "gpu_bench.csv", table.text());
  write_provenance(shared.out, {command_text(sub, shared), shared.seed, ""});
  return kAsExpected;
}

}  // namespace

void add_gpu_bench_command(CLI::App& app, SharedOptions& shared) {
  struct Chosen {
    GpuBenchOptions options;
    const CLI::App* sub = nullptr;
  };
  const auto chosen = std::make_shared<Chosen>();
  GpuBenchOptions* const options = &chosen->options;
  CLI::App& sub =
      add_subcommand(app, "gpu-bench", "Times the stages of a decode step against their lower bounds", shared,
                     [&shared, chosen] { return run_gpu_bench(shared, chosen->options, *chosen->sub); });
  chosen->sub = &sub;
  const CLI::Validator positive = CLI::Range(std::int64_t{1}, std::int64_t{1} << 30).description("");
  CLI::Option* grid = sub.add_flag("--grid", options->grid,
                                   "Instead of one shape, varies lengths, heads, batches, tables,\n"
                                   "planes and densities, one axis at a time");
  add_list(sub, "--keys", options->keys, "Tokens in the cache, separated by commas")
      .check(each_length())
      ->excludes(grid);
  const auto size = [&](const char* name, std::int64_t& value, const char* what, const CLI::Validator& range) {
    sub.add_option(name, value, what)->check(range)->capture_default_str()->excludes(grid);
  };
  size("--batch", options->shape.batch, "Batch size: sequences", positive);
  size("--heads", options->shape.heads, "Query heads", positive);
  size("--kv-heads", options->shape.kv_heads, "Key-value heads", positive);
  size("--tables", options->shape.tables, "Hash tables", positive);
  size("--planes", options->shape.planes, "Hyperplanes per table, 4 to 15", CLI::Range(4, 15).description(""));
  size("--sparsity", options->shape.sparsity, "Keys per selected key", positive);
}

}  // namespace skt

// One axis at a time around the published setting (T = 145,408, 32 heads, L = 60, P = 10, T/33 keys); batches at T =
// 36,864 too, length and batch once more with 8 KV heads. The full product would take hours and show no more than its
// edges. The largest inputs, 8 sequences of T on 32 KV heads, take some 54 GB of the device.
#include "gpu/bench/run_bench.hpp"

namespace skt::gpu {

std::vector<BenchShape> bench_grid() {
  std::vector<BenchShape> shapes;
  const auto vary = [&](std::int64_t BenchShape::* axis, const std::vector<std::int64_t>& values, BenchShape shape) {
    for (const std::int64_t value : values) {
      shape.*axis = value;
      shapes.push_back(shape);
    }
  };
  for (const std::int64_t kv_heads : {32, 8}) {
    BenchShape shape;
    shape.kv_heads = kv_heads;
    vary(&BenchShape::keys, {8192, 18432, 36864, 73728, 145408, 294912, 589824, 1048576}, shape);
    for (const std::int64_t keys : {36864, 145408}) {
      shape.keys = keys;
      vary(&BenchShape::batch, {2, 4, 8}, shape);
    }
  }
  vary(&BenchShape::planes, {8, 12}, {});
  vary(&BenchShape::tables, {30, 40, 50, 80}, {});
  vary(&BenchShape::sparsity, {50, 20, 10, 5}, {});  // 2%, 5%, 10%, 20%
  return shapes;
}

}  // namespace skt::gpu

#include "gpu/bench/against_dense.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpu/check/device/device_array.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/whole_numbers.hpp"

namespace skt::gpu {
namespace {

struct Attended {
  std::vector<float> output, log_sum_exp;  // [rows, dim], [rows]
};

Attended attend(skt_sparse_attention_args args) {
  const std::int64_t rows = all_rows(args.shape);
  DeviceArray<float> output(rows * args.shape.dim);
  DeviceArray<float> log_sum_exp(rows);
  skt_error error = {};
  require(skt_sparse_attention_workspace_bytes(&args, &args.workspace_bytes, &error), error);
  DeviceArray<std::byte> workspace(args.workspace_bytes);
  args.workspace = workspace.data();
  args.output = output.data();
  args.log_sum_exp = log_sum_exp.data();
  require(skt_sparse_attention(&args, nullptr, &error), error);
  return {output.to_host(), log_sum_exp.to_host()};
}

Attended attend_to_all(skt_sparse_attention_args args, std::int64_t keys) {
  const std::int64_t rows = all_rows(args.shape);
  std::vector<std::int32_t> every(rows * keys);
  for (std::int64_t row = 0; row < rows; ++row)
    std::iota(every.begin() + row * keys, every.begin() + (row + 1) * keys, 0);
  DeviceArray<std::int32_t> list(every);
  DeviceArray<std::int32_t> counts(std::vector<std::int32_t>(rows, to_int(keys)));
  args.selected = list.data();
  args.counts = counts.data();
  args.list = keys;
  return attend(args);
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

}  // namespace

Accuracy against_dense(const skt_decode_step_args& step, const skt_sparse_attention_args& attention) {
  const std::int64_t rows = all_rows(step.shape);
  const std::int64_t dim = step.shape.dim;
  skt_error error = {};
  require(skt_decode_step(&step, nullptr, &error), error);
  require(cudaDeviceSynchronize(), "decode step");
  std::vector<float> output(rows * dim);
  require(cudaMemcpy(output.data(), step.output, output.size() * sizeof(float), cudaMemcpyDeviceToHost),
          "copy from the device");
  const Attended dense = attend_to_all(attention, step.sequences.used);
  const Attended sparse = attend(attention);
  std::vector<double> errors, masses;
  for (std::int64_t row = 0; row < rows; ++row) {
    double difference = 0, norm = 0;
    for (std::int64_t d = row * dim; d < (row + 1) * dim; ++d) {
      const double exact = dense.output[d];
      difference += (output[d] - exact) * (output[d] - exact);
      norm += exact * exact;
    }
    errors.push_back(std::sqrt(difference / norm));
    masses.push_back(std::exp(double{sparse.log_sum_exp[row]} - dense.log_sum_exp[row]));
  }
  return {median(errors), median(masses)};
}

}  // namespace skt::gpu

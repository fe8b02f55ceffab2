// One comparison of gpu-check: an operation, its shape and its inputs, in one line of text that replays it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skt::gpu {

struct CheckCase {
  std::string operation = "decode-step";
  std::string inputs = "gaussian";  // gaussian, dyadic, ties, zeros, low-contrast, large
  std::string mask = "none";        // none, random, padding, nothing
  std::string type = "bf16";        // f32, f16, bf16
  std::int64_t batch = 1, heads = 1, kv_heads = 1;
  std::int64_t keys = 33, capacity = 128;
  std::int64_t dim = 64, tables = 4, planes = 8;
  std::int64_t budget = 8, sink = 0, window = 0;
  double temperature = 0.5;
  std::uint64_t seed = 1;

  // "operation=..,inputs=..,.."; parse(text()) gives the same case. parse throws InputError, naming the
  // field, on anything else; fields left out keep their default.
  std::string text() const;
  static CheckCase parse(const std::string& text);

  std::int32_t element_type() const;  // enum skt_type
  std::int64_t group() const { return heads / kv_heads; }
};

// The operations that exist, in the order of the pipeline.
const std::vector<std::string>& check_operations();

// Every operation over shapes, types, masks and inputs; under a minute on a data-centre GPU.
std::vector<CheckCase> quick_grid(std::uint64_t seed);

}  // namespace skt::gpu

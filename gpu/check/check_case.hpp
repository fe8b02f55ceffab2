// One comparison of gpu-check: an operation, its shape and its inputs, in one line of text that replays it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skt::gpu {

struct CheckCase {
  std::string operation = "decode-step";
  std::string profile = "paper";    // see published_profile.hpp
  std::string inputs = "gaussian";  // see input_kinds()
  std::string mask = "none";        // see mask_kinds()
  std::string type = "bf16";        // f32, f16, bf16
  std::int64_t batch = 1, heads = 1, kv_heads = 1;
  std::int64_t keys = 33, capacity = 128;
  std::int64_t dim = 64, tables = 4, planes = 8;
  std::int64_t budget = 8, sink = 0, window = 0;
  std::string pages = "none";   // attention: also from pages, "hnd" or "nhd", see gpu/socketlab_gpu.h
  std::int64_t page_size = 16;  // a power of two
  double temperature = 0.5;
  std::uint64_t seed = 1;

  // "operation=..,inputs=..,.."; parse(text()) gives the same case. parse throws InputError, naming the
  // field, on anything else and on a field given twice; fields left out keep their default, but a capacity
  // left out follows the keys.
  std::string text() const;
  static CheckCase parse(const std::string& text);

  // The least capacity for the keys that is whole tiles of 64.
  void fit_capacity();

  // InputError, naming the field, unless every field is one that the operations can be asked for.
  void require_valid() const;

  std::int32_t element_type() const;  // enum skt_type
  std::int64_t group() const { return heads / kv_heads; }
  bool paged() const { return pages != "none"; }
  std::int32_t rule() const;  // enum skt_rule; of packed scores and the steps, by the operation
};

// Calls visit(name, member) for every field, in the order of the text.
template <class Case, class Visit>
void for_each_field(Case& c, Visit&& visit) {
  visit("operation", c.operation);
  visit("profile", c.profile);
  visit("inputs", c.inputs);
  visit("mask", c.mask);
  visit("type", c.type);
  visit("batch", c.batch);
  visit("heads", c.heads);
  visit("kv_heads", c.kv_heads);
  visit("keys", c.keys);
  visit("capacity", c.capacity);
  visit("dim", c.dim);
  visit("tables", c.tables);
  visit("planes", c.planes);
  visit("budget", c.budget);
  visit("sink", c.sink);
  visit("window", c.window);
  visit("pages", c.pages);
  visit("page_size", c.page_size);
  visit("temperature", c.temperature);
  visit("seed", c.seed);
}

// The operations that exist, in the order of the pipeline, and the kinds of inputs and masks.
const std::vector<std::string>& check_operations();
const std::vector<std::string>& input_kinds();
const std::vector<std::string>& mask_kinds();

// Which elements of a long output are compared with the reference: all of the first few thousand, else both
// ends and a spread in between. What is left out is still compared between runs.
std::vector<std::int64_t> sampled_keys(std::int64_t keys);
std::vector<std::int64_t> sampled_rows(std::int64_t rows);

}  // namespace skt::gpu

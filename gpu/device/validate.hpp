// How does an operation refuse bad arguments? The first requirement that fails keeps its line and its code; the
// launcher then returns before it launches anything.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "gpu/functors/group_weights.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/whole_numbers.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

inline constexpr std::int64_t kLargestInt = (std::int64_t{1} << 31) - 1;
inline constexpr std::int64_t kFewestPackedPlanes = 4, kMostPackedPlanes = 16;
// Of published int16 codes and of lists of all buckets: a code of 16 bits would turn negative.
inline constexpr std::int64_t kMostPublishedPlanes = 15;
inline constexpr std::int64_t kMostPageKeys = 65536;

inline constexpr std::int64_t kMostQueryRows = 8;
// Keys of a list that is attended to: the positions that are read ahead stay below 2^31.
inline constexpr std::int64_t kMostAttended = std::int64_t{1} << 30;

class Validation {
 public:
  explicit Validation(skt_error* error) : error_(error) {
    if (error_ != nullptr) error_->message[0] = '\0';
  }

  bool failed() const { return code_ != SKT_OK; }
  int code() const { return code_; }

  void refuse(int code, const char* what, std::int64_t is, const char* allowed) {
    if (failed()) return;
    code_ = code;
    if (error_ == nullptr) return;
    std::snprintf(error_->message, sizeof error_->message, "%s is %" PRId64 ": allowed is %s", what, is, allowed);
  }

  void in_range(const char* what, std::int64_t is, std::int64_t low, std::int64_t high) {
    if (low <= is && is <= high) return;
    char allowed[64];
    std::snprintf(allowed, sizeof allowed, "%" PRId64 " to %" PRId64, low, high);
    refuse(SKT_BAD_ARGUMENT, what, is, allowed);
  }

  void multiple_of(const char* what, std::int64_t is, std::int64_t unit) {
    if (is % unit == 0) return;
    char allowed[64];
    std::snprintf(allowed, sizeof allowed, "a multiple of %" PRId64, unit);
    refuse(SKT_BAD_ARGUMENT, what, is, allowed);
  }

  void positive(const char* what, float is) {
    if (is > 0 && is <= 3.402823466e38f) return;  // NaN and infinity fail
    if (failed()) return;
    code_ = SKT_BAD_ARGUMENT;
    if (error_ != nullptr) {
      std::snprintf(error_->message, sizeof error_->message, "%s is %g: allowed is a finite number above 0", what,
                    double{is});
    }
  }

  // Between 0 and 1, these two among them or not.
  void share(const char* what, float is, bool ends) {
    if ((is > 0 && is < 1) || (ends && (is == 0 || is == 1)) || failed()) return;
    code_ = SKT_BAD_ARGUMENT;
    if (error_ == nullptr) return;
    std::snprintf(error_->message, sizeof error_->message, "%s is %g: allowed is %s", what, double{is},
                  ends ? "0 to 1" : "a number above 0 and below 1");
  }

  void pointer(const char* what, const void* is, std::int64_t alignment = 16) {
    if (is == nullptr) return refuse(SKT_BAD_ARGUMENT, what, 0, "a device pointer");
    const std::int64_t offset = reinterpret_cast<std::uintptr_t>(is) % alignment;
    if (offset == 0) return;
    char name[64];
    std::snprintf(name, sizeof name, "%s, modulo %" PRId64 ",", what, alignment);
    refuse(SKT_BAD_ARGUMENT, name, offset, "0");
  }

  void optional_pointer(const char* what, const void* is, std::int64_t alignment = 16) {
    if (is != nullptr) pointer(what, is, alignment);
  }

  // What several operations share. The upper ends keep every product of sizes below 2^63.
  void query_heads(const skt_shape& shape) {
    in_range("batch", shape.batch, 1, 65535);
    in_range("heads", shape.heads, 1, 65535);
    in_range("query_rows", shape.query_rows, 0, kMostQueryRows);
    in_range("batch * query_rows * heads", failed() ? 1 : all_rows(shape), 1, 65535);  // one row of blocks to a head
  }
  void heads(const skt_shape& shape) {
    in_range("batch", shape.batch, 1, 65535);
    in_range("kv_heads", shape.kv_heads, 1, 65535);
    in_range("heads", shape.heads, shape.kv_heads, 65535);
    if (!failed() && shape.heads % shape.kv_heads != 0) {
      refuse(SKT_BAD_ARGUMENT, "heads", shape.heads, "a multiple of kv_heads");
    }
    query_heads(shape);
  }
  // Of what is not made for several.
  void one_query_row(const skt_shape& shape, const char* what = "query_rows") {
    in_range(what, shape.query_rows, 0, 1);
  }
  void capacity(const skt_shape& shape) { in_range("capacity", shape.capacity, 1, kLargestInt); }
  void used(std::int64_t used, const skt_shape& shape) { in_range("used", used, 0, shape.capacity); }
  void sequences(const skt_sequences& sequences, const skt_shape& shape) {
    used(sequences.used, shape);
    optional_pointer("lengths", sequences.lengths, 4);
    dense_up_to(sequences);
  }
  void dense_up_to(const skt_sequences& sequences) { in_range("dense_up_to", sequences.dense_up_to, 0, kMostAttended); }
  // Of the stages that know lists of kv heads.
  void lists(std::int32_t lists, const skt_shape& shape) {
    in_range("lists", lists, SKT_LIST_OF_HEAD, SKT_LIST_OF_KV_HEAD);
    if (failed() || lists == SKT_LIST_OF_HEAD) return;
    const std::int64_t group = shape.heads / shape.kv_heads;
    if (group > kMostSharingHeads) refuse(SKT_BAD_ARGUMENT, "heads to a kv head that share a list", group, "1 to 8");
  }
  void mask(const skt_mask& mask) {
    in_range("allowed_per_head", mask.allowed_per_head, 0, 1);
    optional_pointer("allowed", mask.allowed);
  }
  // Pages of codes, norms and masks: whole tiles, whose number is counted in 32 bits.
  void index_pages(const skt_pages& paged, const skt_shape& shape) {
    if (paged.block_table == nullptr) return;
    pointer("block_table", paged.block_table, 4);
    const std::int64_t tile = kTileKeys;
    if (paged.page_size < tile || paged.page_size > kMostPageKeys || (paged.page_size & (paged.page_size - 1)) != 0) {
      refuse(SKT_BAD_ARGUMENT, "page_size of a paged index", paged.page_size, "a power of two, 64 to 65536");
    }
    in_range("pages", paged.pages, 1, kLargestInt);
    if (failed()) return;
    in_range("blocks", paged.blocks, ceil_div(shape.capacity, paged.page_size), kLargestInt);
    in_range("tiles of all pages", paged.pages * shape.kv_heads * (paged.page_size / tile), 0, kLargestInt);
  }
  // Where keys and values lie in their pages; the last row stays below 2^31, as rows are counted in 32 bits.
  void page_rows(const skt_pages& paged, const skt_shape& shape) {
    in_range("pages", paged.pages, 1, kLargestInt);
    in_range("page_stride", paged.page_stride, 1, kLargestInt);
    in_range("head_stride", paged.head_stride, 1, kLargestInt);
    in_range("token_stride", paged.token_stride, 1, kLargestInt);
    if (failed()) return;
    in_range("blocks", paged.blocks, ceil_div(shape.capacity, paged.page_size), kLargestInt);
    const std::int64_t in_page = (shape.kv_heads - 1) * paged.head_stride + (paged.page_size - 1) * paged.token_stride;
    in_range("last row of all pages", (paged.pages - 1) * paged.page_stride + in_page, 0, kLargestInt);
  }
  // Of a function that builds an index: its pages, and those of its keys and values, whose page_stride is 0 without.
  void built_pages(const skt_pages& paged, const skt_shape& shape) {
    index_pages(paged, shape);
    if (paged.block_table != nullptr && paged.page_stride != 0) page_rows(paged, shape);
  }
  // The keys of each row of a cache that index building writes.
  void written(const skt_written& written, const skt_shape& shape) {
    in_range("batch", shape.batch, 1, 65535);
    in_range("kv_heads", shape.kv_heads, 1, 65535);
    in_range("batch * kv_heads", failed() ? 1 : shape.batch * shape.kv_heads, 1, 65535);
    capacity(shape);
    in_range("first", written.first, 0, shape.capacity);
    in_range("count", written.count, 0, shape.capacity - written.first);
    if (written.lengths == nullptr) return;
    if (written.first != 0) refuse(SKT_BAD_ARGUMENT, "first, beside lengths,", written.first, "0");
    pointer("lengths", written.lengths, 4);
  }
  void list(const skt_list& list, std::int64_t fewest_budget = 0, std::int64_t most = kLargestInt) {
    in_range("budget", list.budget, fewest_budget, kLargestInt);
    in_range("sink", list.sink, 0, kLargestInt);
    in_range("window", list.window, 0, kLargestInt);
    in_range("sink + budget + window", failed() ? 1 : length_of_list(list), 1, most);
    in_range("sparsity", list.sparsity, 0, kLargestInt);
  }
  void hash(const skt_shape& shape, std::int64_t fewest_planes, std::int64_t most_planes) {
    in_range("tables", shape.tables, 1, 4096);
    in_range("planes", shape.planes, fewest_planes, most_planes);
  }
  // Of codes that are packed.
  void packed_hash(const skt_shape& shape) {
    multiple_of("capacity", shape.capacity, kTileKeys);
    hash(shape, kFewestPackedPlanes, kMostPackedPlanes);
  }
  void vector_dim(std::int64_t dim) {
    in_range("dim", dim, 16, 256);
    multiple_of("dim", dim, 8);  // rows start at 16 bytes in every type
  }
  // One of those that a kernel is compiled for (with_dim, gpu/device/element.cuh).
  void kernel_dim(std::int64_t dim) {
    if (dim != 32 && dim != 64 && dim != 128 && dim != 256) {
      refuse(SKT_BAD_ARGUMENT, "dim", dim, "32, 64, 128 or 256");
    }
  }
  void type(const char* what, std::int32_t is) { in_range(what, is, SKT_F32, SKT_BF16); }
  void score_type(std::int32_t is) {
    if (is != SKT_F32 && is != SKT_BF16) refuse(SKT_BAD_ARGUMENT, "score_type", is, "0 (SKT_F32) or 2 (SKT_BF16)");
  }

 private:
  skt_error* error_;
  int code_ = SKT_OK;
};

}  // namespace skt::gpu

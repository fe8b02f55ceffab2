// How does an operation refuse bad arguments? The first requirement that fails keeps its line and its code; the
// launcher then returns before it launches anything.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>

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

  // Sizes that several operations share. The upper ends keep every product of sizes below 2^63.
  void heads(std::int64_t batch, std::int64_t query_heads, std::int64_t kv_heads) {
    in_range("batch", batch, 1, 65535);
    in_range("kv_heads", kv_heads, 1, 65535);
    in_range("heads", query_heads, kv_heads, 65535);
    if (!failed() && query_heads % kv_heads != 0) {
      refuse(SKT_BAD_ARGUMENT, "heads", query_heads, "a multiple of kv_heads");
    }
    in_range("batch * heads", failed() ? 1 : batch * query_heads, 1, 65535);  // one row of blocks to a head
  }
  // Of each sequence, behind heads().
  void query_rows(std::int64_t rows, std::int64_t batch, std::int64_t query_heads) {
    in_range("query_rows", rows, 0, kMostQueryRows);
    in_range("batch * query_rows * heads", failed() || rows < 1 ? 1 : batch * rows * query_heads, 1, 65535);
  }
  void cache(std::int64_t capacity) { in_range("capacity", capacity, 1, kLargestInt); }
  void key_range(std::int64_t capacity, std::int64_t first, std::int64_t count) {
    cache(capacity);
    in_range("first", first, 0, capacity);
    in_range("count", count, 0, capacity - first);
  }
  // Pages of codes, norms and masks: whole tiles, whose number is counted in 32 bits.
  template <class Arguments>
  void index_pages(const Arguments& args) {
    if (args.block_table == nullptr) return;
    pointer("block_table", args.block_table, 4);
    const std::int64_t tile = kTileKeys;
    if (args.page_size < tile || args.page_size > kMostPageKeys || (args.page_size & (args.page_size - 1)) != 0) {
      refuse(SKT_BAD_ARGUMENT, "page_size of a paged index", args.page_size, "a power of two, 64 to 65536");
    }
    in_range("pages", args.pages, 1, kLargestInt);
    if (failed()) return;
    in_range("blocks", args.blocks, ceil_div(args.capacity, args.page_size), kLargestInt);
    in_range("tiles of all pages", args.pages * args.kv_heads * (args.page_size / tile), 0, kLargestInt);
  }
  // Where keys and values lie in their pages; the last row stays below 2^31, as rows are counted in 32 bits.
  template <class Arguments>
  void page_rows(const Arguments& args) {
    in_range("pages", args.pages, 1, kLargestInt);
    in_range("page_stride", args.page_stride, 1, kLargestInt);
    in_range("head_stride", args.head_stride, 1, kLargestInt);
    in_range("token_stride", args.token_stride, 1, kLargestInt);
    if (failed()) return;
    in_range("blocks", args.blocks, ceil_div(args.capacity, args.page_size), kLargestInt);
    const std::int64_t in_page = (args.kv_heads - 1) * args.head_stride + (args.page_size - 1) * args.token_stride;
    in_range("last row of all pages", (args.pages - 1) * args.page_stride + in_page, 0, kLargestInt);
  }
  // Of a function that builds an index: its pages, and those of its keys and values, whose page_stride is 0 without.
  template <class Arguments>
  void built_pages(const Arguments& args) {
    index_pages(args);
    if (args.block_table != nullptr && args.page_stride != 0) page_rows(args);
  }
  // The keys of each row of a cache that index building writes: first .. first + count - 1, or the last `count`.
  template <class Arguments>
  void cached_keys(const Arguments& args) {
    heads(args.batch, args.kv_heads, args.kv_heads);
    key_range(args.capacity, args.first, args.count);
    if (args.lengths == nullptr) return;
    if (args.first != 0) refuse(SKT_BAD_ARGUMENT, "first, beside lengths,", args.first, "0");
    pointer("lengths", args.lengths, 4);
  }
  // The keys of a list: the `budget` best, sink and window.
  void list(std::int64_t budget, std::int64_t sink, std::int64_t window, std::int64_t fewest_budget = 0,
            std::int64_t most = kLargestInt) {
    in_range("budget", budget, fewest_budget, kLargestInt);
    in_range("sink", sink, 0, kLargestInt);
    in_range("window", window, 0, kLargestInt);
    in_range("sink + budget + window", failed() ? 1 : sink + budget + window, 1, most);
  }
  void sparsity(std::int64_t sparsity) { in_range("sparsity", sparsity, 0, kLargestInt); }
  void hash(std::int64_t tables, std::int64_t planes, std::int64_t fewest_planes, std::int64_t most_planes) {
    in_range("tables", tables, 1, 4096);
    in_range("planes", planes, fewest_planes, most_planes);
  }
  void packed_hash(std::int64_t tables, std::int64_t planes) {
    hash(tables, planes, kFewestPackedPlanes, kMostPackedPlanes);
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

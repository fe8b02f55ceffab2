// How does an operation refuse bad arguments? The first requirement that fails keeps its line and its code; the
// launcher then returns before it launches anything.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

inline constexpr std::int64_t kLargestInt = (std::int64_t{1} << 31) - 1;
inline constexpr std::int64_t kFewestPackedPlanes = 4, kMostPackedPlanes = 16;
// Of published int16 codes and of lists of all buckets: a code of 16 bits would turn negative.
inline constexpr std::int64_t kMostPublishedPlanes = 15;

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
  void cache(std::int64_t capacity) { in_range("capacity", capacity, 1, kLargestInt); }
  void key_range(std::int64_t capacity, std::int64_t first, std::int64_t count) {
    cache(capacity);
    in_range("first", first, 0, capacity);
    in_range("count", count, 0, capacity - first);
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
  void list(std::int64_t budget, std::int64_t sink, std::int64_t window, std::int64_t fewest_budget = 0) {
    in_range("budget", budget, fewest_budget, kLargestInt);
    in_range("sink", sink, 0, kLargestInt);
    in_range("window", window, 0, kLargestInt);
    in_range("sink + budget + window", failed() ? 1 : sink + budget + window, 1, kLargestInt);
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

 private:
  skt_error* error_;
  int code_ = SKT_OK;
};

}  // namespace skt::gpu

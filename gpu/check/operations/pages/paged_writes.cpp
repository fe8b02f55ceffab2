// Is an index written to its pages, and nowhere else?
//
// By skt_build_index, and by skt_pack_codes and skt_value_norms; from keys and values in pages of the same table and from
// a cache without; at prefill in two calls, and as the last keys of lengths on the device. Expected are the bits of an
// index without pages, which has checks of its own, at the places that the host counts (references/paged_index.hpp); all
// else keeps its poison. Sequences share their first pages. Entries of blocks behind a length are -1.
#include <algorithm>
#include <array>
#include <iterator>

#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/device/device_index.hpp"
#include "gpu/check/device/device_paged_index.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/problems/step_lengths.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

// To a call with lengths: one as in decoding, and more than a tile.
constexpr std::array<std::int64_t, 2> kCounts = {1, 70};

// Where a call finds keys and values.
enum class From { a_cache, pages };

class Writes {
 public:
  Writes(const Library& library, const CheckCase& c, Appending by, const Problem& problem, Comparison& result)
      : library_(library),
        c_(c),
        by_(by),
        result_(result),
        device_(c, problem),
        pages_(c, problem, with_shared_pages(c, paged_cache(c, problem))),
        layout_(c, c.page_size),
        whole_(c),
        packed_(pages_.shape.pages * c.page_size * c.kv_heads * layout_.words),
        norms_(pages_.shape.pages * c.page_size * c.kv_heads),
        lengths_(c.batch),
        table_(std::ssize(pages_.shape.table)) {
    if (by == Appending::build_index) build_index(library, c, device_, whole_);
    if (by == Appending::three_calls) whole_.build(library, c, device_);
    whole_packed_ = whole_.packed.to_host();
    whole_norms_ = whole_.norms.to_host();
  }

  void prefill(From from) {
    const StepLengths all(c_.batch, static_cast<std::int32_t>(c_.keys));
    const std::int64_t split = c_.keys * 2 / 3;
    begin(all);
    write({.count = split}, from);
    write({.first = split, .count = c_.keys - split}, from);
    compare(all, c_.keys);
  }
  void append(std::int64_t count, const StepLengths& lengths, From from) {
    begin(lengths);
    write({.count = count, .lengths = lengths_.data()}, from);
    compare(lengths, count);
  }

 private:
  void begin(const StepLengths& lengths) {
    const std::vector<std::int32_t> table = table_of(pages_.shape, lengths);
    require(cudaMemcpy(lengths_.data(), lengths.data(), lengths_.bytes(), cudaMemcpyHostToDevice), "lengths");
    require(cudaMemcpy(table_.data(), table.data(), table_.bytes(), cudaMemcpyHostToDevice), "table");
    packed_.poison();
    norms_.poison();
    require(cudaDeviceSynchronize(), "poison");
  }

  // From a cache without pages the index alone is paged.
  skt_pages pages(From from) {
    skt_pages paged = pages_of(pages_.shape, table_);
    if (from == From::a_cache) paged.page_stride = 0;
    return paged;
  }

  void write(const skt_written& asked, From from) {
    if (by_ == Appending::build_index) return write_index(asked, from);
    call(library_.value_norms, {.values = from == From::pages ? pages_.values.data() : device_.values.data(),
                                .norms = norms_.data(),
                                .shape = shape_of(c_),
                                .written = asked,
                                .paged = pages(from),
                                .value_type = c_.element_type(),
                                .form = published_profile(c_.profile).norm_form});
    call(library_.pack_codes, {.codes = whole_.codes.data(),
                               .packed = packed_.data(),
                               .shape = shape_of(c_),
                               .written = asked,
                               .paged = pages(from)});
  }
  void write_index(const skt_written& asked, From from) {
    call(library_.build_index, {.keys = from == From::pages ? pages_.keys.data() : device_.keys.data(),
                                .hyperplanes = device_.hyperplanes.data(),
                                .packed = packed_.data(),
                                .values = from == From::pages ? pages_.values.data() : device_.values.data(),
                                .norms = norms_.data(),
                                .shape = shape_of(c_),
                                .written = asked,
                                .paged = pages(from),
                                .type = c_.element_type()});
  }

  void compare(const StepLengths& lengths, std::int64_t count) {
    std::vector<std::uint32_t> packed(packed_.size(), ~0u);
    std::vector<std::uint16_t> norms(norms_.size(), 0xffff);
    for (std::int64_t b = 0; b < c_.batch; ++b) {
      const std::int64_t end = std::min<std::int64_t>(lengths[b], c_.capacity);
      for (std::int64_t key = std::max<std::int64_t>(lengths[b] - count, 0); key < end; ++key) {
        expect(b, key, packed, norms);
      }
    }
    const std::vector<std::uint32_t> got = packed_.to_host();
    const std::vector<std::uint16_t> got_norms = norms_.to_host();
    for (std::size_t i = 0; i < packed.size(); ++i) result_.equal("word in a page", i, got[i], packed[i]);
    for (std::size_t i = 0; i < norms.size(); ++i) result_.equal("norm in a page", i, got_norms[i], norms[i]);
  }
  void expect(std::int64_t b, std::int64_t key, std::vector<std::uint32_t>& packed,
              std::vector<std::uint16_t>& norms) const {
    const std::int64_t page = pages_.shape.table[b * pages_.shape.blocks + key / c_.page_size];
    const std::int64_t in_page = key % c_.page_size;
    for (std::int64_t h = 0; h < c_.kv_heads; ++h) {
      const std::int64_t row = b * c_.kv_heads + h;
      norms[layout_.norm(page, h, in_page)] = whole_norms_[row * c_.capacity + key];
      for (std::int64_t w = 0; w < layout_.words; ++w) {
        packed[layout_.word(page, h, in_page, w)] =
            whole_packed_[row * c_.capacity * layout_.words + packed_position(key, w, layout_.words)];
      }
    }
  }

  const Library& library_;
  const CheckCase& c_;
  Appending by_;
  Comparison& result_;
  DeviceProblem device_;
  DevicePages pages_;
  IndexLayout layout_;
  DeviceIndex whole_;
  DeviceArray<std::uint32_t> packed_;
  DeviceArray<std::uint16_t> norms_;
  DeviceArray<std::int32_t> lengths_, table_;
  std::vector<std::uint32_t> whole_packed_;
  std::vector<std::uint16_t> whole_norms_;
};

// A sanitizer needs each way once.
std::vector<StepLengths> some_lengths(const CheckCase& c, std::int64_t count) {
  const std::vector<StepLengths> all = lengths_of_appends(c, count);
  if (memory_of_checks == Memory::guarded) return all;
  return {all.front(), all[all.size() / 2], all.back()};
}

}  // namespace

Comparison check_paged_writes(const Library& library, const CheckCase& c) {
  CheckCase full = c;
  full.keys = c.capacity;  // so that there is a key wherever one may be appended
  const Problem problem = with_common_keys(full, make_problem(full));
  Comparison result;
  const bool whole_tiles = c.paged() && c.page_size >= kTileKeys;
  result.holds("case with pages of whole tiles", 0, whole_tiles);
  if (!whole_tiles) return result;
  for (const Appending by : {Appending::build_index, Appending::three_calls}) {
    if (by == Appending::build_index && c.element_type() == SKT_F32) continue;  // it takes 16 bits only
    Writes writes(library, full, by, problem, result);
    for (const From from : {From::a_cache, From::pages}) {
      writes.prefill(from);
      for (const std::int64_t count : kCounts) {
        if (count > full.capacity) continue;
        for (const StepLengths& lengths : some_lengths(full, count)) writes.append(count, lengths, from);
      }
    }
  }
  return result;
}

}  // namespace skt::gpu

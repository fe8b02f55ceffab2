// Does index building find the places of appended keys in the lengths on the device, and write there and nowhere
// else, in a cache and in pages?
//
// By skt_build_index and by the three calls, of one key and of several. Expected is the index of a full cache, whose
// places the host gave and which has checks of its own: the last keys of each length have its bits, all else keeps
// its poison. Lengths begin and end tiles and the cache, and lie outside it. In one graph of many calls the lengths
// of the next are written right behind a call: what is there in the end are the keys of all.
//
// In pages also at prefill, in two calls; from keys and values in pages of the same table and from a cache without,
// to the places that the host counts (references/paged_index.hpp). Sequences share their first pages. Entries of
// blocks behind a length are -1.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/device_index.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/problems/step_lengths.hpp"
#include "gpu/check/references/paged_index.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

using Written = std::vector<bool>;  // [batch, capacity]

// To a call with lengths: one as in decoding, a few as of speculation, and more than a tile.
constexpr std::int64_t kCounts[] = {1, 8, 70};

// Where a call finds keys and values.
enum class From { a_cache, pages };

class Appends {
 public:
  Appends(const Library& library, const CheckCase& c, Appending by, const Problem& problem, Comparison& result)
      : library_(library), c_(c), by_(by), result_(result), device_(c, problem), index_(c), whole_(index_) {
    index_.build(library, c, device_, by);
    whole_ = HostIndex(index_);
    if (c.paged()) pages_.emplace(c, problem, with_shared_pages(c, paged_cache(c, problem)));
    const std::int64_t keys = c.paged() ? pages_->shape.pages * c.page_size : c.batch * c.capacity;
    packed_.emplace(keys * c.kv_heads * words_);
    norms_.emplace(keys * c.kv_heads);
    codes_.emplace(c.paged() ? 0 : index_.codes.size());
    lengths_.emplace(c.batch);
    table_.emplace(c.paged() ? std::ssize(pages_->shape.table) : 0);
  }

  void prefill(From from) {
    const StepLengths all(c_.batch, static_cast<std::int32_t>(c_.keys));
    const std::int64_t split = c_.keys * 2 / 3;
    begin(all);
    write({.count = split}, from);
    write({.first = split, .count = c_.keys - split}, from);
    compare(written_by(c_.keys, {all}));
  }

  void one_call(std::int64_t count, const StepLengths& lengths, From from) {
    begin(lengths);
    write({.count = count, .lengths = lengths_->data()}, from);
    compare(written_by(count, {lengths}));
  }

  void in_one_graph(std::int64_t count, const std::vector<StepLengths>& calls) {
    std::vector<std::unique_ptr<DeviceArray<std::int32_t>>> given;
    for (const StepLengths& lengths : calls) given.push_back(std::make_unique<DeviceArray<std::int32_t>>(lengths));
    begin(StepLengths(c_.batch, static_cast<std::int32_t>(c_.keys)));
    CapturedGraph graph([&](cudaStream_t stream) {
      for (const auto& lengths : given) {
        require(cudaMemcpyAsync(lengths_->data(), lengths->data(), lengths_->bytes(), cudaMemcpyDeviceToDevice, stream),
                "lengths");
        write({.count = count, .lengths = lengths_->data()}, From::a_cache, stream);
      }
    });
    graph.launch();
    graph.wait();
    compare(written_by(count, calls));
  }

 private:
  void begin(const StepLengths& lengths) {
    lengths_->set(lengths);
    if (c_.paged()) table_->set(table_of(pages_->shape, lengths));
    poison_all(*packed_, *norms_, *codes_);
  }

  // From a cache without pages the index alone is paged; codes never are.
  void write(const skt_written& asked, From from, cudaStream_t stream = nullptr) {
    IndexPlaces at = places_of(device_, index_);
    at.packed = packed_->data();
    at.norms = norms_->data();
    if (!c_.paged()) {
      at.codes = codes_->data();
      return append_keys(library_, c_, by_, at, asked, stream);
    }
    at.paged = pages_of(pages_->shape, *table_);
    if (from == From::a_cache) at.paged.page_stride = 0;
    if (from == From::pages) at.keys = pages_->keys.data();
    if (from == From::pages) at.values = pages_->values.data();
    if (by_ == Appending::build_index) return append_keys(library_, c_, by_, at, asked, stream);
    write_index(library_, c_, IndexCall::value_norms, at, asked, stream);
    write_index(library_, c_, IndexCall::pack_codes, at, asked, stream);
  }

  Written written_by(std::int64_t count, const std::vector<StepLengths>& calls) const {
    Written written(c_.batch * c_.capacity, false);
    for (const StepLengths& lengths : calls) {
      for (std::int64_t at = 0; at < std::ssize(written); ++at) {
        const std::int64_t from_the_end = lengths[at / c_.capacity] - at % c_.capacity;  // 1: the last
        if (1 <= from_the_end && from_the_end <= count) written[at] = true;
      }
    }
    return written;
  }

  void compare(const Written& written) {
    HostIndex expected = whole_;
    expected.packed.assign(packed_->size(), ~0u);
    expected.norms.assign(norms_->size(), 0xffff);
    expected.codes.assign(codes_->size(), -1);
    for (std::int64_t at = 0; at < std::ssize(written); ++at) {
      if (!written[at]) continue;
      for (std::int64_t h = 0; h < c_.kv_heads; ++h) expect(at / c_.capacity, h, at % c_.capacity, expected);
    }
    result_.equal_all("packed word", packed_->to_host(), expected.packed);
    result_.equal_all("norm", norms_->to_host(), expected.norms);
    if (by_ == Appending::three_calls) result_.equal_all("code", codes_->to_host(), expected.codes);
  }

  // Of a key that is written.
  void expect(std::int64_t b, std::int64_t h, std::int64_t key, HostIndex& expected) const {
    const std::int64_t row = b * c_.kv_heads + h;
    const IndexLayout layout(c_, c_.page_size);
    const std::int64_t page = c_.paged() ? pages_->shape.table[b * pages_->shape.blocks + key / c_.page_size] : 0;
    const std::int64_t in_page = key % c_.page_size, place = row * c_.capacity + key;
    expected.norms[c_.paged() ? layout.norm(page, h, in_page) : place] = whole_.norms[place];
    for (std::int64_t w = 0; w < words_; ++w) {
      const std::int64_t of_whole = row * c_.capacity * words_ + packed_position(key, w, words_);
      expected.packed[c_.paged() ? layout.word(page, h, in_page, w) : of_whole] = whole_.packed[of_whole];
    }
    if (c_.paged()) return;
    for (std::int64_t table = 0; table < c_.tables; ++table) {
      const std::int64_t at = (row * c_.tables + table) * c_.capacity + key;
      expected.codes[at] = whole_.codes[at];
    }
  }

  const Library& library_;
  const CheckCase& c_;
  Appending by_;
  Comparison& result_;
  const std::int64_t words_ = words_per_key(c_.tables, c_.planes);
  DeviceProblem device_;
  DeviceIndex index_;  // of all keys
  HostIndex whole_;
  std::optional<DevicePages> pages_;
  std::optional<DeviceArray<std::uint32_t>> packed_;
  std::optional<DeviceArray<std::uint16_t>> norms_;
  std::optional<DeviceArray<std::int16_t>> codes_;
  std::optional<DeviceArray<std::int32_t>> lengths_, table_;
};

// Of many sequences some have each length in every call; and a sanitizer needs each way once.
std::vector<StepLengths> some_of(const CheckCase& c, const std::vector<StepLengths>& all) {
  constexpr std::int64_t kMany = 100;
  if (memory_of_checks == Memory::guarded && c.batch < kMany) return all;
  return {all.front(), all[all.size() / 2], all.back()};
}

Comparison check_appends(const Library& library, const CheckCase& c) {
  CheckCase full = c;
  full.keys = c.capacity;  // so that there is a key wherever one may be appended
  const Problem problem = c.paged() ? with_common_keys(full, make_problem(full)) : make_problem(full);
  Comparison result;
  for (const Appending by : ways_to_append(full)) {
    Appends appends(library, full, by, problem, result);
    for (const From from : {From::a_cache, From::pages}) {
      if (from == From::pages && !c.paged()) continue;
      appends.prefill(from);
      for (const std::int64_t count : kCounts) {
        if (count > c.capacity) continue;
        for (const StepLengths& lengths : some_of(full, lengths_of_appends(full, count)))
          appends.one_call(count, lengths, from);
        appends.in_one_graph(count, some_of(full, lengths_of_steps(full)));
      }
    }
  }
  return result;
}

}  // namespace

Comparison check_append_lengths(const Library& library, const CheckCase& c) {
  CheckCase whole = c;
  whole.pages = PageLayout::none;
  return check_appends(library, whole);
}

Comparison check_paged_writes(const Library& library, const CheckCase& c) {
  Comparison result;
  const bool whole_tiles = c.paged() && c.page_size >= kTileKeys;
  result.holds("case with pages of whole tiles", 0, whole_tiles);
  return whole_tiles ? check_appends(library, c) : result;
}

}  // namespace skt::gpu

// Does index building find the places of appended keys in the lengths on the device, and write there and nowhere else?
//
// By skt_build_index and by the three calls, of one key and of several. Expected is the index of a full cache, whose
// places the host gave and which has checks of its own: the last keys of each length have its bits, all else keeps its
// poison. Lengths begin and end tiles and the cache, and lie outside it. In one graph of many calls the lengths of the
// next are written right behind a call: what is there in the end are the keys of all.
#include <iterator>
#include <memory>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/device_index.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/problems/step_lengths.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

// To a call: one as in decoding, a few as of speculation, and more than a tile.
constexpr std::int64_t kCounts[] = {1, 8, 70};

class Appends {
 public:
  Appends(const Library& library, const CheckCase& c, Appending by, DeviceProblem& problem, Comparison& result)
      : library_(library),
        c_(c),
        by_(by),
        problem_(problem),
        result_(result),
        index_(c),
        lengths_(c.batch),
        whole_(whole_index()) {}

  void one_call(std::int64_t count, const StepLengths& lengths) {
    poison();
    require(cudaMemcpy(lengths_.data(), lengths.data(), lengths_.bytes(), cudaMemcpyHostToDevice), "lengths");
    append_keys(library_, c_, by_, problem_, index_, count, lengths_, nullptr);
    compare(written_by(count, {lengths}));
  }

  void in_one_graph(std::int64_t count, const std::vector<StepLengths>& calls) {
    std::vector<std::unique_ptr<DeviceArray<std::int32_t>>> given;
    for (const StepLengths& lengths : calls) given.push_back(std::make_unique<DeviceArray<std::int32_t>>(lengths));
    poison();
    CapturedGraph graph([&](cudaStream_t stream) {
      for (const auto& lengths : given) {
        require(cudaMemcpyAsync(lengths_.data(), lengths->data(), lengths_.bytes(), cudaMemcpyDeviceToDevice, stream),
                "lengths");
        append_keys(library_, c_, by_, problem_, index_, count, lengths_, stream);
      }
    });
    graph.launch();
    graph.wait();
    compare(written_by(count, calls));
  }

 private:
  using Written = std::vector<bool>;  // [batch, capacity]

  HostIndex whole_index() {
    DeviceIndex whole(c_);
    if (by_ == Appending::build_index) {
      build_index(library_, c_, problem_, whole);
    } else {
      whole.build(library_, c_, problem_);
    }
    return HostIndex(whole);
  }

  void poison() {
    index_.poison();
    require(cudaDeviceSynchronize(), "poison");
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
    const HostIndex got(index_);
    const std::int64_t words = words_per_key(c_.tables, c_.planes);
    for (std::int64_t row = 0; row < c_.kv_rows(); ++row) {
      for (std::int64_t key = 0; key < c_.capacity; ++key) {
        const bool is_new = written[row / c_.kv_heads * c_.capacity + key];
        const std::int64_t at = row * c_.capacity + key;
        result_.equal(is_new ? "norm" : "norm of another key", at, got.norms[at], is_new ? whole_.norms[at] : 0xffff);
        for (std::int64_t word = 0; word < words; ++word) {
          const std::int64_t place = row * c_.capacity * words + packed_position(key, word, words);
          result_.equal(is_new ? "packed word" : "packed word of another key", place, got.packed[place],
                        is_new ? whole_.packed[place] : ~0u);
        }
        if (by_ == Appending::three_calls) compare_codes(row, key, is_new, got);
      }
    }
  }

  void compare_codes(std::int64_t row, std::int64_t key, bool is_new, const HostIndex& got) {
    for (std::int64_t table = 0; table < c_.tables; ++table) {
      const std::int64_t at = (row * c_.tables + table) * c_.capacity + key;
      result_.equal(is_new ? "code" : "code of another key", at, got.codes[at], is_new ? whole_.codes[at] : -1);
    }
  }

  const Library& library_;
  const CheckCase& c_;
  Appending by_;
  DeviceProblem& problem_;
  Comparison& result_;
  DeviceIndex index_;
  DeviceArray<std::int32_t> lengths_;
  HostIndex whole_;
};

// Of many sequences some have each length in every call; and a sanitizer needs each way once.
std::vector<StepLengths> some_of(const CheckCase& c, const std::vector<StepLengths>& all) {
  constexpr std::int64_t kMany = 100;
  if (memory_of_checks == Memory::guarded && c.batch < kMany) return all;
  return {all.front(), all[all.size() / 2], all.back()};
}

}  // namespace

Comparison check_append_lengths(const Library& library, const CheckCase& c) {
  CheckCase full = c;
  full.keys = c.capacity;  // so that there is a key wherever one may be appended
  const Problem problem = make_problem(full);
  DeviceProblem device(full, problem);
  Comparison result;
  for (const Appending by : {Appending::build_index, Appending::three_calls}) {
    if (by == Appending::build_index && c.element_type() == SKT_F32) continue;  // it takes 16 bits only
    Appends appends(library, full, by, device, result);
    for (const std::int64_t count : kCounts) {
      if (count > c.capacity) continue;
      for (const StepLengths& lengths : some_of(full, lengths_of_appends(full, count)))
        appends.one_call(count, lengths);
      appends.in_one_graph(count, some_of(full, lengths_of_steps(full)));
    }
  }
  return result;
}

}  // namespace skt::gpu

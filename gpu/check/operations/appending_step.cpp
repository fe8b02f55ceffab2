// Is a step that appends keys skt_build_index followed by the step without, in every bit?
//
// Sequences grow by the appended keys a step, from nothing or less and over the ends of tiles to all keys, 200 steps by one
// graph and nothing waited for in between (10,000 of them: gpu/bench/growing.py); the lengths, and keys and values that stand in arrays of their own, are
// copied in on the stream. Expected is what calls of skt_build_index and of the step leave on an index of their own. Every
// output and log-sum-exp is compared, and in the end all of the index: places that are not appended yet hold what is no
// code, and are left so. Where keys are given beside the cache they are others than those in it. From pages, where the
// case has them, and of whole tiles also into an index in pages; expected is made without. Lists of kv heads by the
// signed rule are given log-sum-exps where norms are written.
#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/problems/step_lengths.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

constexpr std::int64_t kMostSteps = 200;

enum class Source { cache, given };
// How the step knows how many keys there are.
enum class Told { by_lengths, by_one_number };

struct Variant {
  Operation rule;
  skt_append_norms norms;
  Source source;
};

// Of the sequences behind the appended keys, step by step; the last begins below 0.
std::vector<StepLengths> growing_lengths(const CheckCase& c) {
  const std::int64_t most = memory_of_checks == Memory::bare ? 2 : kMostSteps;  // a sanitizer needs few
  const std::int64_t steps = std::min(most, std::max<std::int64_t>(c.keys / c.append, 1));
  std::vector<StepLengths> lengths(steps);
  for (std::int64_t s = 0; s < steps; ++s) {
    for (std::int64_t b = 0; b < c.batch; ++b) {
      const bool is_last = b > 0 && b + 1 == c.batch;
      const std::int64_t first = is_last ? 1 - 3 * c.append : c.keys - steps * c.append - 5 * b;
      const std::int64_t length = first + (s + 1) * c.append;
      lengths[s].push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(length, 0, c.keys)));
    }
  }
  return lengths;
}

std::vector<float> negative(std::vector<float> numbers) {
  for (float& x : numbers) x = -x;
  return numbers;
}

// What codes and norms are made of: the numbers of the cache, or others.
Problem written_problem(const Problem& problem, Source source) {
  Problem written = problem;
  if (source == Source::cache) return written;
  written.keys = negative(problem.keys);
  for (float& x : written.values) x *= 2;
  return written;
}

// The keys or values that each step appends, [steps, batch, kv_heads, append, dim]; NaN for those before the first.
std::vector<float> appended_rows(const CheckCase& c, const std::vector<float>& rows,
                                 const std::vector<StepLengths>& steps) {
  std::vector<float> appended;
  for (const StepLengths& lengths : steps) {
    for (std::int64_t kv_row = 0; kv_row < c.kv_rows(); ++kv_row) {
      const std::int64_t end = lengths[kv_row / c.kv_heads];
      for (std::int64_t key = end - c.append; key < end; ++key) {
        if (key < 0) {
          appended.insert(appended.end(), c.dim, std::nanf(""));
        } else {
          const auto row = float_row(rows, kv_row * c.capacity + key, c.dim);
          appended.insert(appended.end(), row.begin(), row.end());
        }
      }
    }
  }
  return appended;
}

class AppendingSteps {
 public:
  AppendingSteps(const Library& library, const CheckCase& c, const Variant& variant, const Problem& problem,
                 const std::vector<StepLengths>& steps, Told told, Comparison& result)
      : library_(library),
        c_(c),
        variant_(variant),
        told_(told),
        steps_(steps),
        problem_(problem),
        device_(c, with_queries_of_rows(c, problem)),
        written_(c, written_problem(problem, variant.source)),
        expected_index_(c),
        index_(c),
        workspace_(decode_step_workspace(library, c)),
        lengths_(c.batch),
        output_(c.all_rows() * c.dim),
        log_sum_exp_(c.all_rows()),
        result_(result) {
    std::vector<std::int32_t> all;
    for (const StepLengths& lengths : steps) all.insert(all.end(), lengths.begin(), lengths.end());
    lengths_of_steps_ = std::make_unique<DeviceArray<std::int32_t>>(all);
    if (variant.source == Source::given) {
      const Problem given = written_problem(problem, variant.source);
      keys_of_steps_ = std::make_unique<Bytes>(to_bytes(c.element_type(), appended_rows(c, given.keys, steps)));
      values_of_steps_ = std::make_unique<Bytes>(to_bytes(c.element_type(), appended_rows(c, given.values, steps)));
      keys_ = std::make_unique<Bytes>(keys_of_steps_->size() / std::ssize(steps));
      values_ = std::make_unique<Bytes>(values_of_steps_->size() / std::ssize(steps));
    }
    if (c.paged()) pages_ = std::make_unique<DevicePages>(c, problem, paged_cache(c, problem));
    for (DeviceIndex* index : {&expected_index_, &index_}) begin(*index);
    if (c.paged() && c.page_size >= kTileKeys) paged_ = std::make_unique<DevicePagedIndex>(in_pages(expected_index_));
  }

  void grow() {
    skt_decode_step_args appending = arguments(index_, pages_.get(), paged_.get());
    appending.append = {.append_count = c_.append,
                        .append_keys = keys_ == nullptr ? nullptr : keys_->data(),
                        .append_values = values_ == nullptr ? nullptr : values_->data(),
                        .append_norms = variant_.norms};
    CapturedGraph graph([&](cudaStream_t stream) { call(library_.decode_step, appending, stream); });
    workspace_.poison();
    const Outputs got = outputs_of(graph.stream(), [&] { graph.launch(); });
    const skt_decode_step_args without = arguments(expected_index_, nullptr, nullptr);
    const Outputs expected = outputs_of(graph.stream(), [&] {
      write(expected_index_, c_.append, lengths_.data(), graph.stream());
      call(library_.decode_step, without, graph.stream());
    });
    result_.same_bits("output of steps that append", got.output, expected.output);
    result_.same_bits("log_sum_exp of steps that append", got.log_sum_exp, expected.log_sum_exp);
    compare_indexes();
  }

 private:
  struct Outputs {
    std::vector<float> output, log_sum_exp;  // of all steps
  };

  // Codes and norms up to the keys that the first step appends; all norms where no step writes any.
  void begin(DeviceIndex& index) {
    if (memory_of_checks == Memory::bare) {
      require(cudaMemset(index.packed.data(), 0, index.packed.bytes()), "index");
      require(cudaMemset(index.norms.data(), 0, index.norms.bytes()), "index");
    }
    StepLengths before;
    for (const std::int32_t length : steps_.front()) before.push_back(length - static_cast<std::int32_t>(c_.append));
    const DeviceArray<std::int32_t> lengths(before);
    write(index, c_.keys, lengths.data(), nullptr);
    require(cudaDeviceSynchronize(), "index");  // before the lengths go
    if (variant_.norms != SKT_APPEND_NO_NORMS) return;
    DeviceIndex norms(c_);
    write_index(library_, c_, IndexCall::value_norms, places_of(written_, norms), {.count = c_.keys});
    require(cudaMemcpy(index.norms.data(), norms.norms.data(), norms.norms.bytes(), cudaMemcpyDeviceToDevice), "norms");
  }

  // The last `count` keys of each sequence by skt_build_index.
  void write(DeviceIndex& index, std::int64_t count, const std::int32_t* lengths, cudaStream_t stream) {
    IndexPlaces at = places_of(written_, index);
    if (variant_.norms == SKT_APPEND_KEY_NORMS) at.values = at.keys;
    if (variant_.norms == SKT_APPEND_NO_NORMS) at.values = at.norms = nullptr;
    write_index(library_, c_, IndexCall::build_index, at, {.count = count, .lengths = lengths}, stream);
  }

  skt_decode_step_args arguments(DeviceIndex& index, DevicePages* pages, DevicePagedIndex* paged) {
    const bool has_log_sums = c_.weighs_heads() && variant_.norms != SKT_APPEND_NO_NORMS;
    skt_decode_step_args args = decode_arguments(c_, device_, index, workspace_, output_,
                                                 {.lengths = told_ == Told::by_lengths ? lengths_.data() : nullptr,
                                                  .log_sums = has_log_sums ? device_.log_sums.data() : nullptr,
                                                  .pages = pages,
                                                  .index = paged});
    args.log_sum_exp = log_sum_exp_.data();
    return args;
  }

  // Of all steps, each behind copies of its lengths, keys and values.
  template <class Step>
  Outputs outputs_of(cudaStream_t stream, const Step& step) {
    const std::int64_t steps = std::ssize(steps_);
    DeviceArray<float> outputs(steps * output_.size()), logs(steps * log_sum_exp_.size());
    require(cudaDeviceSynchronize(), "poison");
    for (std::int64_t s = 0; s < steps; ++s) {
      copy(lengths_, *lengths_of_steps_, 0, s, stream);
      if (keys_ != nullptr) copy(*keys_, *keys_of_steps_, 0, s, stream);
      if (values_ != nullptr) copy(*values_, *values_of_steps_, 0, s, stream);
      step();
      copy(outputs, output_, s, 0, stream);
      copy(logs, log_sum_exp_, s, 0, stream);
    }
    require(cudaStreamSynchronize(stream), "steps");
    return {outputs.to_host(), logs.to_host()};
  }

  // One array, as the to-th part of another from the from-th part of that; the smaller is a part.
  template <class T>
  static void copy(DeviceArray<T>& to, const DeviceArray<T>& from, std::int64_t to_part, std::int64_t from_part,
                   cudaStream_t stream) {
    const std::int64_t part = std::min(to.size(), from.size());
    require(cudaMemcpyAsync(to.data() + to_part * part, from.data() + from_part * part, part * sizeof(T),
                            cudaMemcpyDeviceToDevice, stream),
            "copy");
  }

  IndexArrays in_pages(const DeviceIndex& index) const {
    return index_in_pages(c_, problem_, pages_->shape, index.packed.to_host(), index.norms.to_host());
  }

  void compare_indexes() {
    const IndexArrays expected =
        paged_ != nullptr ? in_pages(expected_index_)
                          : IndexArrays{expected_index_.packed.to_host(), expected_index_.norms.to_host(), {}};
    const std::vector<std::uint32_t> packed = paged_ != nullptr ? paged_->packed.to_host() : index_.packed.to_host();
    const std::vector<std::uint16_t> norms = paged_ != nullptr ? paged_->norms.to_host() : index_.norms.to_host();
    result_.equal_all("packed codes that steps append", packed, expected.packed);
    result_.equal_all("bits of norms that steps append", norms, expected.norms);
  }

  const Library& library_;
  const CheckCase& c_;
  Variant variant_;
  Told told_;
  const std::vector<StepLengths>& steps_;
  const Problem& problem_;
  DeviceProblem device_, written_;
  DeviceIndex expected_index_, index_;
  std::unique_ptr<DevicePages> pages_;
  std::unique_ptr<DevicePagedIndex> paged_;
  Bytes workspace_;
  DeviceArray<std::int32_t> lengths_;
  DeviceArray<float> output_, log_sum_exp_;
  std::unique_ptr<DeviceArray<std::int32_t>> lengths_of_steps_;
  std::unique_ptr<Bytes> keys_of_steps_, values_of_steps_, keys_, values_;  // null: they are read from the cache
  Comparison& result_;
};

}  // namespace

Comparison check_appending_step(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  const std::vector<StepLengths> steps = growing_lengths(c);
  const std::vector<StepLengths> whole = {StepLengths(c.batch, static_cast<std::int32_t>(c.keys))};
  const std::vector<Operation> rules = rules_of(c);
  Comparison result;
  result.holds("case of 16 bits with no mask", 0, c.element_type() != SKT_F32 && c.mask == MaskKind::none);
  for (const Variant& variant : {Variant{rules.front(), SKT_APPEND_VALUE_NORMS, Source::cache},
                                 {rules.back(), SKT_APPEND_KEY_NORMS, Source::cache},
                                 {rules.front(), SKT_APPEND_VALUE_NORMS, Source::given},
                                 {rules.back(), SKT_APPEND_NO_NORMS, Source::given}}) {
    // Keys are read from a cache of 16 bits, and from pages where the index lies in them too.
    const bool reads_cache = !c.has_e4m3_cache() && (!c.paged() || c.page_size >= kTileKeys);
    if (variant.source == Source::cache && !reads_cache) continue;
    CheckCase by_rule = c;
    by_rule.operation = variant.rule;
    AppendingSteps(library, by_rule, variant, problem, steps, Told::by_lengths, result).grow();
    AppendingSteps(library, by_rule, variant, problem, whole, Told::by_one_number, result).grow();
  }
  return result;
}

}  // namespace skt::gpu

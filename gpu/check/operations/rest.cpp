// Does a step read the sample of the rest that it must, and is what it says of the rest what that sample says?
//
// By the signed rule, over an index with norms of keys, in a graph whose replays find another number of the step in device
// memory. Scores are those of the stages, draws the twin's, in every bit; estimate, limits and output lie in their intervals
// (references/rest.hpp). Output and lists have the bits of a step that asks for nothing of the rest. Several sample
// counts, of which the largest takes most rests whole; lengths of their own; an index in pages; keys that the step appends.
#include <algorithm>
#include <cmath>
#include <memory>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/references/group_scores.hpp"
#include "gpu/check/references/listed_keys.hpp"
#include "gpu/check/references/rest.hpp"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/rest_sample.hpp"

namespace skt::gpu {
namespace {

constexpr float kTarget = 0.25f;
constexpr RestPlan kPlans[] = {{3, 0.05f, 0.3f}, {40, 0.01f, 0.1f}, {1024, 0.3f, 0.6f}};

// What a step with a rest writes, of one replay on the host.
struct RestNumbers {
  std::vector<float> output, log_sum_exp;
  std::vector<std::int32_t> selected, counts;
  std::vector<float> weight, limit, nominal;
  std::vector<std::int32_t> flags;
  std::vector<float> corrected;
  std::vector<std::int32_t> drawn, keys;
};

struct RestArrays {
  RestArrays(const CheckCase& c, std::int64_t samples)
      : output(c.rows() * c.dim),
        log_sum_exp(c.rows()),
        selected(c.list_rows() * c.list()),
        counts(c.list_rows()),
        weight(c.rows()),
        limit(c.rows()),
        nominal(c.rows()),
        flags(c.rows()),
        corrected(c.rows() * c.dim),
        drawn(c.list_rows()),
        keys(c.list_rows() * rest_room(static_cast<int>(samples))),
        flagged(std::vector<std::int32_t>(3)),
        step(std::vector<std::int32_t>(1)) {}
  void poison() {
    poison_all(output, log_sum_exp, selected, counts, weight, limit, nominal, flags, corrected, drawn, keys);
  }
  RestNumbers to_host() const {
    return {output.to_host(),    log_sum_exp.to_host(), selected.to_host(), counts.to_host(),
            weight.to_host(),    limit.to_host(),       nominal.to_host(),  flags.to_host(),
            corrected.to_host(), drawn.to_host(),       keys.to_host()};
  }

  DeviceArray<float> output, log_sum_exp;
  DeviceArray<std::int32_t> selected, counts;
  DeviceArray<float> weight, limit, nominal;
  DeviceArray<std::int32_t> flags;
  DeviceArray<float> corrected;
  DeviceArray<std::int32_t> drawn, keys, flagged, step;
};

void same_results(const RestNumbers& got, const RestNumbers& expected, Comparison& result) {
  result.same_bits("residual weight of a replay", got.weight, expected.weight);
  result.same_bits("limit of a replay", got.limit, expected.limit);
  result.same_bits("nominal limit of a replay", got.nominal, expected.nominal);
  result.same_bits("corrected output of a replay", got.corrected, expected.corrected);
  result.same_numbers("flags of a replay", got.flags, expected.flags);
  result.same_numbers("keys drawn by a replay", got.keys, expected.keys);
}

// Norms of keys are in fp16, whatever the profile's are.
CheckCase of_paper(CheckCase c) {
  c.profile = Profile::paper;
  return c;
}

class RestChecks {
 public:
  RestChecks(const Library& library, const CheckCase& c, Comparison& result)
      : library_(library), c_(c), result_(result), indexed_(library, c), lengths_(c.batch) {
    write_index(library, of_paper(c), IndexCall::value_norms, places_of_keys(), {.count = c.keys});
    if (!c.paged()) return;
    const PagedCache cache = paged_cache(c, problem_);
    pages_ = std::make_unique<DevicePages>(c, problem_, cache);
    if (c.page_size < kTileKeys) return;
    paged_index_ = std::make_unique<DevicePagedIndex>(
        index_in_pages(c, problem_, cache, index_.packed.to_host(), index_.norms.to_host()));
  }

  // `lengths` empty: all keys, and `used` says so.
  void steps(const RestPlan& plan, const std::vector<std::int32_t>& lengths, bool gives_log_sums) {
    if (!lengths.empty()) lengths_.set(lengths);
    RestArrays arrays(c_, plan.samples);
    Bytes workspace(decode_step_workspace(library_, c_, plan.samples));
    const Given given = {.lengths = lengths.empty() ? nullptr : lengths_.data(),
                         .log_sums = gives_log_sums ? device_.log_sums.data() : nullptr};
    const skt_decode_step_args args = arguments(plan, arrays, workspace, given);
    const RestNumbers plain = without_rest(args, arrays, workspace);
    CapturedGraph graph([&](cudaStream_t stream) { call(library_.decode_step, args, stream); });
    std::vector<std::int32_t> flagged(3);
    std::vector<RestNumbers> replays;
    for (const std::int32_t step : {0, 0, 7}) {
      arrays.step.set({{step}});
      workspace.poison();
      arrays.poison();
      graph.launch();
      graph.wait();
      replays.push_back(arrays.to_host());
      for (const std::int32_t flags : replays.back().flags) {
        for (int bit = 0; bit < 3; ++bit) flagged[bit] += flags >> bit & 1;
      }
    }
    result_.same_numbers("how many are flagged", arrays.flagged.to_host(), flagged);
    result_.same_bits("output beside a rest", replays[0].output, plain.output);
    result_.same_bits("log_sum_exp beside a rest", replays[0].log_sum_exp, plain.log_sum_exp);
    result_.same_numbers("list beside a rest", replays[0].selected, plain.selected);
    same_results(replays[1], replays[0], result_);
    std::vector<std::int32_t> of_sequences = lengths;
    if (lengths.empty()) of_sequences.assign(c_.batch, static_cast<std::int32_t>(c_.keys));
    compare(plan, of_sequences, gives_log_sums, 0, replays[0]);
    compare(plan, of_sequences, gives_log_sums, 7, replays[2]);
    if (pages_ == nullptr) return;
    Given paged = given;
    paged.pages = pages_.get();
    paged.index = paged_index_.get();
    from_pages(arguments(plan, arrays, workspace, paged), arrays, workspace, replays[2]);
  }

  // A step that appends its last keys says the same as one behind them, whether they are in the window or not. Norms that it
  // read too early are NaN.
  void appended(const RestPlan& plan, std::int64_t window) {
    RestArrays arrays(c_, plan.samples);
    Bytes workspace(decode_step_workspace(library_, c_, plan.samples));
    skt_decode_step_args args = arguments(plan, arrays, workspace, {});
    args.list.window = window;
    const skt_written last = {.first = std::max<std::int64_t>(0, c_.keys - 3),
                              .count = std::min<std::int64_t>(3, c_.keys)};
    append_keys(library_, of_paper(c_), Appending::build_index, places_of_keys(), last);
    const auto run = [&] {
      arrays.poison();
      workspace.poison();
      call(library_.decode_step, args);
      return arrays.to_host();
    };
    const RestNumbers expected = run();
    std::vector<std::uint16_t> norms = index_.norms.to_host();
    for (std::int64_t row = 0; row < c_.kv_rows(); ++row) {
      std::fill_n(norms.begin() + row * c_.capacity + last.first, last.count, kNan);
    }
    index_.norms.set(norms);
    args.append = {.append_count = last.count, .append_norms = SKT_APPEND_KEY_NORMS};
    same_results(run(), expected, result_);
  }

 private:
  static constexpr std::uint16_t kNan = 0x7e00;  // of fp16

  IndexPlaces places_of_keys() {
    IndexPlaces places = places_of(device_, index_);
    places.values = places.keys;
    return places;
  }
  skt_decode_step_args arguments(const RestPlan& plan, RestArrays& arrays, Bytes& workspace, const Given& given) {
    skt_decode_step_args args = decode_arguments(c_, device_, index_, workspace, arrays.output, given);
    args.log_sum_exp = arrays.log_sum_exp.data();
    args.selected = arrays.selected.data();
    args.list_counts = arrays.counts.data();
    args.rest = {.rest_samples = plan.samples,
                 .rest_seed = static_cast<std::int64_t>(c_.seed),
                 .rest_step = arrays.step.data(),
                 .rest_delta = plan.delta,
                 .rest_radius = plan.radius,
                 .rest_target = kTarget,
                 .rest_weight = arrays.weight.data(),
                 .rest_limit = arrays.limit.data(),
                 .rest_nominal = arrays.nominal.data(),
                 .rest_flags = arrays.flags.data(),
                 .rest_flagged = arrays.flagged.data(),
                 .rest_output = arrays.corrected.data(),
                 .rest_drawn = arrays.drawn.data(),
                 .rest_keys = arrays.keys.data()};
    return args;
  }
  RestNumbers without_rest(skt_decode_step_args args, RestArrays& arrays, Bytes& workspace) {
    arrays.poison();
    workspace.poison();
    args.rest = {};
    call(library_.decode_step, args);
    return arrays.to_host();
  }
  // Without a log_sum_exp, lists and a corrected output of the caller's.
  void from_pages(skt_decode_step_args args, RestArrays& arrays, Bytes& workspace, const RestNumbers& expected) {
    arrays.poison();
    workspace.poison();
    args.log_sum_exp = nullptr;
    args.selected = nullptr;
    args.rest.rest_output = nullptr;
    call(library_.decode_step, args);
    const RestNumbers paged = arrays.to_host();
    result_.same_bits("residual weight from pages", paged.weight, expected.weight);
    result_.same_bits("limit from pages", paged.limit, expected.limit);
    result_.same_numbers("keys drawn from pages", paged.keys, expected.keys);
  }

  // As the step scores them.
  std::vector<float> scores(DeviceArray<float>& halves, const std::vector<std::int32_t>& lengths, bool gives_log_sums) {
    DeviceArray<float> scores(c_.list_rows() * c_.capacity);
    const DeviceArray<std::int32_t> of_sequences(lengths);
    CheckCase scored = c_;
    scored.dense = 0;
    call(library_.score_packed,
         score_packed_arguments(
             scored, device_, index_, halves, scores.data(),
             {.lengths = of_sequences.data(), .log_sums = gives_log_sums ? device_.log_sums.data() : nullptr}));
    return scores.to_host();
  }

  void compare(const RestPlan& plan, const std::vector<std::int32_t>& lengths, bool gives_log_sums, std::uint32_t step,
               const RestNumbers& got) {
    DeviceArray<float> device_halves(half_table_floats(c_));
    half_tables(library_, c_, device_, device_halves);
    const std::vector<float> halves = device_halves.to_host(),
                             all_scores = scores(device_halves, lengths, gives_log_sums);
    const std::vector<float> norms = norms_to_host(of_paper(c_), index_.norms);
    const std::vector<std::int16_t> codes = index_.codes.to_host();
    const std::int64_t room = rest_room(static_cast<int>(plan.samples));
    for (std::int64_t row = 0; row < c_.list_rows(); ++row) {
      const std::int64_t first = row * c_.heads_of_list(), kv_row = first / c_.group(),
                         length = lengths[first / c_.heads];
      const auto list = listed_keys(c_.keys, got.selected, got.counts, c_.list(), row, result_);
      if (length == 0 || length <= c_.dense) {
        compare_nothing_left_out(got, row, room);
        continue;
      }
      const auto of_row = [&](const std::vector<float>& numbers, std::int64_t at) {
        return std::vector<float>(numbers.begin() + at * c_.capacity, numbers.begin() + at * c_.capacity + length);
      };
      const RestRow rest_row = {of_row(all_scores, row), of_row(norms, kv_row), list, c_.sink, c_.window,
                                c_.weighs_heads(),       weight_scale_of(c_)};
      const TwinRest twin = twin_rest(rest_row, {plan.samples, c_.seed, static_cast<std::uint32_t>(row), step});
      std::vector<std::int32_t> keys(got.keys.begin() + row * room, got.keys.begin() + (row + 1) * room);
      const auto end = std::find(keys.begin(), keys.end(), -1);
      result_.holds("places behind the drawn keys", row, std::all_of(end, keys.end(), [](auto k) { return k == -1; }));
      keys.erase(end, keys.end());
      std::sort(keys.begin(), keys.end());
      const bool has_room = twin.drawn <= room;
      result_.equal("number of drawn keys", row, got.drawn[row],
                    has_room ? static_cast<double>(twin.keys.size()) : static_cast<double>(twin.drawn));
      if (!has_room) {
        for (std::int64_t h = first; h < first + c_.heads_of_list(); ++h) compare_unknown(got, h);
        continue;
      }
      result_.same_numbers("drawn keys", keys, twin.keys);
      if (keys != twin.keys) continue;
      for (std::int64_t h = first; h < first + c_.heads_of_list(); ++h) {
        const std::int64_t head_floats = c_.tables * half_table_entries(c_.code_bits());
        const std::span<const float> of_head(halves.data() + h * head_floats, head_floats);
        const RestHead head = {got.log_sum_exp[h],
                               c_.weighs_heads() ? normaliser(of_head, codes, norms, h, length, gives_log_sums) : 0,
                               largest_projection(of_head)};
        compare_head(plan, twin, head, h, got);
      }
    }
  }

  float normaliser(std::span<const float> half_sums, const std::vector<std::int16_t>& codes,
                   const std::vector<float>& norms, std::int64_t head, std::int64_t length, bool gives_log_sums) {
    if (gives_log_sums) return twin_group_head(c_, half_sums, problem_.log_sums[head]).normaliser;
    const std::int64_t kv_row = head / c_.group();
    return twin_group_head(c_, half_sums,
                           {length, [&](std::int64_t key) { return codes_of_key(c_, codes, kv_row, key); },
                            [&](std::int64_t key) { return norms[kv_row * c_.capacity + key]; },
                            [&](std::int64_t key) { return is_allowed(c_, problem_, head, key); }})
        .normaliser;
  }
  float largest_projection(std::span<const float> half_sums) {
    float largest = 0;
    const int entries = half_table_entries(c_.code_bits());
    for (std::int64_t table = 0; table < c_.tables; ++table) {
      for (int bit = 0; bit < c_.code_bits(); ++bit) {
        const float of_bit = std::fabs(projection_of(half_sums.data() + table * entries, bit, c_.code_bits()));
        largest = std::isfinite(of_bit) ? std::fmax(largest, of_bit) : INFINITY;
      }
    }
    return largest;
  }

  void compare_nothing_left_out(const RestNumbers& got, std::int64_t row, std::int64_t room) {
    result_.equal("keys drawn of no rest", row, got.drawn[row], 0);
    for (std::int64_t i = 0; i < room; ++i) result_.equal("keys of no rest", row, got.keys[row * room + i], -1);
    for (std::int64_t h = row * c_.heads_of_list(); h < (row + 1) * c_.heads_of_list(); ++h) {
      result_.equal("weight of no rest", h, got.weight[h], 0);
      result_.equal("limit of no rest", h, got.limit[h], 0);
      result_.equal("flags of no rest", h, got.flags[h], 0);
      for (std::int64_t d = h * c_.dim; d < (h + 1) * c_.dim; ++d)
        result_.equal("corrected output of no rest", d, got.corrected[d], got.output[d]);
    }
  }
  void compare_unknown(const RestNumbers& got, std::int64_t h) {
    result_.equal("limit that is not known", h, got.limit[h], 1);
    result_.holds("flag of a limit that is not known", h, (got.flags[h] & SKT_REST_UNKNOWN) != 0);
  }
  void compare_head(const RestPlan& plan, const TwinRest& twin, const RestHead& head, std::int64_t h,
                    const RestNumbers& got) {
    if (got.counts[h / c_.heads_of_list()] == 0) {  // all of the softmax is in the rest, if there is one
      result_.equal("residual weight of an empty list", h, got.weight[h], twin.candidates > 0 ? 1 : 0);
      return;
    }
    if (twin.candidates == 0) {
      result_.equal("residual weight without a rest", h, got.weight[h], 0);
      result_.equal("limit without a rest", h, got.limit[h], 0);
      return;
    }
    if (!std::isfinite(head.log_sum_exp)) return compare_unknown(got, h);
    const ExactRest exact = exact_rest(c_, problem_, h, twin, head, plan, float_row(got.output, h, c_.dim));
    if (!exact.is_judged) return;
    if (!exact.in_range) {
      result_.equal("limit of a rest that outweighs all lists", h, got.limit[h], 1);
      return;
    }
    const auto inside = [&](const char* what, double number, const ScoreInterval& of) {
      const double middle = (of.low + of.high) / 2;
      result_.within(what, h, number, middle, of.high - middle);
    };
    inside("residual weight", got.weight[h], exact.weight);
    const bool unknown = (got.flags[h] & SKT_REST_UNKNOWN) != 0;
    result_.holds("whether a limit is known", h, unknown ? exact.may_be_unknown : !exact.must_be_unknown);
    if (unknown) {
      compare_unknown(got, h);
    } else {
      inside("limit", got.limit[h], exact.limit);
    }
    inside("nominal limit", got.nominal[h], exact.nominal);
    result_.equal("flag of the limit", h, got.flags[h] & SKT_REST_ABOVE, got.limit[h] > kTarget ? SKT_REST_ABOVE : 0);
    result_.equal("flag of the nominal limit", h, got.flags[h] & SKT_REST_NOMINAL_ABOVE,
                  got.nominal[h] > kTarget ? SKT_REST_NOMINAL_ABOVE : 0);
    for (std::int64_t d = 0; d < c_.dim; ++d) {
      result_.within("corrected output", h * c_.dim + d, got.corrected[h * c_.dim + d], exact.output[d],
                     exact.tolerance[d]);
    }
  }

  const Library& library_;
  const CheckCase& c_;
  Comparison& result_;
  Indexed indexed_;
  Problem& problem_ = indexed_.problem;
  DeviceProblem& device_ = indexed_.device;
  DeviceIndex& index_ = indexed_.index;
  DeviceArray<std::int32_t> lengths_;
  std::unique_ptr<DevicePages> pages_;
  std::unique_ptr<DevicePagedIndex> paged_index_;
};

// One of all keys, one of none, and others between.
std::vector<std::int32_t> ragged(const CheckCase& c) {
  std::vector<std::int32_t> lengths(c.batch);
  for (std::int64_t b = 0; b < c.batch; ++b) {
    lengths[b] = static_cast<std::int32_t>(b % 3 == 1 ? 0 : c.keys - c.keys * (b % 4) / 5);
  }
  return lengths;
}

}  // namespace

Comparison check_rest(const Library& library, const CheckCase& c) {
  Comparison result;
  RestChecks checks(library, c, result);
  for (const RestPlan& plan : kPlans) checks.steps(plan, {}, false);
  if (c.weighs_heads()) checks.steps(kPlans[1], {}, true);
  if (c.batch > 1) checks.steps(kPlans[1], ragged(c), false);
  if (std::ranges::count(ways_to_append(c), Appending::build_index) > 0) {
    for (const std::int64_t window : {0, 3}) checks.appended(kPlans[1], window);
  }
  return result;
}

}  // namespace skt::gpu

// Does the published pipeline give the output that the estimators give from the same keys, values and query,
// under the rules of its profile?
//
// Stage by stage on the device: codes, norms, probabilities of all buckets, mask, scores, best keys, list, attention.
// Against double, from the inputs alone: every score within the interval that any fp32 order allows
// (score_bounds.hpp); the best keys within what these intervals leave open; the list equal to the profile's rule over
// them; the output within the bound of attention over that list. The mask is first written as the profile's code
// takes it: a length (gpt-fast, hf), an addend or true for forbidden (hub), bytes (paper).
#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>

#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/references/attention.hpp"
#include "gpu/check/references/listed_keys.hpp"
#include "gpu/check/references/score_bounds.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

using Keys = std::vector<std::int32_t>;

// Whom do the published rules differ for? hub takes the best of all keys and joins sink and window afterwards.
enum class Rule { paper, hub, repeated };
Rule rule_of(const CheckCase& c) {
  if (published_profile(c.profile).list == ListRule::repeated) return Rule::repeated;
  return c.profile == Profile::hub ? Rule::hub : Rule::paper;
}

bool forced(const CheckCase& c, std::int64_t key) {
  return key < c.sink || key >= c.keys - c.window;
}

// The interface's bytes, from the mask in the form of the profile's code.
std::vector<std::uint8_t> mask_bytes(const CheckCase& c, const Problem& problem) {
  std::vector<std::uint8_t> bytes = problem.allowed;
  if (rule_of(c) == Rule::repeated) {  // the cache position: the mask of the case must be none
    bytes.resize(c.batch * c.capacity);
    for (std::int64_t at = 0; at < std::ssize(bytes); ++at) {
      bytes[at] = allowed_by_length(at % c.capacity, c.keys) ? 1 : 0;
    }
  } else if (rule_of(c) == Rule::hub) {
    constexpr float addends[] = {-std::numeric_limits<float>::infinity(), -1.0f, -1e-30f};
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      const bool allowed = bytes[at] != 0;
      const float addend = allowed ? (at % 2 ? -0.0f : 0.0f) : addends[at % 3];
      bytes[at] = (c.mask == MaskKind::causal ? allowed_by_forbidding(!allowed) : allowed_by_addend(addend)) ? 1 : 0;
    }
  }
  return bytes;
}

// Are `best` the budget best of the candidates? The budget-th largest score lies between the budget-th largest of the
// lower ends and that of the upper ends.
void compare_best(const CheckCase& c, const std::vector<ScoreInterval>& scores, const Keys& best, std::int64_t row,
                  Comparison& result) {
  std::vector<char> taken(scores.size(), 0);
  for (const std::int32_t key : best) taken[key] = 1;
  std::vector<double> lows, highs;
  const auto is_candidate = [&](std::int64_t key) {
    return scores[key].high >= 0 && (rule_of(c) != Rule::paper || !forced(c, key));
  };
  for (std::int64_t key = 0; key < c.keys; ++key) {
    if (!is_candidate(key)) continue;
    lows.push_back(scores[key].low);
    highs.push_back(scores[key].high);
  }
  const std::int64_t take = std::min<std::int64_t>(c.budget, std::ssize(lows));
  result.equal("number of best keys", row, real(best.size()), real(take));
  if (take == 0) return;
  std::sort(lows.begin(), lows.end(), std::greater<>());
  std::sort(highs.begin(), highs.end(), std::greater<>());
  for (std::int64_t key = 0; key < c.keys; ++key) {
    const bool ok = !is_candidate(key) ? !taken[key]
                    : taken[key]       ? scores[key].high >= lows[take - 1]
                                       : scores[key].low <= highs[take - 1];
    result.holds("best keys within their intervals", row * c.capacity + key, ok);
  }
}

// What the profile attends to when its best keys are these.
Keys expected_list(const CheckCase& c, const Problem& problem, std::int64_t row, const Keys& best) {
  const ListRule rule = published_profile(c.profile).list;
  Keys list = attended_keys(rule, best, c.keys, c.sink, c.window);
  std::erase_if(list, [&](std::int32_t key) { return !is_allowed(c, problem, row, key); });
  return list;
}

struct Device {
  Keys best, best_counts, selected, counts;
  std::vector<float> scores, output;
};

// hub's union has no operation of its own: it is made here of the device's best keys.
void join_on_the_host(const CheckCase& c, const Problem& problem, Device& device) {
  const std::int64_t rows = c.rows();
  device.selected.assign(rows * c.list(), -1);
  device.counts.assign(rows, 0);
  Comparison unused;
  for (std::int64_t row = 0; row < rows; ++row) {
    const Keys best = listed_keys(c.keys, device.best, device.best_counts, c.budget, row, unused);
    const Keys list = expected_list(c, problem, row, best);
    std::copy(list.begin(), list.end(), device.selected.begin() + row * c.list());
    device.counts[row] = static_cast<std::int32_t>(list.size());
  }
}

// The list that the profile makes of the best keys, and attention over it.
void attend(const Library& library, const CheckCase& c, const Problem& problem, DeviceProblem& inputs,
            DeviceArray<std::int32_t>& best, DeviceArray<std::int32_t>& best_counts, Device& device) {
  DeviceArray<float> output(c.rows() * c.dim);
  DeviceArray<float> log_sum_exp(c.rows());
  if (rule_of(c) == Rule::repeated) {
    DeviceArray<std::int32_t> selected(c.rows() * c.list());
    DeviceArray<std::int32_t> counts(c.rows());
    published_list(library, c, best, best_counts, selected, counts);
    sparse_attention(library, c, inputs, selected, counts, output, log_sum_exp);
    device.selected = selected.to_host();
    device.counts = counts.to_host();
  } else if (rule_of(c) == Rule::hub) {
    join_on_the_host(c, problem, device);
    DeviceArray<std::int32_t> joined(device.selected);
    DeviceArray<std::int32_t> joined_counts(device.counts);
    sparse_attention(library, c, inputs, joined, joined_counts, output, log_sum_exp);
  } else {
    sparse_attention(library, c, inputs, best, best_counts, output, log_sum_exp);
    device.selected = device.best;
    device.counts = device.best_counts;
  }
  device.output = output.to_host();
}

Device run_pipeline(const Library& library, const CheckCase& c, const Problem& problem) {
  Problem published = problem;
  published.allowed = mask_bytes(c, problem);
  DeviceProblem inputs(c, published);
  DeviceIndex index(c);
  index.build(library, c, inputs);
  const std::int32_t type = published_profile(c.profile).probability_type;
  Bytes probabilities((c.rows() * c.tables << c.planes) * element_bytes(type));
  DeviceArray<float> scores(c.rows() * c.capacity);
  soft_buckets(library, c, inputs, type, probabilities);
  call(library.score_buckets, score_buckets_arguments(c, inputs, index, probabilities, scores));
  CheckCase among_all = c;
  if (rule_of(c) != Rule::paper) among_all.sink = among_all.window = 0;
  DeviceArray<std::int32_t> best(c.rows() * among_all.list());
  DeviceArray<std::int32_t> best_counts(c.rows());
  call(library.select_keys, select_arguments(among_all, scores.data(), best, best_counts));
  Device device;
  device.best = best.to_host();
  device.best_counts = best_counts.to_host();
  attend(library, c, problem, inputs, best, best_counts, device);
  device.scores = scores.to_host();
  return device;
}

void compare_row(const CheckCase& c, const Problem& problem, const Device& device, std::int64_t row,
                 Comparison& result) {
  const std::vector<ScoreInterval> intervals = score_intervals(c, problem, row);
  for (std::int64_t key = 0; key < c.keys; ++key) {
    const std::int64_t at = row * c.capacity + key;
    compare_score(intervals[key], at, device.scores[at], result);
  }
  const std::int64_t length = rule_of(c) == Rule::paper ? c.list() : c.budget;
  Keys best = listed_keys(c.keys, device.best, device.best_counts, length, row, result);
  if (rule_of(c) == Rule::paper) std::erase_if(best, [&](std::int32_t key) { return forced(c, key); });
  compare_best(c, intervals, best, row, result);
  const Keys list = listed_keys(c.keys, device.selected, device.counts, c.list(), row, result);
  const Keys expected = expected_list(c, problem, row, best);
  result.holds("list of the profile", row, list == expected);
  compare_output(c.dim, attention_reference(c, problem, row, expected), row, device.output, result);
}

}  // namespace

Comparison check_pipeline(const Library& library, const CheckCase& c) {
  Comparison result;
  result.holds("a mask that the profile's code can take", 0, rule_of(c) != Rule::repeated || c.mask == MaskKind::none);
  if (result.failures() != 0) return result;
  const Problem problem = make_problem(c);
  const Device device = run_pipeline(library, c, problem);
  for (std::int64_t row = 0; row < c.rows(); ++row) compare_row(c, problem, device, row, result);
  return result;
}

}  // namespace skt::gpu

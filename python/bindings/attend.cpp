// `socketlab attend` on arrays in memory: the same requests, variants and results, as columns.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "estimators/groups/kv_head_lists.hpp"
#include "experiments/attend/attend_all.hpp"
#include "experiments/attend/variants.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"
#include "python/bindings/tables.hpp"

namespace skt::python {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// The numbers of a query that may not be defined, by the names of summary.json.
struct NamedNumber {
  const char* name;
  std::optional<double> QueryResult::* value;
};
constexpr std::array<NamedNumber, 8> kNumbers{{{"absolute_error", &QueryResult::absolute_error},
                                               {"relative_error", &QueryResult::relative_error},
                                               {"residual_weight", &QueryResult::residual_weight},
                                               {"snr", &QueryResult::snr},
                                               {"context_divergence", &QueryResult::context_divergence},
                                               {"log_sum_exp", &QueryResult::log_sum_exp},
                                               {"recall", &QueryResult::recall},
                                               {"recall_failure", &QueryResult::recall_failure}}};

// Those of a sample of the rest, by the names of SampledError.
struct NamedEstimate {
  const char* name;
  double ResidualReport::* value;
};
constexpr std::array<NamedEstimate, 5> kSampled{{{"sampled_residual_weight", &ResidualReport::estimate},
                                                 {"residual_weight_limit", &ResidualReport::limit},
                                                 {"residual_weight_nominal_limit", &ResidualReport::nominal_limit},
                                                 {"sampled_error", &ResidualReport::error_estimate},
                                                 {"error_limit", &ResidualReport::error_limit}}};

// What is kept of every query, in their order.
class Columns {
 public:
  Columns(const AttendProblem& problem, Index width, const AttendSettings& settings)
      : samples_rest_(settings.error.has_value()),
        queries_(problem.num_queries()),
        keys_(problem.num_keys()),
        value_dim_(problem.value_dim()),
        width_(width),
        key_heads_(problem.key_heads()),
        group_(settings.lists == Lists::kv_head ? problem.heads() / problem.key_heads() : 0) {}

  void add(Index head, const QueryResult& result) {
    scores_.insert(scores_.end(), result.scores.begin(), result.scores.end());
    selected_.insert(selected_.end(), result.listed.begin(), result.listed.end());
    selected_.resize(selected_.size() + width_ - result.listed.size(), -1);
    const Vector output = result.output.value_or(Vector::Zero(value_dim_));
    output_.insert(output_.end(), output.begin(), output.end());
    head_.push_back(head);
    allowed_.push_back(result.allowed);
    count_.push_back(std::ssize(result.selected));
    for (std::size_t i = 0; i < kNumbers.size(); ++i)
      numbers_[i].push_back((result.*kNumbers[i].value).value_or(kUndefined));
    curves_.add(head, result.curves);
    if (group_ > 0 && head % group_ == 0) {
      lists_.push_back(result.selected);
      std::ranges::sort(lists_.back());
    }
    if (samples_rest_) add_sampled(result);
  }

  nb::dict handed_over() {
    const auto n = static_cast<std::size_t>(queries_);
    nb::dict all;
    all["scores"] = handed(std::move(scores_), {n, static_cast<std::size_t>(keys_)});
    all["selected"] = handed(std::move(selected_), {n, static_cast<std::size_t>(width_)});
    all["output"] = handed(std::move(output_), {n, static_cast<std::size_t>(value_dim_)});
    all["head"] = handed(std::move(head_), {n});
    all["allowed"] = handed(std::move(allowed_), {n});
    all["count"] = handed(std::move(count_), {n});
    for (std::size_t i = 0; i < kNumbers.size(); ++i) all[kNumbers[i].name] = handed(std::move(numbers_[i]), {n});
    all["curves"] = columns_of(curves_.table());
    if (group_ > 0) {
      PackedLists packed = packed_lists(lists_, width_);
      const auto heads = static_cast<std::size_t>(key_heads_), rows = lists_.size() / heads;
      all["lists"] = handed(std::move(packed.keys), {heads, rows, static_cast<std::size_t>(width_)});
      all["list_counts"] = handed(std::move(packed.counts), {heads, rows});
    }
    if (!samples_rest_) return all;
    all["corrected"] = handed(std::move(corrected_), {n, static_cast<std::size_t>(value_dim_)});
    all["read"] = handed(std::move(read_), {n});
    all["stages"] = handed(std::move(stages_), {n});
    for (std::size_t i = 0; i < kSampled.size(); ++i) all[kSampled[i].name] = handed(std::move(sampled_[i]), {n});
    all["corrected_error"] = handed(std::move(corrected_error_), {n});
    return all;
  }

 private:
  void add_sampled(const QueryResult& result) {
    const ResidualReport none{.list = {}, .corrected = Vector::Constant(value_dim_, kUndefined)};
    const ResidualReport& one = result.sampled ? *result.sampled : none;
    corrected_.insert(corrected_.end(), one.corrected.begin(), one.corrected.end());
    read_.push_back(one.read);
    stages_.push_back(result.sampled ? one.stages : 0);
    for (std::size_t i = 0; i < kSampled.size(); ++i)
      sampled_[i].push_back(result.sampled ? one.*kSampled[i].value : kUndefined);
    corrected_error_.push_back(result.corrected_error.value_or(kUndefined));
  }

  bool samples_rest_;
  Index queries_, keys_, value_dim_, width_, key_heads_;
  Index group_;  // query heads that share a list; 0 where each has its own
  std::vector<double> scores_, output_, corrected_, corrected_error_;
  std::vector<std::int64_t> selected_, head_, allowed_, count_, read_, stages_;
  std::array<std::vector<double>, kSampled.size()> sampled_;
  std::array<std::vector<double>, kNumbers.size()> numbers_;
  std::vector<std::vector<Index>> lists_;  // of the KV heads, rising
  CurveMeans curves_;
};

Columns attend_columns(const AttendRequest& request, AttendTensors tensors, Seed seed, Progress& reached) {
  AttendProblem problem(std::move(tensors));
  std::vector<AttendVariant> variants = attend_variants(request, problem, seed);
  problem.check_elements();
  reached.expect(static_cast<std::uint64_t>(attend_steps(problem, variants)));
  Columns all(problem, variants.front().width(problem.num_keys()), variants.front().settings);
  attend_all(
      problem, variants, [&](Index head, const std::vector<QueryResult>& results) { all.add(head, results.front()); },
      [&] {
        look_for_stop();
        reached.add(1);
      });
  return all;
}

// Hashing, the buckets of each query, its scores and its output; twice, for a profile beside the first.
Work attend_work(const AttendRequest& request, const GivenArrays& given) {
  const auto drawn = [&](std::size_t axis, const std::optional<Index>& asked, Index otherwise) {
    if (!given.hyperplanes) return real(asked.value_or(otherwise));
    return given.hyperplanes->ndim() == 3 ? real(given.hyperplanes->shape(axis)) : 0;  // 0: refused
  };
  if (!request.settings.rule.empty()) return {};
  const double numbers = real(given.keys.size() + given.values.size()), queries = real(given.queries.size());
  const double tables = drawn(0, request.tables, kDefaultTables);
  const double planes = drawn(1, request.planes, kDefaultPlanes);
  return {2 * ((tables * planes + tables + queries) * numbers + queries * tables * std::exp2(planes))};
}

nb::dict attend(const AnyArray& queries, const AnyArray& keys, const AnyArray& values,
                const std::optional<AnyArray>& hyperplanes, const std::optional<AnyArray>& corners,
                const std::optional<AnyArray>& mask, const nb::dict& options, std::uint64_t seed, int threads,
                const nb::object& progress) {
  const GivenArrays given{queries, keys, values, hyperplanes, corners, mask};
  const auto request = request_of<AttendRequest>(options, &given);
  AttendTensors tensors = tensors_of(given);
  tensors.mask_true = request.files.mask_true;
  tensors.causal = request.files.causal;
  // The arrays go along: the tensors read their memory.
  const auto compute = [given, request, seed](AttendTensors& read, Progress& reached) {
    return attend_columns(request, std::move(read), Seed{seed}, reached);
  };
  Columns columns = run_long(
      threads, progress,
      [compute, read = std::move(tensors)](Progress& reached) mutable { return compute(read, reached); },
      attend_work(request, given));
  return columns.handed_over();
}

}  // namespace

void bind_attend(nb::module_& module) {
  module.def("attend", &attend, nb::arg("queries"), nb::arg("keys"), nb::arg("values"), nb::arg("hyperplanes").none(),
             nb::arg("corners").none(), nb::arg("mask").none(), nb::arg("options"), nb::arg("seed"), nb::arg("threads"),
             nb::arg("progress").none());
}

}  // namespace skt::python

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
    for (std::size_t i = 0; i < kQueryNumbers.size(); ++i)
      numbers_[i].push_back((result.*kQueryNumbers[i].of).value_or(kUndefined));
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
    for (std::size_t i = 0; i < kQueryNumbers.size(); ++i)
      all[kQueryNumbers[i].name] = handed(std::move(numbers_[i]), {n});
    all["curves"] = columns_of(curves_.table());
    if (group_ > 0) {
      PackedLists packed = packed_lists(lists_, width_);
      const auto heads = static_cast<std::size_t>(key_heads_), rows = lists_.size() / heads;
      all["lists"] = handed(std::move(packed.keys), {heads, rows, static_cast<std::size_t>(width_)});
      all["list_counts"] = handed(std::move(packed.counts), {heads, rows});
    }
    if (!samples_rest_) return all;
    nb::dict sampled;
    sampled["corrected"] = handed(std::move(corrected_), {n, static_cast<std::size_t>(value_dim_)});
    sampled["read"] = handed(std::move(read_), {n});
    sampled["stages"] = handed(std::move(stages_), {n});
    for (std::size_t i = 0; i < kSampledNumbers.size(); ++i)
      sampled[kSampledNumbers[i].name] = handed(std::move(sampled_[i]), {n});
    sampled["corrected_error"] = handed(std::move(corrected_error_), {n});
    all["sampled"] = sampled;
    return all;
  }

 private:
  void add_sampled(const QueryResult& result) {
    const ResidualReport none{.list = {}, .corrected = Vector::Constant(value_dim_, kUndefined)};
    const ResidualReport& one = result.sampled ? *result.sampled : none;
    corrected_.insert(corrected_.end(), one.corrected.begin(), one.corrected.end());
    read_.push_back(one.read);
    stages_.push_back(result.sampled ? one.stages : 0);
    for (std::size_t i = 0; i < kSampledNumbers.size(); ++i)
      sampled_[i].push_back(result.sampled ? one.*kSampledNumbers[i].of : kUndefined);
    corrected_error_.push_back(result.corrected_error.value_or(kUndefined));
  }

  bool samples_rest_;
  Index queries_, keys_, value_dim_, width_, key_heads_;
  Index group_;  // query heads that share a list; 0 where each has its own
  std::vector<double> scores_, output_, corrected_, corrected_error_;
  std::vector<std::int64_t> selected_, head_, allowed_, count_, read_, stages_;
  std::array<std::vector<double>, kSampledNumbers.size()> sampled_;
  std::array<std::vector<double>, kQueryNumbers.size()> numbers_;
  std::vector<std::vector<Index>> lists_;  // of the KV heads, rising
  CurveMeans curves_;
};

Columns attend_columns(const AttendRequest& request, AttendProblem& problem, Seed seed, Progress& reached) {
  std::vector<AttendVariant> variants = attend_variants(request, problem, seed);
  problem.check_elements();
  reached.expect(static_cast<std::uint64_t>(attend_steps(problem, variants)));
  Columns all(problem, variants.front().width(problem.num_keys()), variants.front().settings);
  attend_all(
      problem, variants, [&](Index head, const std::vector<QueryResult>& results) { all.add(head, results.front()); },
      [&] { reached.step(); });
  return all;
}

// Hashing, the buckets of each query, its scores and its output; twice, for a profile beside the first.
Work attend_work(const AttendRequest& request, const GivenArrays& given) {
  const auto drawn = [&](std::size_t axis, const std::optional<Index>& asked, Index otherwise) {
    const auto found = given.find("hyperplanes");
    if (found == given.end()) return real(asked.value_or(otherwise));
    return found->second.ndim() == 3 ? real(found->second.shape(axis)) : 0;  // 0: refused
  };
  if (!request.settings.rule.empty()) return {};
  const double numbers = real(given.at("k").size() + given.at("v").size()), queries = real(given.at("q").size());
  const double tables = drawn(0, request.tables, kDefaultTables);
  const double planes = drawn(1, request.planes, kDefaultPlanes);
  return {2 * ((tables * planes + tables + queries) * numbers + queries * tables * std::exp2(planes))};
}

nb::dict attend(const GivenArrays& arrays, const nb::dict& options, std::uint64_t seed, int threads,
                const nb::object& progress) {
  const auto request = request_of<AttendRequest>(options, arrays);
  const auto problem = std::make_shared<AttendProblem>(tensors_of(arrays, request.files));
  // The arrays go along: the problem reads their memory.
  const auto compute = [arrays, problem, request, seed](Progress& reached) {
    return attend_columns(request, *problem, Seed{seed}, reached);
  };
  return run_long(threads, progress, compute, attend_work(request, arrays)).handed_over();
}

}  // namespace

void bind_attend(nb::module_& module) {
  define(module, "attend", &attend);
}

}  // namespace skt::python

#include "experiments/attend/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string_view>

#include "experiments/files/npy_header.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr std::size_t kTableRows = 20;  // a screen; summary.json has all

// The columns of the table, and the numbers of summary.json that have a mean.
struct Column {
  const char* key;
  const char* title;
};
constexpr Column kColumns[] = {
    {"selected", "selected"},    {"residual_weight", "residual weight"}, {"snr", "SNR"},
    {"absolute_error", "error"}, {"relative_error", "relative"},         {"context_divergence", "divergence"},
    {"recall", "recall"}};

// The numbers of a head: means over its queries that have the number.
constexpr const char* kHeadMeans[] = {"selected",           "residual_weight", "absolute_error", "relative_error",
                                      "context_divergence", "recall",          "recall_failure"};

template <class Element, class Numbers>
void write_as(std::ofstream& file, const Numbers& numbers) {
  write_elements(file, std::vector<Element>(numbers.begin(), numbers.end()));
}

void write_reals(std::ofstream& file, const Vector& numbers, ScorePrecision precision) {
  if (precision == ScorePrecision::f32)
    write_as<float>(file, numbers);
  else
    write_as<double>(file, numbers);
}

Json number_or_null(const std::optional<double>& x) {
  return x ? Json(*x) : Json(nullptr);
}

Json json_of(const QueryResult& result, std::size_t query, Index head) {
  Json row = {{"query", query}, {"head", head}, {"allowed", result.allowed}, {"selected", result.selected.size()}};
  for (const QueryNumber& number : kQueryNumbers) row[number.name] = number_or_null(result.*number.of);
  return row;
}

// What the sample of the rest says.
Json sampled_json(const QueryResult& result) {
  if (!result.sampled) return nullptr;
  Json row = {{"read", result.sampled->read}, {"stages", result.sampled->stages}};
  for (const SampledNumber& number : kSampledNumbers) row[number.name] = (*result.sampled).*number.of;
  row["corrected_error"] = number_or_null(result.corrected_error);
  return row;
}

// What a published variant does to the numbers; never under the paper's.
Json defects_of(const QueryResult& result) {
  return {{"listed_twice", result.listed.size() - result.selected.size()},
          {"infinite_norms", result.infinite_norms},
          {"empty_selection", result.selected.empty()}};
}

std::string cell(const Json& x) {
  return x.is_null() ? "-" : fmt::format("{:.6g}", x.get<double>());
}

// The numbers `key` of the queries that have it.
std::vector<double> numbers_of(const std::vector<const Json*>& queries, const char* key) {
  std::vector<double> numbers;
  for (const Json* query : queries)
    if (!(*query)[key].is_null()) numbers.push_back((*query)[key].get<double>());
  return numbers;
}

std::optional<double> mean_of(const std::vector<double>& numbers) {
  if (numbers.empty()) return std::nullopt;
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / real(numbers.size());
}

// The lower one of two middles.
std::optional<double> median_of(std::vector<double> numbers) {
  if (numbers.empty()) return std::nullopt;
  const auto middle = numbers.begin() + (std::ssize(numbers) - 1) / 2;
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

std::vector<const Json*> pointers(const Json& queries) {
  std::vector<const Json*> all;
  for (const Json& query : queries) all.push_back(&query);
  return all;
}

// One entry for each head. The SNR spans orders of magnitude and has its median; the others have means.
Json per_head(const Json& queries) {
  std::map<Index, std::vector<const Json*>> heads;
  for (const Json& query : queries) heads[query["head"].get<Index>()].push_back(&query);
  Json rows = Json::array();
  for (const auto& [head, members] : heads) {
    Json row = {{"head", head}, {"queries", members.size()}};
    for (const char* key : kHeadMeans)
      row[std::string(key) + "_mean"] = number_or_null(mean_of(numbers_of(members, key)));
    row["snr_median"] = number_or_null(median_of(numbers_of(members, "snr")));
    rows.push_back(row);
  }
  return rows;
}

// What a relative error above 1 says; empty where there is none.
std::string worse_than_zero(const std::vector<double>& relative_errors) {
  const auto worse = std::ranges::count_if(relative_errors, [](double error) { return error > 1; });
  if (worse == 0) return "";
  return fmt::format(
      "Relative error above 1 for {} of {} queries, up to {:.3g}: answering 0 would be nearer. attend_curves.csv\n"
      "has the error of the true top keys by density. If that is above 1 too, the budget is too small for these arrays.\n"
      "If not, the scores choose badly, for example because the value norm draws the selection to long values.\n",
      worse, relative_errors.size(), std::ranges::max(relative_errors));
}

std::vector<Index> with_last(std::span<const Index> shape, Index last) {
  std::vector<Index> whole(shape.begin(), shape.end());
  whole.push_back(last);
  return whole;
}

}  // namespace

AttendReport::AttendReport(StagedFiles& files, const std::string& suffix, const AttendProblem& problem,
                           const AttendVariant& variant, Json settings, ScoresFile scores)
    : scores_(scores == ScoresFile::written ? &files.add("scores" + suffix + ".npy") : nullptr),
      selected_(files.add("selected" + suffix + ".npy")),
      output_(files.add("output" + suffix + ".npy")),
      corrected_(variant.settings.error ? &files.add("corrected" + suffix + ".npy") : nullptr),
      summary_file_(files.add("summary" + suffix + ".json")),
      curves_file_(files.add("attend_curves" + suffix + ".csv")),
      summary_(std::move(settings)),
      published_(variant.published.has_value()),
      precision_(variant.settings.precision),
      width_(variant.width(problem.num_keys())),
      value_dim_(problem.value_dim()) {
  const ElementType real = precision_ == ScorePrecision::f32 ? ElementType::f32 : ElementType::f64;
  const std::span<const Index> shape = problem.query_shape();
  if (scores_) *scores_ << npy_header(real, with_last(shape, problem.num_keys()));
  selected_ << npy_header(ElementType::i64, with_last(shape, width_));
  output_ << npy_header(real, with_last(shape, value_dim_));
  if (corrected_) *corrected_ << npy_header(real, with_last(shape, value_dim_));
  summary_["per_query"] = Json::array();
}

void AttendReport::add(Index head, const QueryResult& result) {
  std::vector<Index> listed = result.listed;
  listed.resize(width_, -1);
  if (scores_) write_reals(*scores_, result.scores, precision_);
  write_as<std::int64_t>(selected_, listed);
  write_reals(output_, result.output.value_or(Vector::Zero(value_dim_)), precision_);
  Json row = json_of(result, summary_["per_query"].size(), head);
  if (corrected_) {
    write_reals(*corrected_, result.sampled ? result.sampled->corrected : Vector::Zero(value_dim_), precision_);
    row["sampled"] = sampled_json(result);
  }
  if (published_) row["defects"] = defects_of(result);
  summary_["per_query"].push_back(row);
  curves_.add(head, result.curves);
}

void AttendReport::finish() {
  Json queries = std::move(summary_["per_query"]);
  summary_.erase("per_query");
  summary_["per_head"] = per_head(queries);
  summary_["per_query"] = std::move(queries);
  summary_file_ << summary_.dump(2) << '\n';
  curves_file_ << curves_.table().text();
}

std::string AttendReport::table() const {
  const Json& queries = summary_["per_query"];
  const std::vector<const Json*> all = pointers(queries);
  std::string text = fmt::format("{:>8}  {:>4}", "query", "head");
  for (const Column& column : kColumns) text += fmt::format("  {:>15}", column.title);
  for (std::size_t i = 0; i < std::min(queries.size(), kTableRows); ++i) {
    text += fmt::format("\n{:>8}  {:>4}", i, queries[i]["head"].get<Index>());
    for (const Column& column : kColumns) text += fmt::format("  {:>15}", cell(queries[i][column.key]));
  }
  if (queries.size() > kTableRows)
    text += fmt::format("\n{:>8}  ({} more in summary.json)", "..", queries.size() - kTableRows);
  const auto over_all = [&](const char* name, const auto& number_of) {
    text += fmt::format("\n{:>8}  {:>4}", name, "all");
    for (const Column& column : kColumns)
      text += fmt::format("  {:>15}", cell(number_or_null(number_of(column, numbers_of(all, column.key)))));
  };
  // One query with next to no residual weight makes a mean of the SNR whatever the others are.
  over_all("mean", [](const Column& column, const std::vector<double>& numbers) {
    return std::string_view(column.key) == "snr" ? std::nullopt : mean_of(numbers);
  });
  over_all("median", [](const Column&, const std::vector<double>& numbers) { return median_of(numbers); });
  return text + "\n" + worse_than_zero(numbers_of(all, "relative_error"));
}

}  // namespace skt

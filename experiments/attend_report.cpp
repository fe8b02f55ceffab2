#include "experiments/attend_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "experiments/npy_header.hpp"

namespace skt {
namespace {

using Json = nlohmann::ordered_json;

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

template <class Element, class Numbers>
void write_as(std::ofstream& file, const Numbers& numbers) {
  std::vector<Element> raw;
  for (const auto x : numbers) raw.push_back(static_cast<Element>(x));
  file.write(reinterpret_cast<const char*>(raw.data()),
             static_cast<std::streamsize>(raw.size() * sizeof(Element)));
}

void write_reals(std::ofstream& file, const Vector& numbers, Precision precision) {
  if (precision == Precision::f32)
    write_as<float>(file, numbers);
  else
    write_as<double>(file, numbers);
}

Json number_or_null(const std::optional<double>& x) {
  return x ? Json(*x) : Json(nullptr);
}

Json json_of(const QueryResult& result, std::size_t query) {
  Json output = nullptr;
  if (result.output) output = std::vector<double>(result.output->begin(), result.output->end());
  return {{"query", query},
          {"allowed", result.allowed},
          {"selected", result.selected.size()},
          {"absolute_error", number_or_null(result.absolute_error)},
          {"relative_error", number_or_null(result.relative_error)},
          {"residual_weight", number_or_null(result.residual_weight)},
          {"snr", number_or_null(result.snr)},
          {"context_divergence", number_or_null(result.context_divergence)},
          {"recall", number_or_null(result.recall)},
          {"output", output}};
}

std::string cell(const Json& x) {
  return x.is_null() ? "-" : fmt::format("{:.6g}", x.get<double>());
}

// Mean over the queries that have the number.
std::string mean_cell(const Json& queries, const char* key) {
  double sum = 0;
  int count = 0;
  for (const Json& query : queries) {
    if (query[key].is_null()) continue;
    sum += query[key].get<double>();
    ++count;
  }
  return count == 0 ? "-" : fmt::format("{:.6g}", sum / count);
}

}  // namespace

AttendReport::AttendReport(const std::filesystem::path& folder, const AttendProblem& problem,
                           const AttendSettings& settings, Json summary)
    : files_(folder),
      scores_(files_.add("scores.npy")),
      selected_(files_.add("selected.npy")),
      output_(files_.add("output.npy")),
      summary_file_(files_.add("summary.json")),
      summary_(std::move(summary)),
      precision_(settings.precision),
      width_(selection_width(problem.num_keys(), settings.selection)),
      value_dim_(problem.value_dim()) {
  const ElementType real = precision_ == Precision::f32 ? ElementType::f32 : ElementType::f64;
  scores_ << npy_header(real, {problem.num_queries(), problem.num_keys()});
  selected_ << npy_header(ElementType::i64, {problem.num_queries(), width_});
  output_ << npy_header(real, {problem.num_queries(), value_dim_});
  summary_["per_query"] = Json::array();
}

void AttendReport::add(const QueryResult& result) {
  std::vector<Index> selected = result.selected;
  selected.resize(static_cast<std::size_t>(width_), -1);
  write_reals(scores_, result.scores, precision_);
  write_as<std::int64_t>(selected_, selected);
  write_reals(output_, result.output.value_or(Vector::Zero(value_dim_)), precision_);
  summary_["per_query"].push_back(json_of(result, summary_["per_query"].size()));
}

void AttendReport::commit() {
  summary_file_ << summary_.dump(2) << '\n';
  files_.commit();
}

std::string AttendReport::table() const {
  const Json& queries = summary_["per_query"];
  std::string text = fmt::format("{:>8}", "query");
  for (const Column& column : kColumns) text += fmt::format("  {:>15}", column.title);
  for (std::size_t i = 0; i < std::min(queries.size(), kTableRows); ++i) {
    text += fmt::format("\n{:>8}", i);
    for (const Column& column : kColumns) text += fmt::format("  {:>15}", cell(queries[i][column.key]));
  }
  if (queries.size() > kTableRows)
    text += fmt::format("\n{:>8}  ({} more in summary.json)", "..", queries.size() - kTableRows);
  text += fmt::format("\n{:>8}", "mean");
  for (const Column& column : kColumns) text += fmt::format("  {:>15}", mean_cell(queries, column.key));
  return text + "\n";
}

}  // namespace skt

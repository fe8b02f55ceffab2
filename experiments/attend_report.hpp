// How are the results of attend written: scores.npy, selected.npy, output.npy, summary.json, and a table to
// read?
#pragma once

#include <nlohmann/json.hpp>

#include "experiments/attend_query.hpp"
#include "experiments/staged_files.hpp"

namespace skt {

// Rows go to the files query by query; the memory does not grow with the number of queries.
class AttendReport {
 public:
  // `settings` opens summary.json. selected.npy has min(keys, budget + sink + window) columns.
  AttendReport(const std::filesystem::path& folder, const AttendProblem& problem,
               const AttendSettings& settings, nlohmann::ordered_json summary);

  void add(const QueryResult& result);

  // Completes summary.json and gives every file its name.
  void commit();

  // Of the first queries, and the mean of all.
  std::string table() const;

 private:
  StagedFiles files_;
  std::ofstream& scores_;
  std::ofstream& selected_;
  std::ofstream& output_;
  std::ofstream& summary_file_;
  nlohmann::ordered_json summary_;
  Precision precision_;
  Index width_;      // of selected.npy
  Index value_dim_;  // of output.npy
};

}  // namespace skt

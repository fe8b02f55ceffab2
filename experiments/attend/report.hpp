// How are the results of attend written: scores.npy, selected.npy, output.npy, summary.json, attend_curves.csv, and a
// table to read? A second variant's files have its name before the dot.
#pragma once

#include "experiments/attend/request.hpp"
#include "experiments/files/staged_files.hpp"
#include "sim/json.hpp"

namespace skt {

// Rows go to the files query by query; only the numbers of the summary are kept.
class AttendReport {
 public:
  // `settings` opens the summary. `suffix` is empty or, e.g., "-hub". The caller commits the files.
  AttendReport(StagedFiles& files, const std::string& suffix, const AttendProblem& problem,
               const AttendVariant& variant, Json settings, ScoresFile scores = ScoresFile::written);

  void add(Index head, const QueryResult& result);

  // Completes the summary and the curves.
  void finish();

  // Of the first queries, mean and median of all, and a word where answering 0 would be nearer to dense attention.
  std::string table() const;

 private:
  std::ofstream* scores_;  // null: left out
  std::ofstream& selected_;
  std::ofstream& output_;
  std::ofstream* corrected_;  // null: no error is estimated
  std::ofstream& summary_file_;
  std::ofstream& curves_file_;
  Json summary_;
  CurveMeans curves_;
  bool published_;
  ScorePrecision precision_;
  Index width_;      // of selected.npy
  Index value_dim_;  // of output.npy
};

}  // namespace skt

// What do the result tables of the paper print? The benchmark scores themselves cannot be checked here; the arithmetic
// of their averages can, and what the texts say of them.
#pragma once

#include <string>
#include <vector>

namespace skt {

struct PrintedRow {
  std::string method;          // with the sparsity, e.g. "SOCKET 10x"
  std::vector<double> scores;  // every score column in the printed order
  double average = 0;          // the printed average
};

// RULER-32K: nm2, nm3, vt, fwe, qa1, qa2.
std::vector<PrintedRow> printed_table_1();

// LongBench: NQA QAS MFQA HPQA WIKI MUS GOV QMSUM MNews LCC Trivia SamSUM Count Retrieval Repo.
inline constexpr std::size_t kCountColumn = 12;
inline constexpr std::size_t kRepoColumn = 14;
std::vector<PrintedRow> printed_table_2();  // Llama-3.1-8B-Instruct
std::vector<PrintedRow> printed_table_3();  // Qwen3-8B
std::vector<PrintedRow> printed_table_4();  // Llama-3.2-1B-Instruct

// Of the tables, the row of a method. InputError for a name that is not there.
const PrintedRow& row_of(const std::vector<PrintedRow>& table, const std::string& method);

// The mean of a row without some of its columns.
double mean_without(const PrintedRow& row, const std::vector<std::size_t>& left_out);

}  // namespace skt

// What do the paper's result tables print? The benchmark scores themselves cannot be checked here; the arithmetic
// of their averages can.
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

}  // namespace skt

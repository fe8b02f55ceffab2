#include "proofs_check/coverage.hpp"

#include <fmt/format.h>

#include "proofs_check/statements.hpp"

namespace skt {
namespace {

// One line an entry, sorted by id.
const std::vector<CoverageEntry> kNoStatement{
    {"S000-11-scores", "\"Full recovery\" of scores with 30-32, 50-52 and 78-80 tables",
     "documents 000 and 001, experimental setup", CoverageState::not_checkable,
     "scores of a language model, of which dense ones are not printed; settled by Llama-3.1-8B-Instruct on RULER at "
     "each L. S000-11-recovery has the predicted recall"},
    {"S002-CONC", "Discontinuous scores concentrate slowly", "paper, appendix C (hard scoring)",
     CoverageState::not_checkable,
     "a cause is named, and no rate: any mean of L bounded scores has a deviation of order L^-1/2, continuous or not "
     "(S002-RATE). S002-SNR has the constants"},
    {"S002-FIG3", "Index construction is faster than PQCache's", "paper, section 1 and Figures 3(a) and 4(a)",
     CoverageState::not_checkable,
     "times of a machine; settled by a product quantiser on the same GPU. docs/gpu/performance.md times one on a CPU, "
     "as Figure 4(a) does"},
    {"S002-MEM-baselines", "Bits for a token of PQCache, Double Sparsity, HashAttention and MagicPig", "paper, Table 1",
     CoverageState::not_checkable,
     "their settings are \"recommended by the respective authors\" and not printed; settled by printing them. "
     "S002-MEM-quest has the one that is"},
    {"S002-SHIFT", "Robust to shifts of the distribution", "paper, section 1", CoverageState::not_checkable,
     "no shift and no loss are named; settled by calibrated rankers beside SOCKET on keys of another text than that of "
     "the calibration"},
    {"S002-TAB1-scores", "Scores on RULER-32K", "paper, Table 1", CoverageState::not_checkable,
     "scores of Llama-3.1-8B-Instruct; settled by running it. The authors' own later run at 20x (RULER_RESULTS.md of "
     "their repository, tau = .4, 100 samples a task) has an average of 81.57 for the 82.7 printed, and on fwe 72.0 "
     "for 86.0"},
    {"S002-TAB234-scores", "Scores on LongBench", "paper, Tables 2 to 4", CoverageState::not_checkable,
     "scores of three language models; settled by running them. The authors' later run (RULER_RESULTS.md) has five "
     "tasks of Table 2, at 20x and P = 10 where the table has 10x and P = 8: 43.53 for 46.7 on qasper, the others "
     "within 3.0"},
    {"S002-TAB5", "Scores on RULER-16K", "paper, Table 5", CoverageState::not_checkable,
     "scores of a language model in rows of two harnesses, which cannot be compared: the table is \"adapted from\" "
     "another paper, and SOCKET's row is at 88 on qa_1 where its dense row is at 80.5. Settled by dense attention in "
     "SOCKET's harness"},
    {"S002-TAB6", "Settings of the experiments: P = 8 or 10 to 12, L = 60, tau = .3 to .7", "paper, Table 6",
     CoverageState::not_checkable,
     "choices of the authors, not claims; statements on the problem in use (problem_in_use.hpp) use them, and "
     "S002-MEM compares the memory that they cost with Table 1"},
    {"S002-THR", "1.12 to 1.52 times FlashAttention's throughput at 18K to 145K tokens", "paper, section 6.2",
     CoverageState::not_checkable,
     "throughput of one layer on an A100 and an H200; settled by timing the authors' code. Their later tables "
     "(GPT-FAST/speed_results.md, one layer of Llama-3.1-8B, H200, 33.3x) have 1.02, 1.05, 1.17 and 1.45 times "
     "FlashAttention-2 and .98, 1.03, 1.12 and 1.30 times FlashAttention-3 at 18K, 36K, 72K and 140K. S002-SPD bounds "
     "it by traffic"},
    {"S002-WTA", "Winner-take-all hashes collide with a probability that is monotone in a similarity",
     "paper, section 3.1", CoverageState::not_checkable,
     "the similarity is not named. For windows of two coordinates it is Kendall's tau by definition, (1 + tau)/2 being "
     "the share of pairs in the same order; no function of the cosine is. SOCKET uses no such hash"},
};

}  // namespace

std::string name_of(CoverageState state) {
  switch (state) {
    case CoverageState::checked:
      return "checked";
    case CoverageState::definition:
      return "definition";
    case CoverageState::not_checkable:
      return "not-checkable";
  }
  return "?";
}

std::vector<CoverageEntry> coverage() {
  std::vector<CoverageEntry> list;
  for (const Statement& s : all_statements()) {
    const std::string words = s.quote.empty() ? "" : fmt::format("\"{}\"", s.quote);
    list.push_back({s.id, s.title, s.source, CoverageState::checked, words, s.wording});
  }
  list.insert(list.end(), kNoStatement.begin(), kNoStatement.end());
  return list;
}

}  // namespace skt

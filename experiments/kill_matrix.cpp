#include "experiments/kill_matrix.hpp"

#include "experiments/csv.hpp"
#include "proofs_check/power.hpp"
#include "proofs_check/verdict_rows.hpp"

namespace skt {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();  // an empty cell

// The cells that describe a piece of evidence; empty where there is none.
std::vector<CsvCell> cells_of(const Evidence* e) {
  if (e == nullptr) {
    std::vector<CsvCell> empty(3, std::string());
    empty.resize(11, kNoNumber);
    return empty;
  }
  return {e->instance,
          e->quantity,
          name_of(e->relation),
          e->claimed,
          e->claimed_error,
          e->observed.lo,
          e->observed.hi,
          static_cast<std::int64_t>(e->trials),
          e->error_share,
          distance_from_claim(*e),
          visible_deviation(*e)};
}

void add_row(CsvTable& table, const StatementResult& result, const std::string& measured, const std::string& mutant,
             Verdict verdict, Verdict expected, const std::vector<Evidence>& evidence) {
  std::vector<CsvCell> row{result.id, measured, mutant, name_of(verdict), name_of(expected)};
  for (CsvCell& cell : cells_of(worst_evidence(evidence))) row.push_back(std::move(cell));
  table.add(std::move(row));
}

}  // namespace

std::string kill_matrix(const std::vector<StatementResult>& results) {
  CsvTable table({"id", "measured", "mutant", "verdict", "expected", "instance", "quantity", "relation", "claimed",
                  "claimed_error", "observed_lo", "observed_hi", "trials", "error_share", "distance_from_claim",
                  "visible_deviation"});
  for (const StatementResult& r : results) {
    add_row(table, r, "statement", "", r.verdict, r.expected, r.evidence);
    for (const MutantResult& m : r.mutants) {
      add_row(table, r, "mutant", m.name, m.verdict, Verdict::refuted, m.evidence);
    }
  }
  return table.text();
}

}  // namespace skt

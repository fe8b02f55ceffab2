#include "experiments/verify/kill_matrix.hpp"

#include <limits>

#include "experiments/files/csv.hpp"
#include "proofs_check/names.hpp"
#include "proofs_check/power.hpp"
#include "proofs_check/rows/verdict_rows.hpp"

namespace skt {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();  // an empty cell

const std::vector<std::string> kEvidenceColumns{
    "instance",         "quantity",    "relation", "claimed",     "claimed_error",
    "observed_lo",      "observed_hi", "trials",   "error_share", "distance_from_claim",
    "visible_deviation"};

// The cells that describe a piece of evidence; empty where there is none.
std::vector<CsvCell> cells_of(const Evidence* e) {
  if (e == nullptr) {
    std::vector<CsvCell> empty(3, std::string());
    empty.resize(kEvidenceColumns.size(), kNoNumber);
    return empty;
  }
  return {e->instance,          e->quantity,
          name_of(e->relation), e->claimed,
          e->claimed_error,     e->observed.lo,
          e->observed.hi,       e->trials,
          e->error_share,       distance_from_claim(*e),
          visible_deviation(*e)};
}

// A table whose rows end with a piece of evidence, and begin with these columns.
CsvTable table_of_evidence(std::vector<std::string> columns) {
  columns.insert(columns.end(), kEvidenceColumns.begin(), kEvidenceColumns.end());
  return CsvTable(std::move(columns));
}

void add_row(CsvTable& table, std::vector<CsvCell> row, const Evidence* evidence) {
  for (CsvCell& cell : cells_of(evidence)) row.push_back(std::move(cell));
  table.add(std::move(row));
}

}  // namespace

std::string kill_matrix(const std::vector<StatementResult>& results) {
  CsvTable table = table_of_evidence({"id", "measured", "mutant", "verdict", "expected"});
  for (const StatementResult& r : results) {
    add_row(table, {r.id, "statement", "", name_of(r.verdict), name_of(r.expected)}, worst_evidence(r.evidence));
    for (const VariantResult& m : r.mutants) {
      add_row(table, {r.id, "mutant", m.name, name_of(m.verdict), name_of(Verdict::refuted)},
              worst_evidence(m.evidence));
    }
  }
  return table.text();
}

std::string fault_matrix(const std::vector<FaultResult>& results) {
  CsvTable table = table_of_evidence({"fault", "id"});
  for (const FaultResult& fault : results) {
    for (const StatementResult& r : fault.noticed_by) add_row(table, {fault.fault, r.id}, worst_evidence(r.evidence));
    if (fault.noticed_by.empty()) add_row(table, {fault.fault, ""}, nullptr);
  }
  return table.text();
}

}  // namespace skt

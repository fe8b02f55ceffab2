#include "experiments/verify/kill_matrix.hpp"

#include <limits>

#include "proofs_check/names.hpp"
#include "proofs_check/near_mutants.hpp"
#include "proofs_check/power.hpp"
#include "proofs_check/rows/verdict_rows.hpp"

namespace skt {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();  // an empty cell

const std::vector<std::string> kTextColumns{"instance", "quantity", "relation", "share", "deviation_is"};
const std::vector<std::string> kNumberColumns{"claimed",
                                              "claimed_error",
                                              "observed_lo",
                                              "observed_hi",
                                              "trials",
                                              "error_share",
                                              "distance_from_claim",
                                              "visible_deviation",
                                              "refuted_below_factor",
                                              "refuted_above_factor",
                                              "bound_over_quantile"};

std::string name_of(Visibility visibility) {
  return visibility == Visibility::of_the_truth ? "seen with probability 0.99" : "rounding on the instances tried";
}

// The cells that describe evidence by its decisive piece; empty where there is none.
std::vector<CsvCell> cells_of(const std::vector<Evidence>& evidence) {
  const Evidence* e = worst_evidence(evidence);
  std::vector<CsvCell> cells(kTextColumns.size(), std::string());
  if (e == nullptr) {
    cells.resize(kTextColumns.size() + kNumberColumns.size(), kNoNumber);
    return cells;
  }
  const RefutedFactors factors = refuted_factors(evidence);
  return {e->instance,
          e->quantity,
          name_of(e->relation),
          name_of_share(e->basis.law),
          name_of(visibility_of(*e)),
          e->claimed,
          e->claimed_error,
          e->observed.lo,
          e->observed.hi,
          e->trials,
          e->error_share,
          distance_from_claim(*e),
          visible_deviation(*e),
          factors.below.value_or(kNoNumber),
          factors.above.value_or(kNoNumber),
          e->bound_over_quantile.value_or(kNoNumber)};
}

// A table whose rows begin with these columns, and end with a description of evidence.
CsvTable table_of_evidence(std::vector<std::string> columns) {
  columns.insert(columns.end(), kTextColumns.begin(), kTextColumns.end());
  columns.insert(columns.end(), kNumberColumns.begin(), kNumberColumns.end());
  return CsvTable(std::move(columns));
}

void add_row(CsvTable& table, std::vector<CsvCell> row, const std::vector<Evidence>& evidence) {
  for (CsvCell& cell : cells_of(evidence)) row.push_back(std::move(cell));
  table.add(std::move(row));
}

}  // namespace

CsvTable kill_table(const std::vector<StatementResult>& results) {
  CsvTable table = table_of_evidence({"id", "measured", "mutant", "verdict", "expected", "near", "fault", "command"});
  for (const StatementResult& r : results) {
    const std::string command = command_of(r);
    const auto add = [&](const char* measured, const std::string& name, Verdict verdict, Verdict expected,
                         const std::string& near, const std::vector<Evidence>& evidence) {
      add_row(table,
              {r.statement.id, measured, name, name_of(verdict), name_of(expected), near, r.origin.fault, command},
              evidence);
    };
    add("statement", "", r.verdict, r.statement.expected, "", r.evidence);
    for (const VariantResult& m : r.mutants)
      add("mutant", m.name, m.verdict, Verdict::refuted, is_near(m) ? "yes" : "no", m.evidence);
    for (const VariantResult& c : r.controls) add("control", c.name, c.verdict, Verdict::not_refuted, "", c.evidence);
  }
  return table;
}

std::string fault_matrix(const std::vector<FaultResult>& results, const std::string& command) {
  CsvTable table = table_of_evidence({"fault", "id", "command"});
  for (const FaultResult& fault : results) {
    for (const StatementResult& r : fault.noticed_by)
      add_row(table, {fault.fault, r.statement.id, command}, r.evidence);
    if (fault.noticed_by.empty()) add_row(table, {fault.fault, "", command}, {});
  }
  return table.text();
}

}  // namespace skt

#include "experiments/verify/verify_parts.hpp"

#include <fmt/format.h>

#include "experiments/verify/kept_trials_rows.hpp"
#include "experiments/verify/measured_time.hpp"
#include "proofs_check/rows/evidence_rows.hpp"
#include "proofs_check/rows/verdict_rows.hpp"

namespace skt {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of_part(const Statement& statement, const Measurement& measurement) {
  switch (measurement.what) {
    case MeasurementOf::claim:
      return statement.id;
    case MeasurementOf::mutant:
      return fmt::format("{}, mutant {}", statement.id, measurement.number + 1);
    case MeasurementOf::control:
      return fmt::format("{}, control {}", statement.id, measurement.number + 1);
  }
  return statement.id;
}

// As kill_matrix.csv calls a mutant.
std::string name_of_measurement(const Statement& statement, const Measurement& measurement) {
  switch (measurement.what) {
    case MeasurementOf::claim:
      return "claim";
    case MeasurementOf::mutant:
      return statement.mutants[measurement.number].name;
    case MeasurementOf::control:
      return statement.controls[measurement.number].name;
  }
  return "claim";
}

Json to_json(const Measured& measured) {
  Json json = {{"evidence", to_json(measured.evidence)}};
  if (!measured.failure.empty()) json["failure"] = measured.failure;
  if (!measured.kept.empty()) json["kept"] = to_json(measured.kept);
  return json;
}

Measured measured_from(const Json& json) {
  Measured measured{evidence_list_from(json.at("evidence")), json.value("failure", ""), {}};
  if (json.contains("kept")) measured.kept = kept_trials_from(json.at("kept"));
  return measured;
}

Json to_json(const FaultResult& result) {
  Json rows = Json::array();
  for (const StatementResult& r : result.noticed_by) rows.push_back(to_row(r));
  return {{"fault", result.fault}, {"noticed_by", rows}};
}

FaultResult fault_from(const Json& json) {
  FaultResult result{json.at("fault"), {}};
  for (const Json& row : json.at("noticed_by")) result.noticed_by.push_back(from_row(row));
  return result;
}

}  // namespace

std::vector<Part> statement_parts(const std::vector<Statement>& all, const RunSettings& settings) {
  std::vector<Part> parts;
  for (const Statement* statement : chosen_statements(all, settings.only)) {
    const Context context = context_of(*statement, all, settings);
    for (const Measurement& measurement : measurements_of(*statement, settings.mutants))
      parts.push_back({.name = name_of_part(*statement, measurement),
                       .weight = measured_microseconds(*statement, settings.profile),
                       .run = [=] { return to_json(measured(*statement, measurement, context, settings.trials)); }});
  }
  return parts;
}

std::vector<StatementResult> statement_results(const std::vector<Statement>& all, const RunSettings& settings,
                                               std::span<const Json> results) {
  const Origin origin = origin_of(all, settings);
  std::vector<StatementResult> rows;
  std::size_t next = 0;
  for (const Statement* statement : chosen_statements(all, settings.only)) {
    std::vector<Measured> all_measured;
    for (std::size_t i = 0; i < measurements_of(*statement, settings.mutants).size(); ++i)
      all_measured.push_back(measured_from(results[next++]));
    rows.push_back(judged(*statement, std::move(all_measured), origin));
  }
  return rows;
}

std::vector<KeptOf> kept_of(const std::vector<Statement>& all, const RunSettings& settings,
                            std::span<const Json> results) {
  std::vector<KeptOf> kept;
  std::size_t next = 0;
  for (const Statement* statement : chosen_statements(all, settings.only)) {
    for (const Measurement& measurement : measurements_of(*statement, settings.mutants)) {
      for (KeptTrials& trials : measured_from(results[next++]).kept)
        kept.push_back({statement->id, name_of_measurement(*statement, measurement), std::move(trials)});
    }
  }
  return kept;
}

std::vector<Part> fault_parts(const std::vector<Statement>& all, const FaultSettings& settings) {
  double work = 0;  // every fault runs every claim
  for (const Statement& statement : all) work += measured_microseconds(statement, settings.profile);
  std::vector<Part> parts;
  for (const std::string& fault : fault_names())
    parts.push_back({.name = "fault " + fault, .weight = work, .run = [&all, settings, fault] {
                       return to_json(run_fault(all, fault, settings));
                     }});
  return parts;
}

std::vector<FaultResult> fault_results(std::span<const Json> results) {
  std::vector<FaultResult> faults;
  for (const Json& result : results) faults.push_back(fault_from(result));
  return faults;
}

}  // namespace skt

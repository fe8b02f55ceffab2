#include "experiments/verify/verify_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "experiments/verify/kept_trials_rows.hpp"
#include "experiments/verify/measured_time.hpp"
#include "proofs_check/rows/evidence_rows.hpp"

namespace skt {
namespace {

std::string name_of_part(const Statement& statement, const Measurement& measurement) {
  if (measurement.what == MeasurementOf::claim) return statement.id;
  return fmt::format("{}, {} {}", statement.id, measurement.what == MeasurementOf::mutant ? "mutant" : "control",
                     measurement.number + 1);
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

// The claim with the real estimators, and by its name with each fault in a function that the claim calls: with any other
// it would measure the same numbers.
Json claim_with_faults(const Statement& statement, const std::vector<Statement>& all, const FaultSettings& settings) {
  constexpr Measurement kClaim{MeasurementOf::claim, 0};
  std::atomic<unsigned> called = 0;
  Json json;
  const auto add = [&](const std::string& name, const Context& context) {
    json[name] = to_json(measured(statement, kClaim, context));
    if (json[name].contains("failure")) json["failure"] = json[name]["failure"];
  };
  Context real_ones = context_of(statement, all, settings_of_fault(fault_names().front(), settings));
  real_ones.estimators = recording_estimators(called);
  add("no fault", real_ones);
  for (const std::string& fault : fault_names()) {
    if (called & static_cast<unsigned>(broken_function(fault)))
      add(fault, context_of(statement, all, settings_of_fault(fault, settings)));
  }
  return json;
}

RunSettings run_of(const std::string& fault, const FaultSettings& settings, const std::string& id) {
  RunSettings run = settings_of_fault(fault, settings);
  run.only = {id};
  return run;
}

// The first statement that notices the fault and what it measured; empty if none does.
Json first_notice(const std::string& fault, const std::vector<Statement>& all, const FaultSettings& settings) {
  std::vector<const Statement*> asked;
  for (const Statement& statement : all) asked.push_back(&statement);
  std::ranges::stable_partition(asked, [&](const Statement* s) { return s->id == asked_first(fault); });
  for (const Statement* statement : asked) {
    const RunSettings run = run_of(fault, settings, statement->id);
    const std::vector<Json> claim{
        to_json(measured(*statement, {MeasurementOf::claim, 0}, context_of(*statement, all, run)))};
    if (!noticed(fault, statement_results(all, run, claim)).noticed_by.empty())
      return {{"id", statement->id}, {"claim", claim.front()}};
  }
  return Json::object();
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
      const Variant* variant = variant_of(*statement, measurement);
      for (KeptTrials& trials : measured_from(results[next++]).kept)
        kept.push_back({statement->id, variant ? variant->name : "claim", std::move(trials)});
    }
  }
  return kept;
}

std::vector<Part> fault_parts(const std::vector<Statement>& all, const FaultSettings& settings) {
  const auto statements = std::make_shared<const std::vector<Statement>>(statements_of_faults(all));
  std::vector<Part> parts;
  if (settings.ask == Ask::until_noticed) {
    constexpr double kMicroseconds = 50'000;
    for (const std::string& fault : fault_names())
      parts.push_back({.name = fault + ", first noticed", .weight = kMicroseconds, .run = [=] {
                         return first_notice(fault, *statements, settings);
                       }});
    return parts;
  }
  for (const Statement& statement : *statements)
    parts.push_back({.name = statement.id + ", faults",
                     .weight = 3 * measured_microseconds(statement, settings.profile),  // more where it calls more
                     .run = [=, &statement] { return claim_with_faults(statement, *statements, settings); }});
  return parts;
}

std::vector<FaultResult> fault_results(const std::vector<Statement>& all, const FaultSettings& settings,
                                       std::span<const Json> results) {
  const std::vector<Statement> statements = statements_of_faults(all);
  std::vector<FaultResult> faults;
  if (settings.ask == Ask::until_noticed) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::string fault = fault_names()[i];
      std::vector<StatementResult> first;
      if (results[i].contains("id"))
        first = statement_results(statements, run_of(fault, settings, results[i].at("id")),
                                  std::vector<Json>{results[i].at("claim")});
      faults.push_back(noticed(fault, std::move(first)));
    }
    return faults;
  }
  for (const std::string& fault : fault_names()) {
    std::vector<Json> of_fault;
    for (const Json& of_statement : results) of_fault.push_back(of_statement.value(fault, of_statement.at("no fault")));
    faults.push_back(noticed(fault, statement_results(statements, settings_of_fault(fault, settings), of_fault)));
  }
  return faults;
}

}  // namespace skt

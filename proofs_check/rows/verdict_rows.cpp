#include "proofs_check/rows/verdict_rows.hpp"

#include <fmt/format.h>

#include "proofs_check/names.hpp"
#include "proofs_check/near_mutants.hpp"
#include "proofs_check/power.hpp"
#include "proofs_check/rows/evidence_rows.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

Json factors_json(const RefutedFactors& factors) {
  Json json = Json::object();
  if (factors.below) json["below"] = *factors.below;
  if (factors.above) json["above"] = *factors.above;
  return json;
}

Json variants_json(const std::vector<VariantResult>& variants) {
  Json list = Json::array();
  for (const VariantResult& v : variants)
    list.push_back({{"name", v.name}, {"verdict", name_of(v.verdict)}, {"evidence", to_json(v.evidence)}});
  return list;
}

std::vector<VariantResult> variants_from(const Json& json, const char* what) {
  std::vector<VariantResult> list;
  for (const Json& variant : list_from(json, what)) {
    list.push_back({.name = variant.at("name"),
                    .evidence = evidence_list_from(variant.at("evidence")),
                    .verdict = verdict_named(variant.at("verdict"))});
  }
  return list;
}

// Of runs without the lies alone: no row of the others changes its bytes.
constexpr const char* kLeftOut = "left out";

Json origin_json(const Origin& origin) {
  Json json = {{"version", origin.version},
               {"list", origin.list},
               {"seed", origin.seed},
               {"profile", name_of(origin.profile)},
               {"fault", origin.fault}};
  if (origin.mutants == Mutants::left_out) json["mutants"] = kLeftOut;
  return json;
}

Mutants mutants_from(const Json& origin) {
  if (!origin.contains("mutants")) return Mutants::measured;
  const std::string text = origin.at("mutants");
  require(text == kLeftOut, "made_by: mutants is \"{}\": allowed is \"{}\", or no such field", text, kLeftOut);
  return Mutants::left_out;
}

Origin origin_from(const Json& json) {
  return {.version = json.at("version"),
          .list = json.at("list"),
          .seed = count_from(json.at("seed"), "seed"),
          .profile = profile_named(json.at("profile")),
          .fault = json.at("fault"),
          .mutants = mutants_from(json)};
}

Json texts_json(const StatementResult& result) {
  return {{"id", result.id},         {"title", result.title},
          {"source", result.source}, {"wording", name_of(result.wording)},
          {"quote", result.quote},   {"kind", name_of(result.kind)},
          {"scope", result.scope},   {"chance", name_of(result.chance)},
          {"remark", result.remark}};
}

}  // namespace

std::string command_of(const StatementResult& result) {
  const Origin& origin = result.origin;
  return fmt::format("socketlab verify --only {} --profile {} --seed {}{}{}", result.id, name_of(origin.profile),
                     origin.seed, origin.fault.empty() ? "" : " --fault " + origin.fault,
                     origin.mutants == Mutants::left_out ? " --no-lies" : "");
}

Json to_row(const StatementResult& result) {
  Json row = texts_json(result);
  if (const Evidence* worst = worst_evidence(result.evidence)) row.update(to_json(*worst));
  row["verdict"] = name_of(result.verdict);
  row["expected"] = name_of(result.expected);
  row["severity"] = name_of(result.severity);
  row["as_expected"] = as_expected(result);
  row["refuted_factors"] = factors_json(refuted_factors(result.evidence));
  row["near_mutant"] = has_near_mutant(result);
  row["no_near_mutant"] = result.no_near_mutant;
  row["why_no_near_mutant"] = why_no_near_mutant(result);
  if (const VacuousSettings settings = vacuous_settings(result); settings.of > 0)
    row["bound_settings"] = {{"vacuous", settings.vacuous}, {"of", settings.of}};
  row["failure"] = result.failure;
  row["command"] = command_of(result);
  row["made_by"] = origin_json(result.origin);
  row["evidence"] = to_json(result.evidence);
  row["mutants"] = variants_json(result.mutants);
  row["controls"] = variants_json(result.controls);
  return row;
}

StatementResult from_row(const Json& row) try {
  return {.id = row.at("id"),
          .title = row.at("title"),
          .source = row.at("source"),
          .wording = wording_named(row.at("wording")),
          .quote = row.at("quote"),
          .kind = kind_named(row.at("kind")),
          .scope = row.at("scope"),
          .chance = chance_named(row.at("chance")),
          .remark = row.at("remark"),
          .evidence = evidence_list_from(row.at("evidence")),
          .verdict = verdict_named(row.at("verdict")),
          .expected = verdict_named(row.at("expected")),
          .severity = severity_named(row.at("severity")),
          .mutants = variants_from(row.at("mutants"), "mutants"),
          .no_near_mutant = row.at("no_near_mutant"),
          .controls = variants_from(row.at("controls"), "controls"),
          .failure = row.at("failure"),
          .origin = origin_from(row.at("made_by"))};
} catch (const JsonError& error) {
  refuse("a row of verdicts: {}", error.what());
}

StatementResult rejudged(StatementResult result) {
  result.verdict = judge(result.evidence);
  for (VariantResult& mutant : result.mutants) mutant.verdict = judge(mutant.evidence);
  for (VariantResult& control : result.controls) control.verdict = judge(control.evidence);
  return result;
}

}  // namespace skt

#include "proofs_check/rows/verdict_rows.hpp"

#include <fmt/format.h>

#include <set>

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
                    .verdict = named<Verdict>(variant.at("verdict"))});
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
          .profile = named<Profile>(json.at("profile")),
          .fault = json.at("fault"),
          .mutants = mutants_from(json)};
}

// Beside the verdict, and not among the first fields.
bool stands_below(const std::string& key) {
  return key == "expected" || key == "severity" || key == "no_near_mutant";
}

Json texts_json(const Statement& statement) {
  Json json;
  for_each_text(statement, [&](const char* key, const auto& field) {
    if (!stands_below(key)) json[key] = name_of(field);
  });
  for_each_explanation(statement, [&](const char* key, const std::string& text) { json[key] = text; });
  return json;
}

void read(const Json& json, std::string& text) {
  text = json.get<std::string>();
}
template <Named Value>
void read(const Json& json, Value& value) {
  value = named<Value>(json);
}

// Rows of programs that did not write the explanations yet are read too.
Statement statement_from(const Json& row) {
  Statement statement;
  for_each_text(statement, [&](const char* key, auto& field) { read(row.at(key), field); });
  for_each_explanation(statement, [&](const char* key, std::string& text) {
    if (row.contains(key)) read(row.at(key), text);
  });
  return statement;
}

}  // namespace

std::string command_of(const StatementResult& result) {
  const Origin& origin = result.origin;
  return fmt::format("socketlab verify --only {} --profile {} --seed {}{}{}", result.statement.id,
                     name_of(origin.profile), origin.seed, origin.fault.empty() ? "" : " --fault " + origin.fault,
                     origin.mutants == Mutants::left_out ? " --no-lies" : "");
}

Json to_row(const StatementResult& result) {
  Json row = texts_json(result.statement);
  if (const Evidence* worst = worst_evidence(result.evidence)) row.update(to_json(*worst));
  row["verdict"] = name_of(result.verdict);
  row["expected"] = name_of(result.statement.expected);
  row["severity"] = name_of(result.statement.severity);
  row["as_expected"] = as_expected(result);
  row["refuted_factors"] = factors_json(refuted_factors(result.evidence));
  row["near_mutant"] = has_near_mutant(result);
  row["no_near_mutant"] = result.statement.no_near_mutant;
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
  return {.statement = statement_from(row),
          .evidence = evidence_list_from(row.at("evidence")),
          .verdict = named<Verdict>(row.at("verdict")),
          .mutants = variants_from(row.at("mutants"), "mutants"),
          .controls = variants_from(row.at("controls"), "controls"),
          .failure = row.at("failure"),
          .origin = origin_from(row.at("made_by"))};
} catch (const JsonError& error) {
  refuse("a row of verdicts: {}", error.what());
}

std::vector<VerdictRow> read_rows(std::istream& lines, const std::string& name,
                                  const std::function<void(const StatementResult&)>& accept) {
  std::vector<VerdictRow> rows;
  std::set<std::string> ids;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t number = rows.size() + 1;
    try {
      Json json = Json::parse(line);
      StatementResult result = from_row(json);
      if (accept) accept(result);
      if (!ids.insert(result.statement.id).second) refuse("{} appears a second time", result.statement.id);
      rows.push_back({number, std::move(json), std::move(result)});
    } catch (const JsonError& error) {
      refuse("{}, line {}: not a row of verdicts: {}", name, number, error.what());
    } catch (const InputError& error) {
      refuse("{}, line {}: {}", name, number, error.what());
    }
  }
  if (rows.empty()) refuse("{}: no rows; allowed is a file that verify wrote", name);
  return rows;
}

StatementResult rejudged(StatementResult result) {
  result.verdict = judge(result.evidence);
  for (VariantResult& mutant : result.mutants) mutant.verdict = judge(mutant.evidence);
  for (VariantResult& control : result.controls) control.verdict = judge(control.evidence);
  return result;
}

}  // namespace skt

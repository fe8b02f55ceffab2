#include "proofs_check/verdict_rows.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/require.hpp"

namespace skt {
namespace {

using Json = nlohmann::ordered_json;

template <class Value, std::size_t Size>
using Names = std::array<std::pair<Value, const char*>, Size>;

constexpr Names<Verdict, 3> kVerdicts{
    {{Verdict::refuted, "refuted"}, {Verdict::not_refuted, "not-refuted"}, {Verdict::inconclusive, "inconclusive"}}};
constexpr Names<Kind, 6> kKinds{{{Kind::identity, "identity"},
                                 {Kind::inequality, "inequality"},
                                 {Kind::expectation, "expectation"},
                                 {Kind::high_probability, "high-probability"},
                                 {Kind::limit, "limit"},
                                 {Kind::ordering, "ordering"}}};
constexpr Names<Relation, 3> kRelations{
    {{Relation::equal, "="}, {Relation::at_most, "<="}, {Relation::at_least, ">="}}};
constexpr Names<Profile, 3> kProfiles{
    {{Profile::smoke, "smoke"}, {Profile::standard, "standard"}, {Profile::deep, "deep"}}};

template <class Value, std::size_t Size>
std::string name_in(const Names<Value, Size>& names, Value value) {
  for (const auto& [one, name] : names) {
    if (one == value) return name;
  }
  throw std::logic_error("name_of: a value without a name");
}

template <class Value, std::size_t Size>
Value named_in(const Names<Value, Size>& names, const std::string& wanted, const char* what) {
  std::string allowed;
  for (const auto& [value, name] : names) {
    if (name == wanted) return value;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  refuse("{} is \"{}\": allowed are {}", what, wanted, allowed);
}

Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

double number_from(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json to_json(const Evidence& e) {
  return {{"instance", e.instance},
          {"quantity", e.quantity},
          {"relation", name_of(e.relation)},
          {"observed", {number(e.observed.lo), number(e.observed.hi)}},
          {"claimed", number(e.claimed)},
          {"claimed_error", number(e.claimed_error)},
          {"resolution", number(e.resolution)},
          {"trials", e.trials},
          {"trials_in_scope", e.trials_in_scope},
          {"error_share", number(e.error_share)}};
}

Json to_json(const std::vector<Evidence>& evidence) {
  Json list = Json::array();
  for (const Evidence& piece : evidence) list.push_back(to_json(piece));
  return list;
}

// A count: get<> alone would take -1 and 0.5 as well.
std::uint64_t count_from(const Json& json) {
  if (!json.is_number_unsigned()) refuse("a number of trials is {}: allowed are whole numbers from 0", json.dump());
  return json.get<std::uint64_t>();
}

// The members of a list: a loop alone would take an object, a number or null as well.
const Json& list_from(const Json& json, const char* what) {
  if (!json.is_array()) refuse("{} is of the type {}: allowed is an array", what, json.type_name());
  return json;
}

Evidence evidence_from(const Json& json) {
  const Json& observed = list_from(json.at("observed"), "observed");
  return {.instance = json.at("instance"),
          .quantity = json.at("quantity"),
          .relation = relation_named(json.at("relation")),
          .observed = {number_from(observed.at(0)), number_from(observed.at(1))},
          .claimed = number_from(json.at("claimed")),
          .claimed_error = number_from(json.at("claimed_error")),
          .resolution = number_from(json.at("resolution")),
          .trials = count_from(json.at("trials")),
          .trials_in_scope = count_from(json.at("trials_in_scope")),
          .error_share = number_from(json.at("error_share"))};
}

std::vector<Evidence> evidence_list_from(const Json& json) {
  std::vector<Evidence> list;
  for (const Json& piece : list_from(json, "evidence")) list.push_back(evidence_from(piece));
  return list;
}

}  // namespace

std::string name_of(Verdict verdict) {
  return name_in(kVerdicts, verdict);
}
std::string name_of(Kind kind) {
  return name_in(kKinds, kind);
}
std::string name_of(Relation relation) {
  return name_in(kRelations, relation);
}
std::string name_of(Profile profile) {
  return name_in(kProfiles, profile);
}

Verdict verdict_named(const std::string& name) {
  return named_in(kVerdicts, name, "verdict");
}
Kind kind_named(const std::string& name) {
  return named_in(kKinds, name, "kind");
}
Relation relation_named(const std::string& name) {
  return named_in(kRelations, name, "relation");
}
Profile profile_named(const std::string& name) {
  return named_in(kProfiles, name, "profile");
}

Json to_row(const StatementResult& result) {
  Json row = {{"id", result.id},         {"title", result.title},
              {"source", result.source}, {"kind", name_of(result.kind)},
              {"scope", result.scope},   {"remark", result.remark}};
  if (const Evidence* worst = worst_evidence(result.evidence)) row.update(to_json(*worst));
  row["verdict"] = name_of(result.verdict);
  row["expected"] = name_of(result.expected);
  row["as_expected"] = as_expected(result);
  row["failure"] = result.failure;
  row["evidence"] = to_json(result.evidence);
  row["mutants"] = Json::array();
  for (const MutantResult& mutant : result.mutants) {
    row["mutants"].push_back(
        {{"name", mutant.name}, {"verdict", name_of(mutant.verdict)}, {"evidence", to_json(mutant.evidence)}});
  }
  return row;
}

StatementResult from_row(const Json& row) try {
  StatementResult result{.id = row.at("id"),
                         .title = row.at("title"),
                         .source = row.at("source"),
                         .kind = kind_named(row.at("kind")),
                         .scope = row.at("scope"),
                         .remark = row.at("remark"),
                         .evidence = evidence_list_from(row.at("evidence")),
                         .verdict = verdict_named(row.at("verdict")),
                         .expected = verdict_named(row.at("expected"))};
  for (const Json& mutant : list_from(row.at("mutants"), "mutants")) {
    result.mutants.push_back({.name = mutant.at("name"),
                              .evidence = evidence_list_from(mutant.at("evidence")),
                              .verdict = verdict_named(mutant.at("verdict"))});
  }
  result.failure = row.at("failure");
  return result;
} catch (const nlohmann::json::exception& error) {
  refuse("a row of verdicts: {}", error.what());
}

StatementResult rejudged(StatementResult result) {
  result.verdict = judge(result.evidence);
  for (MutantResult& mutant : result.mutants) mutant.verdict = judge(mutant.evidence);
  return result;
}

}  // namespace skt

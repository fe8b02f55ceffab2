#include "proofs_check/names.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include "sim/require.hpp"

namespace skt {
namespace {

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
constexpr Names<Wording, 3> kWordings{
    {{Wording::printed, "printed"}, {Wording::reading, "reading"}, {Wording::ours, "ours"}}};
constexpr Names<Severity, 5> kSeverities{{{Severity::none, "none"},
                                          {Severity::misprint, "misprint"},
                                          {Severity::imprecise, "imprecise"},
                                          {Severity::wrong_step, "wrong-step"},
                                          {Severity::wrong_result, "wrong-result"}}};
constexpr Names<Chance, 2> kChances{{{Chance::random, "random"}, {Chance::none, "none"}}};
constexpr Names<Relation, 3> kRelations{
    {{Relation::equal, "="}, {Relation::at_most, "<="}, {Relation::at_least, ">="}}};
constexpr Names<IntervalLaw, 5> kLaws{{{IntervalLaw::point, "point"},
                                       {IntervalLaw::proportion, "proportion"},
                                       {IntervalLaw::bounded, "bounded"},
                                       {IntervalLaw::student, "student"},
                                       {IntervalLaw::known_deviation, "known-deviation"}}};
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

}  // namespace

std::string name_of(Verdict verdict) {
  return name_in(kVerdicts, verdict);
}
std::string name_of(Kind kind) {
  return name_in(kKinds, kind);
}
std::string name_of(Wording wording) {
  return name_in(kWordings, wording);
}
std::string name_of(Severity severity) {
  return name_in(kSeverities, severity);
}
std::string name_of(Chance chance) {
  return name_in(kChances, chance);
}
std::string name_of(Relation relation) {
  return name_in(kRelations, relation);
}
std::string name_of(IntervalLaw law) {
  return name_in(kLaws, law);
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
Wording wording_named(const std::string& name) {
  return named_in(kWordings, name, "wording");
}
Severity severity_named(const std::string& name) {
  return named_in(kSeverities, name, "severity");
}
Chance chance_named(const std::string& name) {
  return named_in(kChances, name, "chance");
}
Relation relation_named(const std::string& name) {
  return named_in(kRelations, name, "relation");
}
IntervalLaw law_named(const std::string& name) {
  return named_in(kLaws, name, "law");
}
Profile profile_named(const std::string& name) {
  return named_in(kProfiles, name, "profile");
}

std::string name_of_share(IntervalLaw law) {
  switch (law) {
    case IntervalLaw::point:
      return "none";
    case IntervalLaw::proportion:
    case IntervalLaw::bounded:
      return "guaranteed";
    case IntervalLaw::student:
    case IntervalLaw::known_deviation:
      return "nominal";
  }
  return "none";
}

}  // namespace skt

#include "proofs_check/names.hpp"

namespace skt {

const Naming<Verdict>& naming(Verdict) {
  static const Naming<Verdict> all{
      "verdict",
      {{Verdict::refuted, "refuted"}, {Verdict::not_refuted, "not-refuted"}, {Verdict::inconclusive, "inconclusive"}}};
  return all;
}
const Naming<Kind>& naming(Kind) {
  static const Naming<Kind> all{"kind",
                                {{Kind::identity, "identity"},
                                 {Kind::inequality, "inequality"},
                                 {Kind::expectation, "expectation"},
                                 {Kind::high_probability, "high-probability"},
                                 {Kind::limit, "limit"},
                                 {Kind::ordering, "ordering"}}};
  return all;
}
const Naming<Wording>& naming(Wording) {
  static const Naming<Wording> all{
      "wording", {{Wording::printed, "printed"}, {Wording::reading, "reading"}, {Wording::ours, "ours"}}};
  return all;
}
const Naming<Severity>& naming(Severity) {
  static const Naming<Severity> all{"severity",
                                    {{Severity::none, "none"},
                                     {Severity::misprint, "misprint"},
                                     {Severity::imprecise, "imprecise"},
                                     {Severity::wrong_step, "wrong-step"},
                                     {Severity::wrong_result, "wrong-result"}}};
  return all;
}
const Naming<Chance>& naming(Chance) {
  static const Naming<Chance> all{"chance", {{Chance::random, "random"}, {Chance::none, "none"}}};
  return all;
}
const Naming<Relation>& naming(Relation) {
  static const Naming<Relation> all{"relation",
                                    {{Relation::equal, "="}, {Relation::at_most, "<="}, {Relation::at_least, ">="}}};
  return all;
}
const Naming<IntervalLaw>& naming(IntervalLaw) {
  static const Naming<IntervalLaw> all{"law",
                                       {{IntervalLaw::point, "point"},
                                        {IntervalLaw::proportion, "proportion"},
                                        {IntervalLaw::bounded, "bounded"},
                                        {IntervalLaw::student, "student"},
                                        {IntervalLaw::known_deviation, "known-deviation"}}};
  return all;
}
const Naming<Profile>& naming(Profile) {
  static const Naming<Profile> all{
      "profile", {{Profile::smoke, "smoke"}, {Profile::standard, "standard"}, {Profile::deep, "deep"}}};
  return all;
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

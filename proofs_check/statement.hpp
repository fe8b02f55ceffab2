// What is a statement?
//
// A statement claims a relation between an observed quantity and a claimed value. `measure` produces Evidence (numbers
// only), `judge` is a pure function of it, and a mutant is the same statement with a planted lie that the same judge
// must refute.
//
// One way to write one down, in every group: designated initialisers, with the member left out that keeps its default,
// which the group may set (docs/howto/add_a_statement.md). What is said of it stands there and nowhere else; method and
// power are its group's.
#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "proofs_check/context.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/judge.hpp"

namespace skt {

enum class Kind { identity, inequality, expectation, high_probability, limit, ordering };

// Whose words does a statement judge? Only what is printed may be called an erratum.
enum class Wording {
  printed,  // the source's own, quoted
  reading,  // a strengthening of them that readers may take away
  ours      // a corrected or sharper form, or a bound of this project
};

// How much hangs on a printed statement that is false?
enum class Severity {
  none,          // not false, or not printed
  misprint,      // a slip that its context puts right
  imprecise,     // true with a condition, a factor or a word that is missing
  wrong_step,    // a step of an argument is false, and what it is to show holds or can be mended
  wrong_result,  // what the source concludes is false
};

// Does a measurement draw random numbers and so need a share of the error budget?
enum class Chance { random, none };

// Does a measurement hand out its trials where a plot asks for them (context.keep)?
enum class Trials { summed_up, kept };

using Measure = std::function<std::vector<Evidence>(const Context&)>;

// What else is measured by the same check.
struct Variant {
  std::string name{};  // what was changed, e.g. "constant 2 -> 1.3", or put right
  Measure measure{};
};
using Mutant = Variant;
// The positive control of a statement that is expected to be refuted: the same check on something true. It must come
// out not refuted, or the check refutes whatever it is given.
using Control = Variant;

// What the statements of one file have in common.
struct StatementGroup {
  std::string question{};  // that they answer
  std::string notes{};     // what symbols mean, and what is derived; lines and lists are kept
  std::string method{};    // how they are measured
  std::string power{};     // how small a deviation would be seen
  // Of those that say nothing of their own.
  std::string source{};
  Kind kind = Kind::identity;
  std::string scope{};
  Chance chance = Chance::none;
  Trials trials = Trials::summed_up;
  std::string area{};  // the folder; filled by all_statements()
};

// A reference as in a ledger, e.g. "S002-L9", and the line of the source where it is written.
struct StatementId : std::string {
  StatementId() = default;
  StatementId(std::string text) : std::string(std::move(text)) {}
  StatementId(const char* text, std::source_location written = std::source_location::current())
      : std::string(text), line(written.line()) {}
  std::uint_least32_t line = 0;
};

struct Statement {
  StatementId id{};
  std::string title{};
  std::string source{};             // the place: "paper, Lemma 9"
  Wording wording = Wording::ours;  // printed: what has a quote; filled by all_statements()
  std::string quote{};  // if printed: the source's own words there, fifteen at most; a formula counts as it is read
  Kind kind = Kind::identity;
  std::string scope{};           // the hypotheses
  Chance chance = Chance::none;  // of the statement with its mutants and controls
  Trials trials = Trials::summed_up;
  Measure measure{};
  std::vector<Mutant> mutants{};            // two at least, unless the statement is expected to be refuted
  std::string no_near_mutant{};             // why none of them can be near the truth (proofs_check/near_mutants.hpp)
  std::vector<Control> controls{};          // one at least if the statement is expected to be refuted
  Verdict expected = Verdict::not_refuted;  // refuted: false as its source prints it, and the remark says why
  Severity severity = Severity::none;       // of a printed statement that is expected to be refuted
  std::string remark{};    // what a reader of the report should know, e.g. why nothing here could be refuted
  StatementGroup group{};  // filled by all_statements(), as is the place
  std::string place{};     // "proofs_check/statements/AREA/FILE.cpp:LINE"
};

// visit(key in rows, field) for all that a statement claims. The fingerprint of a list depends on the order.
template <class SomeStatement, class Visit>
void for_each_text(SomeStatement& s, Visit visit) {
  visit("id", s.id);
  visit("title", s.title);
  visit("source", s.source);
  visit("wording", s.wording);
  visit("quote", s.quote);
  visit("kind", s.kind);
  visit("scope", s.scope);
  visit("chance", s.chance);
  visit("no_near_mutant", s.no_near_mutant);
  visit("expected", s.expected);
  visit("severity", s.severity);
  visit("remark", s.remark);
}

// The same for what explains it, and is no part of the claim.
template <class SomeStatement, class Visit>
void for_each_explanation(SomeStatement& s, Visit visit) {
  visit("area", s.group.area);
  visit("place", s.place);
  visit("question", s.group.question);
  visit("notes", s.group.notes);
  visit("method", s.group.method);
  visit("power", s.group.power);
}

}  // namespace skt

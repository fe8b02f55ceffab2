// What is a statement?
//
// A statement claims a relation between an observed quantity and a claimed value. `measure` produces Evidence (numbers
// only), `judge` is a pure function of it, and a mutant is the same statement with a planted lie that the same judge
// must refute.
//
// One way to write one down, in every group: designated initialisers, with the member left out that keeps its default.
//
//   return {{.id = "S002-L9",
//            .title = "Finite tables are near the population",
//            .source = "paper, Lemma 9, eq. (24)",
//            .kind = Kind::high_probability,
//            .scope = "L >= 2 B^2 log(4/delta)/Z_min^2",
//            .measure = deviates_by(1),
//            .mutants = {{"C -> C/10", deviates_by(0.1)}, {"log(4/delta) -> log(2/delta)", ..}}},
//           {.id = "S002-L9-as-printed", .., .expected = Verdict::refuted, .remark = "why it is false"}};
//
// Title, source, scope and mutants stand here and nowhere else; the head of the file says the method and the power.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proofs_check/context.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/judge.hpp"

namespace skt {

enum class Kind { identity, inequality, expectation, high_probability, limit, ordering };

using Measure = std::function<std::vector<Evidence>(const Context&)>;

struct Mutant {
  std::string name{};  // what was changed, e.g. "constant 2 -> 1.3"
  Measure measure{};
};

struct Statement {
  std::string id{};  // ledger-style reference, e.g. "S002-L9"
  std::string title{};
  std::string source{};  // "paper, Lemma 9"
  Kind kind = Kind::identity;
  std::string scope{};  // the hypotheses
  Measure measure{};
  std::vector<Mutant> mutants{};            // two at least, unless the statement is expected to be refuted
  Verdict expected = Verdict::not_refuted;  // refuted: false as its source prints it, and the remark says why
  std::string remark{};  // what a reader of the report should know, e.g. why nothing here could be refuted
};

}  // namespace skt

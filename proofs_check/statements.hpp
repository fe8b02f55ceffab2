// Which statements are there?
//
// How to add one:
//   1. Write proofs_check/statements/NAME.cpp, named by its content, with a head comment that gives for each
//      statement the claim, source, scope, method, power (what deviation it would see) and mutants, and
//      define
//
//        namespace skt {
//        std::vector<Statement> NAME_statements() {
//          Statement statement{.id = "S002-L9", .title = "...", .source = "paper, Lemma 9", .kind = ...,
//                              .scope = "hypotheses", .measure = ..., .mutants = {{"what was changed", ...},
//                              ...}};
//          return {statement};
//        }
//        }  // namespace skt
//
//   2. Add the line SKT_GROUP(NAME) to proofs_check/groups.def.
//
// `measure` takes the Context and returns Evidence, built by proofs_check/evidence.hpp: exact(..) for sums
// and quadratures, supremum(..) for inequalities, frequency(..) and mean(..) for Monte Carlo. Draw only with
// context.seed and through run_trials; take trial numbers from context.trials(n) and the error of each of k
// random pieces from context.share(k). Draw hyperplanes, hash keys and score through context.estimators
// wherever the statement is about them, so that planted faults are seen. Mutants are the same measurement
// with a planted lie, usually one function with the lie as a parameter; each must come out `refuted`, so a
// "mutant" that is true (a sharper bound) is a statement of its own, not a mutant. At least two mutants each.
// A statement that is false as printed has .expected = Verdict::refuted, and its corrected form stands beside
// it.
#pragma once

#include <vector>

#include "proofs_check/statement.hpp"

namespace skt {

std::vector<Statement> all_statements();

}  // namespace skt

// Which statements are there?
//
// How to add one:
//
//   1. Write proofs_check/statements/FOLDER/NAME.cpp, named by its content. Its head comment asks what the group checks
//      and says by which method, and what deviation it would see; it defines
//
//        namespace skt {
//        std::vector<Statement> NAME_statements() {
//          return {{.id = "S002-L9", .title = "..", .source = "paper, Lemma 9", .kind = .., .scope = "hypotheses",
//                   .measure = .., .mutants = {{"what was changed", ..}, {"..", ..}}}};
//        }
//        }  // namespace skt
//
//   2. Add the line SKT_GROUP(FOLDER, NAME) to proofs_check/groups.def.
//
// `measure` takes the Context and returns Evidence, built by proofs_check/evidence.hpp: exact(..) for sums and
// quadratures, supremum(..) for inequalities, frequency(..) and mean(..) for Monte Carlo. Draw only with context.seed
// and through run_trials; take trial numbers from context.trials(n) and the error of each random piece from
// context.share(cases), where `cases` are the lists looped over (proofs_check/context.hpp). Draw hyperplanes, hash keys
// and score through context.estimators wherever the statement is about them, so that planted faults are seen.
//
// Mutants are the same measurement with a planted lie, usually one function with the lie as a parameter; each must come
// out `refuted`, so a "mutant" that is true (a sharper bound) is a statement of its own, not a mutant. At least two
// mutants each. A statement that is false as printed says .expected = Verdict::refuted and why in its .remark; its
// corrected form stands beside it.
#pragma once

#include <vector>

#include "proofs_check/statement.hpp"

namespace skt {

std::vector<Statement> all_statements();

}  // namespace skt

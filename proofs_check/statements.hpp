// Which statements are there?
//
// How to add one:
//
//   1. Write proofs_check/statements/FOLDER/NAME.cpp, named by its content:
//
//        namespace skt::NAME_group {
//        StatementGroup group() {
//          return {.question = "what the group checks", .method = "how", .power = "what deviation it would see"};
//        }
//        std::vector<Statement> statements() {
//          return {{.id = "S002-L9", .title = "..", .source = "paper, Lemma 9", .kind = .., .scope = "hypotheses",
//                   .measure = .., .mutants = {{"what was changed", ..}, {"..", ..}}}};
//        }
//        }  // namespace skt::NAME_group
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
// mutants each, one of them near the truth (proofs_check/near_mutants.hpp). A statement that is false as printed says
// .expected = Verdict::refuted, why in its .remark and how grave in its .severity, and has a control: the same check on
// something true. Its corrected form stands beside it.
//
// What is claimed (relation, value, error, resolution, instance, quantity) must not depend on the profile where a
// statement has .chance = Chance::random: `socketlab judge` measures claims again at smoke size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proofs_check/statement.hpp"

namespace skt {

std::vector<Statement> all_statements();

// 64 bits of a text, the same on every machine (FNV-1a, draft-eastlake-fnv).
std::uint64_t text_hash(const std::string& text);

// 16 hexadecimal digits of all that the statements claim: ids, texts, quotes, names of mutants and of controls, what is
// expected. Equal for equal lists; what `measure` computes is not in it.
std::string fingerprint(const std::vector<Statement>& all);

}  // namespace skt

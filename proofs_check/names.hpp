// How are the kinds of things that stand in result files called there?
#pragma once

#include <string>

#include "proofs_check/statement.hpp"

namespace skt {

std::string name_of(Verdict verdict);    // "refuted", "not-refuted", "inconclusive"
std::string name_of(Kind kind);          // "identity", "high-probability", ...
std::string name_of(Wording wording);    // "printed", "reading", "ours"
std::string name_of(Severity severity);  // "none", "misprint", "imprecise", "wrong-step", "wrong-result"
std::string name_of(Chance chance);      // "random", "none"
std::string name_of(Relation relation);  // "=", "<=", ">="
std::string name_of(IntervalLaw law);    // "point", "proportion", "bounded", "student", "known-deviation"
std::string name_of(Profile profile);    // "smoke", "standard", "deep"

// The inverses; InputError names what is allowed.
Verdict verdict_named(const std::string& name);
Kind kind_named(const std::string& name);
Wording wording_named(const std::string& name);
Severity severity_named(const std::string& name);
Chance chance_named(const std::string& name);
Relation relation_named(const std::string& name);
IntervalLaw law_named(const std::string& name);
Profile profile_named(const std::string& name);

// What a share of the error is worth: "guaranteed" of a proportion and of bounded samples; "nominal" of Student's and of
// normal intervals, which keep their promise for normal samples only; "none" of a point.
std::string name_of_share(IntervalLaw law);

}  // namespace skt

// How is a verdict written down, so that it can be recomputed from its row alone?
//
// One JSON object a statement (a line of verdicts.jsonl). The fields at the top sum up the piece of evidence that
// worst_evidence names; "evidence" and "mutants" hold every number that judge saw. Numbers are written with the digits
// that read back as the same double; a number that is not finite is null and reads back as NaN, which judge treats
// alike. It would be wrong if a row read back gave another verdict: tests/proofs_check/verdict_rows_test.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "proofs_check/run.hpp"

namespace skt {

std::string name_of(Verdict verdict);    // "refuted", "not-refuted", "inconclusive"
std::string name_of(Kind kind);          // "identity", "high-probability", ...
std::string name_of(Relation relation);  // "=", "<=", ">="
std::string name_of(Profile profile);    // "smoke", "standard", "deep"

// The inverses; InputError names what is allowed.
Verdict verdict_named(const std::string& name);
Kind kind_named(const std::string& name);
Relation relation_named(const std::string& name);
Profile profile_named(const std::string& name);

nlohmann::ordered_json to_row(const StatementResult& result);

// Reads a row; verdicts are those written in it. InputError says which field is missing or of the wrong type.
StatementResult from_row(const nlohmann::ordered_json& row);

// The same result with every verdict judged anew from the evidence.
StatementResult rejudged(StatementResult result);

}  // namespace skt

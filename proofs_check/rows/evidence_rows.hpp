// How is a piece of evidence written down, so that its interval can be computed anew from it?
//
// "basis" holds the law of the interval and the counts or moments that its formula takes; "share" says what the share of
// the error is worth. Numbers are written with the digits that read back as the same double; a number that is not finite
// is null and reads back as NaN.
#pragma once

#include <vector>

#include "proofs_check/evidence.hpp"
#include "sim/json.hpp"

namespace skt {

Json to_json(const Evidence& evidence);
Json to_json(const std::vector<Evidence>& evidence);

// The inverses. InputError, or an exception of the JSON library, for what is missing or of the wrong type.
Evidence evidence_from(const Json& json);
std::vector<Evidence> evidence_list_from(const Json& json);

// For fields of rows: NaN and infinity are null.
Json number_json(double x);

// A loop alone would take an object, a number or null for a list as well.
const Json& list_from(const Json& json, const char* what);

// A whole number from 0: get<> alone would take -1 and 0.5 as well.
std::uint64_t count_from(const Json& json, const char* what);

}  // namespace skt

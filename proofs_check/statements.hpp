// Which statements are there?
// docs/howto/add_a_statement.md says how to add one.
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

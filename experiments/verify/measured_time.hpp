// How long does one measurement of a statement take: as claimed, or one of its mutants and controls?
//
// A table of the longest, measured once, scaled by the trials of the profile. It decides in which order parts are begun
// and how slices share them, and no result: a stale table makes many processes wait for one that began a long part last.
#pragma once

#include <string_view>
#include <vector>

#include "proofs_check/statement.hpp"

namespace skt {

// Of one core.
double measured_microseconds(const Statement& statement, Profile profile);

// For the test that the table names no statement that is gone.
std::vector<std::string_view> ids_with_measured_time();

}  // namespace skt

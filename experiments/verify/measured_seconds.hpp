// How long does one measurement of a statement take?
#pragma once

#include "proofs_check/statement.hpp"

namespace skt {

double measured_seconds(const Statement& statement, Profile profile);

}  // namespace skt

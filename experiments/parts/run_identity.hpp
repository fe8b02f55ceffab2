// Which run does a journal belong to, and may two processes share one?
//
// Version, content of the program file, command with its seed, profile and file of learned heads, and the numeric
// fingerprint: what a result can depend on. Machine, time, folder, threads and number of processes are left out: results
// do not depend on them, and any machine that computes the same numbers may go on with a run. A field that mattered and
// was missing here would show as files put together from two runs.
#pragma once

#include <optional>
#include <string>

#include "experiments/command/provenance.hpp"
#include "sim/json.hpp"

namespace skt {

Json run_identity(const RunFacts& facts);

// "another seed (1 there, 2 here)": the first field in which `there` differs from `here`; none where all agree.
std::optional<std::string> first_difference(const Json& there, const Json& here);

}  // namespace skt

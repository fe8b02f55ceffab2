// What does every query of a problem get, under every variant?
//
// Key head by key head, so that the codes of one key head are held at a time. It would be wrong if a query saw the codes
// of another head: tests/experiments/attend/attend_heads_test.py.
#pragma once

#include <functional>
#include <vector>

#include "experiments/attend/query.hpp"

namespace skt {

// The results of one query, one for each variant.
using AddResults = std::function<void(Index head, std::vector<QueryResult>& results)>;

// Calls `add` for the queries head by head, and `step` attend_steps times. The problem's elements have been checked.
void attend_all(AttendProblem& problem, std::vector<AttendVariant>& variants, const AddResults& add,
                const std::function<void()>& step);
Index attend_steps(const AttendProblem& problem, const std::vector<AttendVariant>& variants);

}  // namespace skt

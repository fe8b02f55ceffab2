// What can be certified for every query of a problem, with the tables at hand, and how long does it take?
//
// The redraws of the tables come from redraw_parts.hpp. It would be wrong if a query had another's certificate, or if a
// time limit changed one: tests/experiments/certify/certify_queries_test.cpp.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "experiments/certify/certify_rows.hpp"
#include "experiments/certify/redraw_parts.hpp"

namespace skt {

// No query is begun that would end later than `limit` by the pace so far, but for the first.
struct TimeBudget {
  double limit = std::numeric_limits<double>::infinity();  // seconds
  std::function<double()> seconds = [] { return 0.0; };    // that have gone by
};
// Counts from the call.
TimeBudget time_budget(const std::optional<double>& limit);

// In the order of the queries: all, or where the time is short some that are spread over heads and positions. `done`
// hears of certify_work microseconds in all if they are all certified.
std::vector<QueryCertificate> certify_queries(LoadedGroups& groups, const Hyperplanes& hyperplanes, Seed seed,
                                              const RedrawsOfGroups& redraws, const WorkDone& done,
                                              const TimeBudget& time = {});
std::uint64_t certify_work(const LoadedGroups& groups);

// Seconds on the clock that all queries take, from a few blocks of pairs of up to four groups, timed here.
double expected_seconds(const LoadedGroups& groups);

// Every number below n once, so that the first few, however many, are spread evenly.
std::vector<Index> spread_order(Index n);

}  // namespace skt

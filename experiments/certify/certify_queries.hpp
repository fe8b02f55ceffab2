// What can be certified for every query of a problem, with the tables at hand?
//
// The redraws of the tables come from redraw_parts.hpp. It would be wrong if a query had another's certificate:
// tests/experiments/certify/certify_queries_test.cpp.
#pragma once

#include <vector>

#include "experiments/certify/certify_rows.hpp"
#include "experiments/certify/redraw_parts.hpp"

namespace skt {

// In the order of the groups. `done` hears of certify_work microseconds in all.
std::vector<QueryCertificate> certify_queries(LoadedGroups& groups, const Hyperplanes& hyperplanes, Seed seed,
                                              const RedrawsOfGroups& redraws, const WorkDone& done);
std::uint64_t certify_work(const LoadedGroups& groups);

}  // namespace skt

// On which tables with two outcomes is a bound of the finite-table error put to the test, and how does it do there?
//
// Laws on which such a bound is tight, and laws made to break one: rare jumps, and tables in which the normaliser goes
// with the numerator or against it. All exact (two_point_tables.hpp). It would be wrong if a bound known to be attained
// did not reach its delta here.
#pragma once

#include <string>
#include <vector>

#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/instances/two_point_tables.hpp"

namespace skt {

struct TableCase {
  TwoPointTables law;
  Index tables = 1;
  double delta = 0.05;
  double shift = 0;  // target = y_tau + shift on the first coordinate

  Vector target() const { return law.output() + shift * Vector::Unit(law.usual.numerator.size(), 0); }
};

// Means of L signs: L = 2 near delta = 1/2, where Theorem 1 is attained; L = 10 to 2000; 60 in 128 coordinates.
std::vector<TableCase> two_sign_cases();
std::vector<TableCase> many_sign_cases();
std::vector<TableCase> sign_cases_in_many_dimensions();

// Jumps of probability 1e-4 to .06 in 1, 4 and 60 tables; one table and a jump near delta attains Corollary 3.
std::vector<TableCase> jump_cases();

// A key along the query with value -1 beside two, or eight, copies of another with values 1 or 1/4: (N, D) = (-1, 1)
// where the copies are missed, (1, 3) or (1, 9) where they are hit.
std::vector<TableCase> uneven_cases();

// The same with targets other than y_tau.
std::vector<TableCase> shifted(const std::vector<TableCase>& cases, const std::vector<double>& shifts);

using RadiusOfCase = std::function<double(const TableSums&, const TableCase&, const TargetMoments&)>;

// The largest P(error > radius)/delta of the cases, claimed to be 1 at most.
Evidence largest_miss(const std::string& instance, const std::vector<TableCase>& cases, const RadiusOfCase& radius);

}  // namespace skt

// What is to be certified, what cannot be, and how long will it take?
//
// Wrong if something that has no certificate came through, or if the estimate of the work left out a part of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "estimators/error_terms/exact_terms.hpp"

namespace skt {

// The sums over all pairs of keys take O(keys^2) time; without them no bound on the tables is proved.
enum class Pairs { exact, none };

struct CertifyPlan {
  Setting setting;               // its budget is the M of the selection
  double delta = 0.05;           // in (0, 1)
  std::optional<double> target;  // wanted error, in the unit of the values
  Pairs pairs = Pairs::exact;
  Index fresh_tables = 0;  // for Corollary 4(ii); 0: none
  Index redraws = 0;       // for Theorem 5; 0: none
  Index queries = 1;       // that share the tables: numbers for all of them together stand at delta/queries
};

// What cannot be certified is refused (InputError), saying what would be needed: too few redraws or fresh tables for
// delta, numbers out of range.
void check(const CertifyPlan& plan);

// Work done, in microseconds of one core as estimated here, from whichever thread did it.
using WorkDone = std::function<void(std::uint64_t microseconds)>;

struct ProblemSize {
  Index keys = 0, dim = 0, value_dim = 0;
};
// Of a block of pairs, a fresh table, the hash of a redraw and its scores for one query, and all that a query needs without
// pairs, fresh tables and redraws.
struct CertifyWork {
  std::uint64_t pair_block = 0, fresh_table = 0, redraw_hash = 0, redraw_query = 0, query = 0;
};
CertifyWork work_of(const ProblemSize& size, const CertifyPlan& plan);

// Of all that certify does for one query.
std::uint64_t work_of_query(const ProblemSize& size, const CertifyPlan& plan);

}  // namespace skt

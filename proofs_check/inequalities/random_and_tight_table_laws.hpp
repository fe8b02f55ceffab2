// On which laws of tables are the steps of the proofs measured?
//
// Random ones: four drawn tables on Gaussian, clustered, needle, anisotropic, low-rank, sink and orthogonal-value
// instances at four temperatures. Tight ones, on which a step holds with equality or in the limit: I-GRID, copies of
// the query, I-TWO seen at a small angle, I-ANTI, and two tables of which one is sure of the query's bucket. Nothing
// could be refuted on the random ones alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proofs_check/inequalities/table_proof_steps.hpp"
#include "proofs_check/statement.hpp"

namespace skt {

TableLaw grid_law(const Context& context, double temperature);  // I-GRID(4), P = 3: one table
TableLaw copies_law(const Context& context, Index copies);      // I-COPY(., 0) as tau -> 0, values e_1
TableLaw two_sided_law(const Context& context, Index copies,
                       double angle);                         // I-TWO, query at `angle` to +e_1
TableLaw opposite_law(const Context& context, Index copies);  // I-ANTI(copies) at tau = 1: four drawn tables

// Eight keys and two tables of two planes, equally probable. In both tables one plane leaves the keys together. The other
// plane of the second table lies so near the query that p = sigma(1/2) there, and halves the keys. The first table is
// sure of the query's bucket, p = 1 up to e^-100: it quarters the keys, B_l = 2 and 4, or has them all in that bucket, 8
// and 4. All that E|s - I| has comes from the second table: 2 E[B_l (1 - p_l)] whatever the first one does.
enum class SureTable { quarters, holds_all };
TableLaw sure_and_unsure_law(const Context& context, SureTable sure);

// The same inequality with its right side times `factor`.
SidesOfLaw times(double factor, SidesOfLaw sides);

// left/right over the random and structured laws.
Evidence supremum_over_laws(const Context& context, const SidesOfLaw& sides);

// A tight law with the name of the instance.
struct NamedLaw {
  std::string name;
  std::function<TableLaw(const Context&)> law;
};
NamedLaw grid(double temperature);
NamedLaw copies(Index number);
NamedLaw two_sided(Index number, double angle);
NamedLaw opposite(Index number);
NamedLaw sure_and_unsure(SureTable sure);

// left <= right on all of them, and = on the tight ones if `equality` is attained.
Measure step_holds(SidesOfLaw sides, std::vector<NamedLaw> tight_laws, Equality equality);

}  // namespace skt

#include "proofs_check/laws/problem_in_use.hpp"

#include "estimators/selection.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/families.hpp"

namespace skt {

ProblemInUse problem_in_use(const Context& context) {
  ProblemInUse problem{make_instance({}, context.seed, 0), {}, {}, {}};
  const Instance& instance = problem.instance;
  const Hyperplanes planes = context.estimators.draw(context.seed, 0, kTablesInUse, kPlanesInUse, instance.dim());
  problem.scores = context.estimators.soft(planes, context.estimators.hash(planes, instance.keys), instance.query,
                                           {.temperature = 0.5});
  problem.norms = row_norms(instance.values);
  problem.selected = select_keys(problem.scores.cwiseProduct(problem.norms), {}, {.budget = 410});
  return problem;
}

}  // namespace skt

#include "proofs_check/laws/problem_in_use.hpp"

#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("The problem in use has 4096 keys in 128 dimensions and selects those of largest score times norm",
          "[unit]") {
  const ProblemInUse problem = problem_in_use({.seed = {3}});

  CHECK(problem.instance.num_keys() == 4096);
  CHECK(problem.instance.dim() == 128);
  CHECK(problem.scores.size() == 4096);
  REQUIRE(problem.selected.size() == 410);
  const auto weight = [&](Index j) { return problem.scores[j] * problem.instance.values.row(j).norm(); };
  const std::set<Index> selected(problem.selected.begin(), problem.selected.end());
  CHECK(selected.size() == 410);
  double least = weight(problem.selected.back());
  for (std::size_t i = 1; i < problem.selected.size(); ++i)
    CHECK(weight(problem.selected[i - 1]) >= weight(problem.selected[i]) * (1 - 1e-14));
  for (Index j = 0; j < 4096; ++j)
    if (!selected.contains(j)) CHECK(weight(j) <= least * (1 + 1e-14));
}

TEST_CASE("The scores of the problem in use are those of the estimators under test", "[mutant]") {
  Context context{.seed = {3}};
  Index tables = 0, planes = 0;
  context.estimators.soft = [&](const Hyperplanes& drawn, const KeyCodes& codes, const Vector&,
                                const SocketParameters& parameters) -> Vector {
    tables = drawn.tables, planes = drawn.planes;
    return Vector::Constant(codes.keys, parameters.temperature);
  };

  const ProblemInUse problem = problem_in_use(context);

  CHECK(tables == 60);
  CHECK(planes == 8);
  CHECK(problem.scores == Vector::Constant(4096, 0.5));
  Index longest = 0;
  problem.norms.maxCoeff(&longest);
  CHECK(problem.selected.front() == longest);
}

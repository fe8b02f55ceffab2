#include "experiments/error_curves/sweep_axes.hpp"

#include "tests/experiments/refusal.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

SweepProblem small_problem() {
  SweepProblem problem;
  problem.family.keys = 48;
  problem.family.dim = 8;
  problem.setting = {.planes = 3, .tables = 16, .samples = 32};
  return problem;
}

bool admits(Axis axis, double value) {
  return refusal<InputError>([&] { check_axis_value("--values", axis, value); }).empty();
}

std::string complaint(const SweepProblem& problem) {
  return refusal<InputError>([&] { resolved(problem); });
}

}  // namespace

TEST_CASE("Every axis is known by its name, and another name is refused with those there are", "[unit]") {
  for (const std::string& name : axis_names()) CHECK(name_of(axis_named("--axis", name)) == name);
  CHECK(axis_names().size() == 11);
  CHECK(axis_named("--axis", "query-norm") == Axis::query_norm);
  CHECK(refusal<InputError>([] {
          axis_named("--axis2", "heads");
        }).starts_with("--axis2 heads: allowed are tables, samples, temperature, "));
}

TEST_CASE("An axis admits the values of its range and no other", "[unit]") {
  CHECK(admits(Axis::tables, 1));
  CHECK(!admits(Axis::tables, 0));
  CHECK(!admits(Axis::tables, 1.5));
  CHECK(admits(Axis::planes, 30));
  CHECK(!admits(Axis::planes, 31));
  CHECK(admits(Axis::temperature, 1e-9));
  CHECK(!admits(Axis::temperature, 0));
  CHECK(!admits(Axis::temperature, NAN));
  CHECK(admits(Axis::density, 1));
  CHECK(!admits(Axis::density, 0));
  CHECK(admits(Axis::needle_cosine, -1));
  CHECK(!admits(Axis::needle_cosine, 1.1));
  CHECK(admits(Axis::key_norm_spread, 0));
  CHECK(!admits(Axis::key_norm_spread, 4.5));
}

TEST_CASE("A value of an axis is the same problem as that value given as an option", "[unit]") {
  SweepProblem problem = small_problem();
  problem.family.family = InstanceFamily::needle;
  SweepProblem by_hand = problem;
  by_hand.family.keys = 100;
  by_hand.family.query_norm = 2;
  by_hand.family.needle_cosine = 0.25;
  by_hand.setting.planes = 5;
  by_hand.setting.budget = 30;
  by_hand.key_norm_spread = 0.5;
  for (const auto& [axis, value] : {std::pair{Axis::keys, 100.0},
                                    {Axis::query_norm, 2.0},
                                    {Axis::planes, 5.0},
                                    {Axis::needle_cosine, 0.25},
                                    {Axis::density, 0.3},
                                    {Axis::key_norm_spread, 0.5}}) {
    problem = with_value(problem, axis, value);
  }
  problem = resolved(problem);

  CHECK(problem.setting.planes == 5);
  CHECK(problem.setting.budget == 30);
  CHECK(instance_of(problem, Seed{3}).keys == instance_of(by_hand, Seed{3}).keys);
}

TEST_CASE("Samples and budget become numbers of keys", "[unit]") {
  SweepProblem problem = small_problem();
  problem.setting.samples = 0;
  problem.density = 0.25;

  CHECK(resolved(problem).setting.samples == 4);  // a tenth of 48
  CHECK(resolved(problem).setting.budget == 12);
  problem.density = 0.001;
  problem.family.keys = 5;
  CHECK(resolved(problem).setting.samples == 1);
  CHECK(resolved(problem).setting.budget == 1);
}

TEST_CASE("Along the axis budget no given density counts, and along density no given budget", "[unit]") {
  SweepProblem problem = small_problem();
  problem.density = 0.25;
  problem.setting.budget = 7;

  CHECK(resolved(with_value(problem, Axis::budget, 30)).setting.budget == 30);
  CHECK(resolved(with_value(problem, Axis::density, 0.5)).setting.budget == 24);
}

TEST_CASE("A budget above the keys is refused", "[unit]") {
  SweepProblem problem = small_problem();
  problem.setting.budget = 49;
  CHECK(complaint(problem) == "--budget is 49: allowed are 0 (no selection) to the 48 keys");
  CHECK(complaint(small_problem()).empty());
}

TEST_CASE("Spreading the norms of the keys leaves their mean square", "[statement]") {
  SweepProblem problem;
  problem.family.keys = 4096;
  problem.family.dim = 2;
  const Matrix drawn = instance_of(problem, Seed{3}).keys;
  problem.key_norm_spread = 0.3;
  const Matrix spread = instance_of(problem, Seed{3}).keys;
  const Vector factor = spread.rowwise().squaredNorm().cwiseQuotient(drawn.rowwise().squaredNorm());

  // exp(2 s z - 2 s^2) has mean 1 and variance e^(4 s^2) - 1; five deviations of the mean.
  CHECK(std::abs(factor.mean() - 1) <= 5 * std::sqrt(std::expm1(4 * 0.3 * 0.3) / 4096));
}

TEST_CASE("What changes the instance changes the centre; tables and samples change neither", "[unit]") {
  for (const std::string& name : axis_names()) {
    const Axis axis = axis_named("--axis", name);
    INFO(name);
    if (changes_instance(axis)) CHECK(changes_centre(axis));
  }
  CHECK(!changes_centre(Axis::tables));
  CHECK(!changes_centre(Axis::samples));
  CHECK(changes_centre(Axis::temperature));
  CHECK(!changes_instance(Axis::temperature));
  CHECK(changes_instance(Axis::keys));
  CHECK(!has_ratios(Axis::planes));
  CHECK(has_ratios(Axis::budget));
}

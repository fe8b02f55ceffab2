#include "experiments/reproduce_plans.hpp"

#include <tuple>

#include "experiments/error_curves/audit_parts.hpp"
#include "experiments/error_curves/audit_rows.hpp"
#include "experiments/error_curves/sweep_parts.hpp"
#include "experiments/error_curves/sweep_rows.hpp"
#include "sim/statistics/error_budget.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/temporary_folder.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {
constexpr JobProfile kProfiles[] = {JobProfile::smoke, JobProfile::quick, JobProfile::standard, JobProfile::deep};
}  // namespace

TEST_CASE("No two parts of the sweeps and bounds of a profile have one name", "[unit]") {
  for (const JobProfile profile : kProfiles) {
    std::vector<Part> parts = sweep_parts(sweeps_of(profile), Seed{1});
    for (const AuditPlan& plan : bounds_of(profile))
      for (Part& part : audit_parts(plan, AuditPart::bounds, Seed{1})) parts.push_back(std::move(part));
    std::set<std::string> names;
    for (const Part& part : parts) names.insert(part.name);
    CHECK(names.size() == parts.size());
    CHECK(parts.size() > sweeps_of(profile).size());
  }
}

TEST_CASE("The standard profile holds the paper's setting, the quick one with half the keys", "[unit]") {
  for (const SweepPlan& plan : sweeps_of(JobProfile::quick)) {
    INFO(command_of_sweep(plan, 1));
    CHECK(plan.family.dim == 128);
    CHECK(plan.setting.planes == 8);
    CHECK(plan.family.keys == (plan.axis == Axis::temperature ? 1024 : 2048));
  }
  for (const SweepPlan& plan : sweeps_of(JobProfile::standard)) {
    INFO(command_of_sweep(plan, 1));
    CHECK(plan.family.dim == 128);
    CHECK(plan.setting.planes == 8);
    CHECK(plan.family.keys == (plan.axis == Axis::temperature ? 1024 : 4096));
    CHECK(plan.setting.samples == (plan.axis == Axis::temperature ? 102 : 409));  // a tenth of the keys
  }
}

TEST_CASE("Only the quick profile ends a planted fault at the first statement that notices it", "[unit]") {
  for (const JobProfile profile : kProfiles)
    CHECK(asked_of_faults(profile) == (profile == JobProfile::quick ? Ask::until_noticed : Ask::all));
}

TEST_CASE("Every axis of a profile has values that rise, and trials for an interval", "[unit]") {
  for (const JobProfile profile : kProfiles) {
    for (const SweepPlan& plan : sweeps_of(profile)) {
      INFO(command_of_sweep(plan, 1));
      CHECK(plan.values.size() >= 2);
      CHECK(std::is_sorted(plan.values.begin(), plan.values.end()));
      CHECK(plan.effort.trials >= 64);
    }
  }
}

TEST_CASE("Each axis of a profile has the draws of the tables and of T with which the records were made", "[unit]") {
  const auto efforts = [](JobProfile profile) {
    std::set<std::tuple<Axis, std::uint64_t, std::uint64_t>> all;
    for (const SweepPlan& plan : sweeps_of(profile)) all.emplace(plan.axis, plan.effort.trials, plan.effort.draws);
    return all;
  };
  using Efforts = std::set<std::tuple<Axis, std::uint64_t, std::uint64_t>>;

  CHECK(efforts(JobProfile::smoke) ==
        Efforts{{Axis::tables, 150, 8}, {Axis::samples, 64, 16}, {Axis::temperature, 150, 8}});
  CHECK(efforts(JobProfile::quick) ==
        Efforts{{Axis::tables, 64, 8}, {Axis::samples, 64, 16}, {Axis::temperature, 64, 8}});
  CHECK(efforts(JobProfile::standard) ==
        Efforts{{Axis::tables, 350, 8}, {Axis::samples, 64, 16}, {Axis::temperature, 600, 8}});
  CHECK(efforts(JobProfile::deep) ==
        Efforts{{Axis::tables, 1000, 8}, {Axis::samples, 200, 16}, {Axis::temperature, 2000, 8}});
}

TEST_CASE("Samples are doubled from 16 to 1,024, and tables to the paper's 60 and beyond", "[unit]") {
  std::set<std::vector<double>> samples, tables;
  for (const SweepPlan& plan : sweeps_of(JobProfile::standard)) {
    if (plan.axis == Axis::samples) samples.insert(plan.values);
    if (plan.axis == Axis::tables) tables.insert(plan.values);
  }
  CHECK(samples == std::set<std::vector<double>>{{16, 32, 64, 128, 256, 512, 1024}});
  CHECK(tables == std::set<std::vector<double>>{{1, 4, 16, 60, 240}});
}

TEST_CASE("The sweeps of a profile share their part of the error equally", "[unit]") {
  for (const JobProfile profile : kProfiles) {
    const std::vector<SweepPlan> plans = sweeps_of(profile);
    double sum = 0;
    for (const SweepPlan& plan : plans) {
      CHECK(plan.family_error == plans.front().family_error);
      sum += plan.family_error;
    }
    CHECK(sum <= kSweepsError * (1 + 1e-15));
    CHECK(sum >= kSweepsError * (1 - 1e-14));  // each share is one step below the quotient
  }
}

TEST_CASE("The command of a sweep makes its rows again, to the byte", "[unit]") {
  const TemporaryFolder folder;
  for (SweepPlan plan : sweeps_of(JobProfile::smoke)) {
    INFO(command_of_sweep(plan, 1));
    plan.family.keys = 16;  // a small problem with every option of the plan
    plan.family.dim = 4;
    plan.setting.samples = 3;
    plan.setting.planes = 2;
    plan.effort = {3, 2};

    const std::string command = command_of_sweep(plan, 9);
    REQUIRE(command.starts_with("socketlab "));
    ParsedCommand(sweep_command, command.substr(10) + " --force --out '" + folder.path.string() + "'").run();

    const SweepResult sweep = run_sweep(plan, Seed{9});
    CHECK(contents(folder.path / "sweep.csv") == sweep_table({sweep}).text());
    CHECK(contents(folder.path / "sweep_slopes.csv") == slope_table({sweep}).text());
  }
}

TEST_CASE("Our bounds stand at every point of the sweeps over tables, and their command makes their rows again",
          "[unit]") {
  std::size_t points = 0;
  for (const SweepPlan& sweep : sweeps_of(JobProfile::smoke))
    points += sweep.axis == Axis::tables ? sweep.values.size() : 0;
  REQUIRE(bounds_of(JobProfile::smoke).size() == points);
  CHECK(points == 6);  // L = 4, 16, 60 on two families

  const TemporaryFolder folder;
  AuditPlan plan = bounds_of(JobProfile::smoke).back();
  CHECK(plan.tables == 60);
  plan.family.keys = 16;  // a small problem with every option of the plan
  plan.family.dim = 4;
  plan.samples = 3;
  plan.fresh_tables = 50;

  const std::string command = command_of_bounds(plan, 9);
  REQUIRE(command.starts_with("socketlab "));
  ParsedCommand(audit_command, command.substr(10) + " --force --out '" + folder.path.string() + "'").run();

  CHECK(contents(folder.path / "bound_ratios.csv") ==
        bound_ratio_table(run_audit(plan, AuditPart::bounds, Seed{9})).text());
}

// Does a part of each long command end soon where its thread is stopped, and give the same result when it runs again?
#include "experiments/parts/part.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "experiments/certify/redraw_parts.hpp"
#include "experiments/verify/search_parts.hpp"
#include "experiments/verify/verify_parts.hpp"
#include "proofs_check/statements.hpp"
#include "sim/stop.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/certify/two_heads.hpp"
#include "tests/experiments/parts/toy_parts.hpp"

using namespace skt;

namespace {

using Clock = std::chrono::steady_clock;

SweepPlan sweep_plan(Index keys, std::uint64_t trials) {
  SweepPlan plan = sweep_of_40_keys(Axis::temperature, {0.1, 0.5});
  plan.family.keys = keys;
  plan.effort = {trials, 2};
  return plan;
}

AuditPlan audit_plan(Index keys, std::uint64_t draws) {
  AuditPlan plan = audit_of_60_keys();
  plan.family.keys = keys;
  plan.temperatures = {0.3};
  plan.bound_draws = draws;
  return plan;
}

bool is_stopped(const Part& part) {
  try {
    part.run();
  } catch (const Stopped&) {
    return true;
  }
  return false;
}

// Each part is stopped at its first look and runs again; `fresh`: the same parts, never stopped.
void check_again(const std::vector<Part>& parts, const std::vector<Part>& fresh) {
  REQUIRE(parts.size() == fresh.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    INFO(parts[i].name);
    Stop stop;
    stop.ask();
    {
      const StopScope heeds(&stop);
      CHECK(is_stopped(parts[i]));
    }
    CHECK(parts[i].run().dump() == fresh[i].run().dump());
  }
}

// Of a part that takes a minute and more.
void check_ends_soon(const Part& part) {
  INFO(part.name);
  Stop stop;
  std::atomic<bool> stopped = false, ended = false;
  std::thread computing([&] {
    const StopScope heeds(&stop);
    stopped = is_stopped(part);
    ended = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK_FALSE(ended);

  const auto asked = Clock::now();
  stop.ask();
  computing.join();

  CHECK(stopped);
  CHECK(Clock::now() - asked < std::chrono::seconds(5));  // much less on a machine that does nothing else
}

}  // namespace

TEST_CASE("A part that was stopped gives the same bytes when it runs again", "[unit]") {
  const std::vector<Statement> all = all_statements();
  const RunSettings settings{.seed = {7}, .profile = Profile::smoke, .only = {"S002-SRP", "S002-E16-law"}};
  check_again(statement_parts(all, settings), statement_parts(all, settings));
  check_again(sweep_parts(sweep_plan(300, 4), Seed{4}), sweep_parts(sweep_plan(300, 4), Seed{4}));
  check_again(audit_parts(audit_plan(60, 20), AuditPart::all, Seed{4}),
              audit_parts(audit_plan(60, 20), AuditPart::all, Seed{4}));
  check_again(rank_parts(rank_of_64_keys(), Seed{4}), rank_parts(rank_of_64_keys(), Seed{4}));
  if (can_search()) check_again({search_parts({2, 40}, Seed{3}).front()}, {search_parts({2, 40}, Seed{3}).front()});

  const TwoHeads heads;
  AttendProblem problem(heads.files()), same(heads.files());
  const CertifyPlan plan = toy_plan();
  LoadedGroups groups(problem, plan), of_same(same, plan);
  check_again(redraw_parts(groups, Seed{4}), redraw_parts(of_same, Seed{4}));
}

TEST_CASE("A long part that is stopped ends within a second", "[unit]") {
  const std::vector<Statement> all = all_statements();
  check_ends_soon(statement_parts(all, {.profile = Profile::deep, .only = {"S002-SRP"}}).front());
  check_ends_soon(statement_parts(all, {.profile = Profile::deep, .only = {"OWN-two-keys"}}).front());
  check_ends_soon(audit_parts(audit_plan(600, 1 << 17), AuditPart::bounds, Seed{4}).front());
  check_ends_soon(sweep_parts(sweep_plan(20'000, 2), Seed{4}).front());  // the limits: all pairs of keys
}

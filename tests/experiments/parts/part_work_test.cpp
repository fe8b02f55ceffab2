#include "experiments/parts/part_work.hpp"

#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;
namespace {

struct Seen {
  std::vector<std::uint64_t> steps;
  WorkSeen listener() {
    return [this](std::uint64_t work) { steps.push_back(work); };
  }
};

}  // namespace

TEST_CASE("A part says its weight in all, whatever it counted", "[unit]") {
  Seen seen;
  const WorkSeen listener = seen.listener();
  {
    PartWork work(10, listener);
    work.add(3);
    work.add(4);
  }
  CHECK(seen.steps == std::vector<std::uint64_t>{3, 4, 3});  // the rest at its end

  seen.steps.clear();
  {
    PartWork work(5, listener);
    work.add(4);
    work.add(4);  // one fits
    work.add(4);
  }
  CHECK(seen.steps == std::vector<std::uint64_t>{4, 1});
}

TEST_CASE("A part that failed says no more than it did", "[unit]") {
  Seen seen;
  const WorkSeen listener = seen.listener();
  const auto fail = [&] {
    PartWork work(10, listener);
    work.add(3);
    throw InputError("no");
  };

  CHECK_THROWS_AS(fail(), InputError);
  CHECK(seen.steps == std::vector<std::uint64_t>{3});
}

TEST_CASE("Weights count as whole microseconds, none as nothing", "[unit]") {
  CHECK(whole_work(0.2) == 1);
  CHECK(whole_work(2.5) == 3);
  CHECK(total_work({{"a", 2.5, {}}, {"b", 4, {}}}) == 7);
  CHECK(total_work({}) == 0);
}

TEST_CASE("Parts run in order and give their results in order", "[unit]") {
  std::string ran;
  const auto part = [&](const std::string& name, double weight) {
    return Part{name, weight, [&ran, name] {
                  ran += name;
                  return Json{{"of", name}};
                }};
  };

  const std::vector<Json> results = run_in_order({part("light", 1), part("heavy", 9)});

  CHECK(ran == "lightheavy");
  REQUIRE(results.size() == 2);
  CHECK(results[0] == Json{{"of", "light"}});
  CHECK(results[1] == Json{{"of", "heavy"}});
}

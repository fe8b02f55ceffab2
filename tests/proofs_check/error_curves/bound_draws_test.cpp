#include "proofs_check/error_curves/bound_draws.hpp"

#include "proofs_check/bounds/a_priori_bounds.hpp"
#include "sim/families.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

BoundSetting setting_of(const Instance& instance, Index planes, double temperature) {
  BoundSetting s;
  s.setting = {.planes = planes, .tables = 20, .samples = 12, .temperature = temperature};
  s.centre = exact_centre(instance, s.setting);
  s.moments = table_moments(population_parameters(instance, s.setting), instance);
  return s;
}

const ComparedBound& named(const BoundComparison& all, Term term, const std::string& name) {
  return *std::find_if(all.bounds.begin(), all.bounds.end(),
                       [&](const ComparedBound& b) { return b.term == term && b.name == name; });
}

constexpr BoundEffort kEffort{.draws = 300, .fresh_tables = 20'000};

}  // namespace

TEST_CASE("Proved bounds lie above the true quantile, by less than the printed ones, and are kept", "[oracle]") {
  const Instance instance = make_instance({.keys = 48, .dim = 16, .value_dim = 6}, Seed{4}, 0);

  const BoundComparison c = compare_bounds(instance, {setting_of(instance, 3, 0.3)}, Seed{8}, kEffort).front();

  for (const ComparedBound& bound : c.bounds) {
    INFO(name_of(bound.term) << " " << bound.name);
    CHECK_FALSE(refuted(bound, kEffort.delta));
    CHECK(bound.ratio() > 1);
  }
  CHECK(named(c, Term::finite_tables, "Theorem 1(b)").ratio() < 2);
  CHECK(named(c, Term::finite_tables, "printed, B drawn").ratio() > 10);
  CHECK(named(c, Term::sampling, "Theorem 7(a)").ratio() < 1.5);
  CHECK(named(c, Term::bias, "repaired").ratio() < named(c, Term::bias, "printed, B drawn").ratio());
  const auto radius = [&](Term term, const char* name) { return named(c, term, name).radius; };
  CHECK(radius(Term::total, "repaired") - radius(Term::bias, "repaired") ==
        Approx(radius(Term::total, "printed, B sure") - radius(Term::bias, "printed, B sure")));
}

TEST_CASE("With many samples Theorem 9(a) is the tables' radius around y* at .15 delta", "[unit]") {
  const Instance instance = make_instance({.keys = 48, .dim = 16, .value_dim = 6}, Seed{4}, 0);
  BoundSetting s = setting_of(instance, 3, 0.3);
  s.setting.samples = 20'000;

  const BoundComparison c = compare_bounds(instance, {s}, Seed{8}, {.draws = 100, .fresh_tables = 100}).front();

  // Of tables whose kurtosis is at least 1 and, of these, at most 3.
  const TargetMoments at = target_moments(s.moments, s.centre.angular_output);
  const double least = a_priori_bound(at, 1, 20, 0.15 * 0.05), most = a_priori_bound(at, 3, 20, 0.15 * 0.05);
  const double radius = named(c, Term::total, "Theorem 9(a)").radius;
  CHECK(radius > least);
  CHECK(radius < 1.02 * most);
  CHECK(least > 1.02 * a_priori_bound(at, 3, 20, 0.05));
}

TEST_CASE("The sure occupancy is half of the keys, what a half-space holds or what was drawn, whichever is most",
          "[unit]") {
  const Instance instance = make_instance({.keys = 15, .dim = 4, .value_dim = 2}, Seed{4}, 0);
  const BoundSetting one_plane = setting_of(instance, 1, 0.3), many = setting_of(instance, 12, 0.3);
  BoundEffort effort{.draws = 100, .fresh_tables = 100};
  const auto sure = [&](const BoundSetting& s) { return compare_bounds(instance, {s}, Seed{8}, effort).front(); };

  CHECK(sure(many).occupancy < 8);
  CHECK(sure(many).sure_occupancy == 8);
  // In 2,000 tables of one plane more than half lie on one side, in some more than in the first 20.
  const BoundComparison drawn = sure(one_plane);
  CHECK(drawn.occupancy > 8);
  CHECK(drawn.sure_occupancy >= drawn.occupancy);
  effort.half_space = 14;
  const BoundComparison known = sure(many);
  CHECK(known.sure_occupancy == 14);
  const BoundConstants constants = bound_constants(many.centre, 14);
  CHECK(named(known, Term::finite_tables, "printed, B sure").radius == finite_table_bound(constants, 20, effort.delta));
  CHECK(named(known, Term::bias, "printed, B sure").radius == bias_bound(constants));
}

TEST_CASE("A bound that is missed too often is refuted, if it is proved", "[mutant]") {
  ComparedBound bound{.term = Term::total, .guarantee = Guarantee::proved, .misses = 80};
  bound.miss_rate = clopper_pearson(80, 300, 1e-4);
  ComparedBound bias{.term = Term::bias, .guarantee = Guarantee::proved, .misses = 1};

  CHECK(refuted(bound, 0.05));
  CHECK_FALSE(refuted(bound, 0.3));
  CHECK(refuted(bias, 0.05));
  bound.guarantee = Guarantee::estimated;
  CHECK_FALSE(refuted(bound, 0.05));
}

TEST_CASE("A setting has the same draws alone and beside one with more planes", "[unit]") {
  const Instance instance = make_instance({.keys = 30, .dim = 8, .value_dim = 2}, Seed{4}, 0);
  const BoundSetting few = setting_of(instance, 2, 0.5), many = setting_of(instance, 4, 0.3);
  constexpr BoundEffort kSmall{.draws = 100, .fresh_tables = 100};
  BoundEffort as_wide = kSmall;
  as_wide.drawn_planes = 4;
  const auto on_threads = [&](int count, const std::vector<BoundSetting>& settings) {
    const Threads threads(count);
    return compare_bounds(instance, settings, Seed{8}, count == 1 ? as_wide : kSmall);
  };

  const BoundComparison alone = on_threads(1, {few}).front();
  const std::vector<BoundComparison> both = on_threads(3, {few, many});

  REQUIRE(both.size() == 2);
  CHECK(both[0].occupancy == alone.occupancy);
  CHECK(both[0].occupied_miss == alone.occupied_miss);
  for (std::size_t i = 0; i < alone.bounds.size(); ++i) {
    CHECK(both[0].bounds[i].quantile == alone.bounds[i].quantile);
    CHECK(both[0].bounds[i].radius == alone.bounds[i].radius);
  }
  CHECK(both[1].setting.planes == 4);
}

TEST_CASE("Settings with other tables, and no setting, are refused", "[unit]") {
  const Instance instance = make_instance({.keys = 30, .dim = 8, .value_dim = 2}, Seed{4}, 0);
  const BoundSetting one = setting_of(instance, 2, 0.5);
  BoundSetting other = one;
  other.setting.tables = 21;

  CHECK_THROWS_AS(compare_bounds(instance, {one, other}, Seed{8}, kEffort), InputError);
  CHECK_THROWS_AS(compare_bounds(instance, {}, Seed{8}, kEffort), InputError);
  for (const double delta : {0.0, 1.0}) {
    BoundEffort effort = kEffort;
    effort.delta = delta;
    CHECK_THROWS_AS(compare_bounds(instance, {one}, Seed{8}, effort), InputError);
  }
}

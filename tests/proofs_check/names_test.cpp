#include "proofs_check/names.hpp"

#include "tests/experiments/refusal.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Every name reads back as its value", "[unit]") {
  for (const Verdict v : {Verdict::refuted, Verdict::not_refuted, Verdict::inconclusive})
    CHECK(named<Verdict>(name_of(v)) == v);
  for (const Kind k :
       {Kind::identity, Kind::inequality, Kind::expectation, Kind::high_probability, Kind::limit, Kind::ordering})
    CHECK(named<Kind>(name_of(k)) == k);
  for (const Wording w : {Wording::printed, Wording::reading, Wording::ours}) CHECK(named<Wording>(name_of(w)) == w);
  for (const Severity s :
       {Severity::none, Severity::misprint, Severity::imprecise, Severity::wrong_step, Severity::wrong_result})
    CHECK(named<Severity>(name_of(s)) == s);
  for (const Chance c : {Chance::random, Chance::none}) CHECK(named<Chance>(name_of(c)) == c);
  for (const Relation r : {Relation::equal, Relation::at_most, Relation::at_least})
    CHECK(named<Relation>(name_of(r)) == r);
  for (const IntervalLaw l : {IntervalLaw::point, IntervalLaw::proportion, IntervalLaw::bounded, IntervalLaw::student,
                              IntervalLaw::known_deviation})
    CHECK(named<IntervalLaw>(name_of(l)) == l);
  for (const Profile p : {Profile::smoke, Profile::standard, Profile::deep}) CHECK(named<Profile>(name_of(p)) == p);
}

TEST_CASE("An unknown name is refused with those allowed", "[unit]") {
  CHECK(refusal<InputError>([] { named<Severity>("wrong_step"); }) ==
        "severity is \"wrong_step\": allowed are none, misprint, imprecise, wrong-step, wrong-result");
}

TEST_CASE("Only intervals that hold for every law guarantee their share", "[unit]") {
  CHECK(name_of_share(IntervalLaw::proportion) == "guaranteed");
  CHECK(name_of_share(IntervalLaw::bounded) == "guaranteed");
  CHECK(name_of_share(IntervalLaw::student) == "nominal");
  CHECK(name_of_share(IntervalLaw::known_deviation) == "nominal");
  CHECK(name_of_share(IntervalLaw::point) == "none");
}

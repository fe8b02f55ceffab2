#include "proofs_check/run.hpp"

#include <stdexcept>

#include "proofs_check/evidence.hpp"
#include "proofs_check/statements.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

using Measure = std::function<std::vector<Evidence>(const Context&)>;

// Claims that one uniform draw of the statement's own seed is `claimed`; the exact draw is in the evidence.
std::vector<Evidence> draw(const Context& context, double claimed) {
  const double u = random_uniforms(context.seed, {})[0];
  return {{.quantity = "u",
           .relation = Relation::at_most,
           .observed = {u, u},
           .claimed = claimed,
           .trials = 1,
           .trials_in_scope = 1,
           .error_share = context.share(1)}};
}

Statement about_a_draw(const std::string& id) {
  return {.id = id,
          .chance = Chance::random,
          .measure = [](const Context& c) { return draw(c, 1.0); },
          .mutants = {{"claims a negative number", [](const Context& c) { return draw(c, -1.0); }}}};
}

std::vector<Statement> three() {
  return {about_a_draw("S1-A"), about_a_draw("S1-B"), about_a_draw("S2-C")};
}

// A bound that is kept, `over_trivial` times the trivial one; 0: nothing is told.
Evidence kept(double over_trivial) {
  Evidence e = exact({"I", "P(error > bound)"}, 0, at_most(0.1));
  if (over_trivial != 0) e.bound_over_trivial = over_trivial;
  return e;
}

VacuousSettings settings_of(const std::vector<Evidence>& evidence, Verdict verdict = Verdict::not_refuted) {
  return vacuous_settings({.evidence = evidence, .verdict = verdict});
}

}  // namespace

TEST_CASE("A true statement whose mutant is refuted is as expected", "[unit]") {
  const auto results = run_statements(three(), {});

  REQUIRE(results.size() == 3);
  CHECK(results[0].verdict == Verdict::not_refuted);
  CHECK(mutants_refuted(results[0]) == 1);
  CHECK(as_expected(results[0]));
}

TEST_CASE("A mutant that survives makes the statement not as expected", "[unit]") {
  std::vector<Statement> list = three();
  list[1].mutants.push_back({"not a lie", [](const Context& c) { return draw(c, 1.0); }});

  CHECK_FALSE(as_expected(run_statements(list, {})[1]));
}

TEST_CASE("Without the lies nothing else changes, and the result says that they were left out", "[unit]") {
  std::vector<Statement> list = three();
  list[1].mutants.push_back({"not a lie", [](const Context& c) { return draw(c, 1.0); }});
  list[2].controls = {{"the truth", [](const Context& c) { return draw(c, 2.0); }}};
  const auto whole = run_statements(list, {}), results = run_statements(list, {.mutants = Mutants::left_out});

  REQUIRE(results.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(results[i].evidence[0].observed.lo == whole[i].evidence[0].observed.lo);
    CHECK(results[i].evidence[0].error_share == whole[i].evidence[0].error_share);
    CHECK(results[i].mutants.empty());
    CHECK(results[i].origin.mutants == Mutants::left_out);
    CHECK(as_expected(results[i]));
  }
  REQUIRE(results[2].controls.size() == 1);
  CHECK(results[2].controls[0].evidence[0].observed.lo == whole[2].controls[0].evidence[0].observed.lo);
  CHECK_FALSE(results[0].origin == whole[0].origin);
}

TEST_CASE("A statement expected to be refuted is as expected only when it is", "[unit]") {
  std::vector<Statement> list = three();
  list[0].expected = Verdict::refuted;
  list[1].expected = Verdict::refuted;
  list[1].measure = [](const Context& c) { return draw(c, -1.0); };

  const auto results = run_statements(list, {});

  CHECK_FALSE(as_expected(results[0]));
  CHECK(as_expected(results[1]));
}

TEST_CASE("A statement alone sees the numbers it sees among the others", "[unit]") {
  RunSettings alone;
  alone.only = {"S1-B"};

  const StatementResult in_company = run_statements(three(), {})[1];
  const auto results = run_statements(three(), alone);

  REQUIRE(results.size() == 1);
  CHECK(results[0].statement.id == "S1-B");
  CHECK(results[0].evidence[0].observed.lo == in_company.evidence[0].observed.lo);
  CHECK(results[0].evidence[0].error_share == in_company.evidence[0].error_share);
}

TEST_CASE("Statements see different numbers, a statement and its mutant the same", "[unit]") {
  const auto results = run_statements(three(), {});

  std::set<double> seen;
  for (const StatementResult& r : results) {
    seen.insert(r.evidence[0].observed.lo);
    CHECK(r.evidence[0].observed.lo == r.mutants[0].evidence[0].observed.lo);
  }
  CHECK(seen.size() == 3);
}

TEST_CASE("The shares of all truths and mutants add up to the error of the family", "[unit]") {
  RunSettings settings;
  settings.family_error = 0.125;

  double spent = 0;
  for (const StatementResult& r : run_statements(three(), settings)) {
    spent += r.evidence[0].error_share + r.mutants[0].evidence[0].error_share;
  }

  CHECK(std::abs(spent - 0.125) <= 1e-15);
}

TEST_CASE("Controls have shares too, and what is without chance has none and leaves it to the others", "[unit]") {
  std::vector<Statement> list = three();
  list[0].controls = {{"something true", [](const Context& c) { return draw(c, 1.0); }}};
  list[1].chance = Chance::none;

  // Statement, mutant and control of the first, statement and mutant of the third: 5 measurements.
  CHECK(std::abs(share_of(list[0], list, 0.125) - 0.025) <= 1e-17);
  CHECK(share_of(list[2], list, 0.125) == share_of(list[0], list, 0.125));
  CHECK(share_of(list[1], list, 0.125) == 0);
  for (Statement& s : list) s.chance = Chance::none;
  CHECK(share_of(list[0], list) == 0);
}

TEST_CASE("A control that is refuted, or says nothing, makes a statement not as expected", "[unit]") {
  std::vector<Statement> list = three();
  const auto with_control = [&](const Measure& measure) {
    list[0].controls = {{"something true", measure}};
    return run_statements(list, {})[0];
  };

  const StatementResult kept = with_control([](const Context& c) { return draw(c, 1.0); });

  CHECK(as_expected(kept));
  CHECK(controls_kept(kept) == 1);
  CHECK(kept.controls[0].name == "something true");
  CHECK_FALSE(as_expected(with_control([](const Context& c) { return draw(c, -1.0); })));
  CHECK_FALSE(as_expected(with_control([](const Context&) { return std::vector<Evidence>{}; })));
}

TEST_CASE("A statement without chance that spends error is an error of the program", "[unit]") {
  std::vector<Statement> list = three();
  list[1].chance = Chance::none;
  list[1].measure = [](const Context& c) {
    auto evidence = draw(c, 1.0);
    evidence[0].error_share = 1e-9;
    return evidence;
  };

  CHECK_THROWS_AS(run_statements(list, {}), std::logic_error);
}

TEST_CASE("A result says what the statement says, and which run it is of", "[unit]") {
  std::vector<Statement> list = three();
  list[1].wording = Wording::reading;
  list[1].quote = "for every q";
  list[1].severity = Severity::imprecise;
  list[1].no_near_mutant = "an order";
  list[1].chance = Chance::none;
  list[1].measure = [](const Context&) -> std::vector<Evidence> { return {exact({}, 1, equals(1))}; };
  list[1].mutants.clear();

  const StatementResult r =
      run_statements(list, {.seed = {5}, .profile = Profile::smoke, .only = {"S1-B"}, .version = "1.2.3"})[0];

  CHECK(r.statement.wording == Wording::reading);
  CHECK(r.statement.quote == "for every q");
  CHECK(r.statement.severity == Severity::imprecise);
  CHECK(r.statement.no_near_mutant == "an order");
  CHECK(r.statement.chance == Chance::none);
  CHECK(r.origin == Origin{"1.2.3", fingerprint(list), 5, Profile::smoke, ""});
}

TEST_CASE("The fingerprint changes with everything that a statement says", "[unit]") {
  const std::vector<Statement> list = three();
  const std::string other = "something else";
  const auto changed = [&](const std::function<void(Statement&)>& change) {
    std::vector<Statement> edited = list;
    change(edited[1]);
    return fingerprint(edited) != fingerprint(list);
  };

  CHECK(fingerprint(list) == fingerprint(three()));
  CHECK(fingerprint(list).size() == 16);
  CHECK(changed([&](Statement& s) { s.id = "S1-D"; }));
  CHECK(changed([&](Statement& s) { s.title = other; }));
  CHECK(changed([&](Statement& s) { s.source = other; }));
  CHECK(changed([&](Statement& s) { s.wording = Wording::reading; }));
  CHECK(changed([&](Statement& s) { s.quote = other; }));
  CHECK(changed([&](Statement& s) { s.kind = Kind::limit; }));
  CHECK(changed([&](Statement& s) { s.scope = other; }));
  CHECK(changed([&](Statement& s) { s.chance = Chance::none; }));
  CHECK(changed([&](Statement& s) { s.mutants[0].name = other; }));
  CHECK(changed([&](Statement& s) { s.mutants.pop_back(); }));
  CHECK(changed([&](Statement& s) { s.no_near_mutant = other; }));
  CHECK(changed([&](Statement& s) { s.controls.push_back({"x", {}}); }));
  CHECK(changed([&](Statement& s) { s.expected = Verdict::refuted; }));
  CHECK(changed([&](Statement& s) { s.severity = Severity::misprint; }));
  CHECK(changed([&](Statement& s) { s.remark = other; }));
  CHECK(fingerprint({list[1], list[0], list[2]}) != fingerprint(list));
}

TEST_CASE("Spending more than the share is an error of the program", "[unit]") {
  std::vector<Statement> list = three();
  list[2].measure = [](const Context& c) {
    auto evidence = draw(c, 1.0);
    evidence.push_back(evidence[0]);
    return evidence;
  };

  CHECK_THROWS_AS(run_statements(list, {}), std::logic_error);
}

TEST_CASE("A measurement that throws is inconclusive and says why", "[unit]") {
  std::vector<Statement> list = three();
  list[0].measure = [](const Context&) -> std::vector<Evidence> { throw InputError("zero vector"); };

  const StatementResult result = run_statements(list, {})[0];

  CHECK(result.verdict == Verdict::inconclusive);
  CHECK(result.failure == "zero vector");
  CHECK_FALSE(as_expected(result));
}

TEST_CASE("An unknown id is refused with the nearest ones", "[unit]") {
  CHECK(refusal<InputError>([] {
          chosen_statements(three(), {"S1-A", "S2-D"});
        }).starts_with("no statement S2-D: the nearest are S2-C"));
}

TEST_CASE("The worst evidence is of the worst verdict, and then the nearest to refutation", "[unit]") {
  const Evidence far = exact({"", "far"}, 0.1, at_most(1));
  const Evidence near = exact({"", "near"}, 0.9, at_most(1));
  const Evidence refuted = exact({"", "refuted"}, 2, at_most(1));

  CHECK(worst_evidence({}) == nullptr);
  CHECK(worst_evidence({far, near})->quantity == "near");
  CHECK(worst_evidence({far, refuted, near})->quantity == "refuted");
}

TEST_CASE("A bound says nothing from the trivial one on, and something just below it", "[unit]") {
  CHECK(settings_of({kept(1)}).all());
  CHECK(settings_of({kept(4)}).all());
  CHECK_FALSE(settings_of({kept(std::nextafter(1, 0))}).all());
  CHECK_FALSE(settings_of({kept(NAN)}).all());
}

TEST_CASE("One setting where it says something is enough, and those that tell nothing do not count", "[unit]") {
  const VacuousSettings mixed = settings_of({kept(2), kept(0), kept(0.5), kept(3)});

  CHECK(mixed.vacuous == 2);
  CHECK(mixed.of == 3);
  CHECK_FALSE(mixed.all());
  CHECK_FALSE(settings_of({kept(0)}).all());
  CHECK(settings_of({kept(0)}).of == 0);
}

TEST_CASE("Of a bound that is refuted or left open nothing is said", "[unit]") {
  CHECK(settings_of({kept(2)}, Verdict::refuted).of == 0);
  CHECK(settings_of({kept(2)}, Verdict::inconclusive).of == 0);
}

#include "proofs_check/error_curves/judged_terms.hpp"

#include <stdexcept>

#include "tests/numbers.hpp"

using namespace skt;

namespace {

// 100 numbers around a mean, with a deviation of about `spread` times it.
Moments around(double mean, double spread = 1e-3) {
  Moments moments;
  for (int i = 0; i < 50; ++i) {
    moments.add(mean * (1 - spread));
    moments.add(mean * (1 + spread));
  }
  return moments;
}

// L = 100, M = 25. Mean squares: sampling 0.36, finite tables 4/100, bias 0.5^2, total 0.36 + 0.04 + 0.25; Z~ is the
// same in every table, so the limits need no correction.
struct Case {
  Instance instance{"two keys", Vector::Zero(2), Matrix::Zero(2, 2), Matrix::Zero(2, 2)};
  Setting setting{.tables = 100, .samples = 25, .budget = 1};
  Centre centre;
  MeasuredTerms measured;

  Case() {
    centre.population_mass = 1;
    centre.angular_output = Vector::Zero(2);
    centre.population_output = Vector{{0.5, 0.0}};
    centre.bias = {0.5, 0};
    centre.tables.mean_square = {4, 0};
    centre.tables.bias = Vector::Zero(2);
    centre.largest_value = 3;
    measured.sampling = around(0.36);
    measured.sampling_expected = around(0.36, 0);
    measured.finite_tables = around(0.04);
    measured.bias = around(0.5);
    measured.total = around(0.65);
    measured.selection = around(0.09);
    measured.left_out = around(0.04);
    measured.occupied_miss = around(10);
  }

  TermResults judged() const {
    const TermBounds drawn{{1, 2, 3}, 10}, sure{{4, 5, 6}, 20};
    return judge_terms({instance, setting, centre, measured, 1e-3}, drawn, sure);
  }
};

bool close(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::abs(b);
}

}  // namespace

TEST_CASE("Terms that meet their exact centres are not refuted", "[unit]") {
  const TermResults terms = Case().judged();

  CHECK(terms.sampling.verdict == Verdict::not_refuted);
  CHECK(terms.finite_tables.verdict == Verdict::not_refuted);
  CHECK(terms.bias.verdict == Verdict::not_refuted);
  CHECK(terms.total.verdict == Verdict::not_refuted);
  CHECK(!terms.selection->verdict.has_value());
}

TEST_CASE("A term is a root mean square, scaled by what makes its mean square constant", "[unit]") {
  const TermResults terms = Case().judged();

  CHECK(close(terms.sampling.measured, 0.6));
  CHECK(close(terms.sampling.predicted.value, 0.6));
  CHECK(close(terms.sampling.scaled, 9));  // 25 * 0.36
  CHECK(close(terms.finite_tables.measured, 0.2));
  CHECK(close(terms.finite_tables.scaled, 4));
  CHECK(close(terms.finite_tables.scaled_predicted.value, 4));
  CHECK(terms.finite_tables.scaled_interval.contains(4));
  CHECK(close(terms.bias.measured, 0.5));
  CHECK(std::isnan(terms.bias.scaled));
  CHECK(close(terms.total.predicted.value, std::sqrt(0.65)));
  CHECK(std::isnan(terms.total.scaled));
  CHECK(close(terms.selection->measured, 0.3));
  CHECK(std::isnan(terms.selection->predicted.value));
}

TEST_CASE("The error of a root is half of that of the square over it, and a root itself where the square is 0",
          "[unit]") {
  Case known;
  known.centre.tables.mean_square = {4, 0.04};  // over 100 tables 0.04 and 4e-4, whose root is 0.2 and 4e-4/0.4
  const TermResults terms = known.judged();
  known.centre.tables.mean_square = {0, 0.04};

  CHECK(close(terms.finite_tables.predicted.value, 0.2));
  CHECK(std::abs(terms.finite_tables.predicted.error - 1e-3) <= 1e-12);
  CHECK(std::abs(terms.finite_tables.scaled_predicted.error - 0.04) <= 1e-11);
  CHECK(known.judged().finite_tables.predicted.value == 0);
  CHECK(std::abs(known.judged().finite_tables.predicted.error - 0.02) <= 1e-12);
}

TEST_CASE("Every term has the bound of its own name", "[unit]") {
  const TermResults terms = Case().judged();

  CHECK(terms.sampling.bound_drawn == 1);
  CHECK(terms.finite_tables.bound_drawn == 2);
  CHECK(terms.bias.bound_drawn == 3);
  CHECK(terms.total.bound_drawn == 6);
  CHECK(terms.sampling.bound_sure == 4);
  CHECK(terms.finite_tables.bound_sure == 5);
  CHECK(terms.bias.bound_sure == 6);
  CHECK(terms.total.bound_sure == 15);
  CHECK(close(terms.selection->bound_drawn, 1.2));  // 2 * 3 * sqrt(0.04)
  CHECK(close(terms.bias.bound_repaired, 60));      // 2 * 10 / 1 * 3
  CHECK(close(terms.total.bound_repaired, 69));     // 4 + 5 + 60
  CHECK(std::isnan(terms.sampling.bound_repaired));
  CHECK(std::isnan(terms.finite_tables.bound_repaired));
}

TEST_CASE("A mean square that is off by a factor of two is refuted, a scattered one decides nothing", "[mutant]") {
  Case twice;
  twice.measured.finite_tables = around(0.08);
  twice.measured.bias = around(1.0);
  Case scattered;
  scattered.measured.sampling = around(0.36, 0.95);

  CHECK(twice.judged().finite_tables.verdict == Verdict::refuted);
  CHECK(twice.judged().bias.verdict == Verdict::refuted);
  CHECK(twice.judged().sampling.verdict == Verdict::not_refuted);
  CHECK(scattered.judged().sampling.verdict == Verdict::inconclusive);
}

TEST_CASE("An error at the floor of rounding is not refuted, one above it is", "[mutant]") {
  // One output of two keys in two dimensions is off by 2 (2 2 + 2 + 4) = 20 units of 3 at most.
  const double floor = 60 * std::numeric_limits<double>::epsilon();
  Case exact;
  exact.centre.tables.mean_square = {0, 0};
  exact.measured.finite_tables = around(0.9 * floor * floor);
  Case above = exact;
  above.measured.finite_tables = around(1.1 * floor * floor);

  CHECK(exact.judged().finite_tables.verdict == Verdict::not_refuted);
  CHECK(above.judged().finite_tables.verdict == Verdict::refuted);
}

TEST_CASE("With few tables the limits in L are not judged, sampling and bias are", "[unit]") {
  Case few;
  few.setting.tables = kLeastTablesOfLimit - 1;
  const TermResults terms = few.judged();

  CHECK(!terms.finite_tables.verdict.has_value());
  CHECK(!terms.total.verdict.has_value());
  CHECK(terms.sampling.verdict.has_value());
  CHECK(terms.bias.verdict.has_value());
}

TEST_CASE("Terms are found by name and listed in the order of the enumeration", "[unit]") {
  Case without = {};
  without.setting.budget = 0;
  const auto listed = [](const TermResults& terms) {
    std::string names;
    terms.each([&](const TermResult& term) { names += name_of(term.term) + " "; });
    return names;
  };

  CHECK(listed(Case().judged()) == "sampling finite-tables bias total selection ");
  CHECK(listed(without.judged()) == "sampling finite-tables bias total ");
  const TermResults terms = Case().judged();
  for (const Term term : {Term::sampling, Term::finite_tables, Term::bias, Term::total, Term::selection}) {
    CHECK(terms.of(term).term == term);
  }
}

TEST_CASE("The squares of a term are its own, and the bias has none", "[unit]") {
  const MeasuredTerms measured = Case().measured;

  CHECK(&squares_of(Term::sampling, measured) == &measured.sampling);
  CHECK(&squares_of(Term::finite_tables, measured) == &measured.finite_tables);
  CHECK(&squares_of(Term::total, measured) == &measured.total);
  CHECK(&squares_of(Term::selection, measured) == &measured.selection);
  CHECK_THROWS_AS(squares_of(Term::bias, measured), std::invalid_argument);
}

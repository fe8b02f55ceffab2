#include "proofs_check/estimators_under_test.hpp"

#include <atomic>

#include "proofs_check/rounding.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Hyperplanes kAxes = given_hyperplanes(1, 2, Matrix{{1, 0}, {0, 1}});
const Vector kQuery{{1, 0}};

double sigma(double x) {
  return 1 / (1 + std::exp(-x));
}

// Scores of the query itself as the only key.
double score_of_query(const EstimatorsUnderTest& estimators, const Hyperplanes& hyperplanes) {
  const KeyCodes codes = hash_keys(hyperplanes, Matrix(kQuery.transpose()));
  return estimators.soft(hyperplanes, codes, kQuery, {.temperature = 0.5})(0);
}

}  // namespace

TEST_CASE("Without a fault the functions are the estimators", "[unit]") {
  const EstimatorsUnderTest real_ones;

  CHECK(real_ones.draw({1}, 2, 3, 2, 4).rows == draw_hyperplanes({1}, 2, 3, 2, 4).rows);
  CHECK(real_ones.hash(kAxes, Matrix{{1, -1}}).codes == std::vector<std::uint32_t>{2});
  // Planes e_1 and e_2: sigma(2 tanh(1)/(sqrt(2) tau)) and 1/2.
  CHECK(std::abs(score_of_query(real_ones, kAxes) - sigma(4 * std::tanh(1.0) / std::sqrt(2.0)) / 2) <= 16 * kUnit);
  CHECK(real_ones.select(Vector::Ones(3), {}, {.budget = 1}) == std::vector<Index>{0});
}

TEST_CASE("no-scaling leaves out the division by sqrt(d)", "[mutant]") {
  const double score = score_of_query(estimators_with_fault("no-scaling"), kAxes);

  CHECK(std::abs(score - sigma(4 * std::tanh(1.0)) / 2) <= 16 * kUnit);
}

TEST_CASE("little-endian reverses the bits of a code", "[mutant]") {
  const Hyperplanes three = given_hyperplanes(1, 3, Matrix::Identity(3, 3));

  const KeyCodes codes = estimators_with_fault("little-endian").hash(three, Matrix{{1, -1, -1}, {1, 1, -1}});

  CHECK(codes.codes == std::vector<std::uint32_t>{0b001, 0b011});
}

TEST_CASE("reused-table gives every table the planes of the first", "[mutant]") {
  const Hyperplanes drawn = estimators_with_fault("reused-table").draw({1}, 0, 3, 2, 4);

  CHECK(drawn.rows.topRows(2) == draw_hyperplanes({1}, 0, 3, 2, 4).rows.topRows(2));
  CHECK(drawn.rows.middleRows(2, 2) == drawn.rows.topRows(2));
  CHECK(drawn.rows.bottomRows(2) == drawn.rows.topRows(2));
}

TEST_CASE("strict-sign moves a projection of 0 to the other side and no other", "[mutant]") {
  const KeyCodes codes = estimators_with_fault("strict-sign").hash(kAxes, Matrix{{0, 0}, {1, -1}, {-1, 0}, {-1, 1}});

  CHECK(codes.codes == std::vector<std::uint32_t>{0b00, 0b10, 0b00, 0b01});
}

TEST_CASE("wrong-normaliser divides by the normaliser of the next table", "[mutant]") {
  // One plane a table, e_1 and e_2: probabilities sigma(2x) and 1/2, normalisers 2 cosh(x) and 2, x = u/tau.
  const Hyperplanes two = given_hyperplanes(2, 1, Matrix{{1, 0}, {0, 1}});
  const double x = 2 * std::tanh(1.0) / std::sqrt(2.0);

  const double score = score_of_query(estimators_with_fault("wrong-normaliser"), two);

  CHECK(std::abs(score - (std::cosh(x) * sigma(2 * x) + 0.5 / std::cosh(x))) <= 64 * kUnit);
}

TEST_CASE("wrong-ties prefers the larger of two indices with equal scores, under a mask as well", "[mutant]") {
  const auto select = estimators_with_fault("wrong-ties").select;
  const std::vector<Allowed> mask = {Allowed::yes, Allowed::yes, Allowed::no};

  CHECK(select(Vector::Ones(3), {}, {.budget = 2}) == std::vector<Index>{2, 1});
  CHECK(select(Vector{{1, 3, 2}}, {}, {.budget = 2}) == std::vector<Index>{1, 2});
  CHECK(select(Vector::Ones(3), mask, {.budget = 1}) == std::vector<Index>{1});
}

TEST_CASE("uniform-planes maps every normal entry by its distribution function onto [-1, 1]", "[mutant]") {
  const Matrix uniform = estimators_with_fault("uniform-planes").draw({1}, 0, 2, 2, 4).rows;
  const Matrix normal = draw_hyperplanes({1}, 0, 2, 2, 4).rows;

  // 2 Phi(z) - 1 = 1 - erfc(z/sqrt(2)).
  for (Index i = 0; i < normal.size(); ++i)
    CHECK(std::abs(uniform.data()[i] - (1 - std::erfc(normal.data()[i] / std::numbers::sqrt2))) <= 4 * kUnit);
}

TEST_CASE("Each fault changes one function, and there are seven", "[unit]") {
  const std::vector<std::string> names = {"no-scaling",       "little-endian", "reused-table",  "strict-sign",
                                          "wrong-normaliser", "wrong-ties",    "uniform-planes"};

  CHECK(fault_names() == names);

  // Two tables of two planes; a key of which one projection is 0.
  const Hyperplanes two_tables = given_hyperplanes(2, 2, Matrix{{1, 0}, {0, 1}, {2, 1}, {0, 3}});
  const Matrix keys{{1, -1}, {0, 1}};
  const EstimatorsUnderTest real_ones;
  for (const std::string& name : names) {
    INFO(name);
    const EstimatorsUnderTest faulty = estimators_with_fault(name);
    const auto broken = [&](Function function) { return broken_function(name) == function; };
    CHECK((faulty.draw({1}, 0, 2, 2, 4).rows != real_ones.draw({1}, 0, 2, 2, 4).rows) == broken(Function::draw));
    CHECK((faulty.hash(two_tables, keys).codes != real_ones.hash(two_tables, keys).codes) == broken(Function::hash));
    const KeyCodes codes = hash_keys(two_tables, keys);
    CHECK((faulty.soft(two_tables, codes, kQuery, {.temperature = 0.5}) !=
           real_ones.soft(two_tables, codes, kQuery, {.temperature = 0.5})) == broken(Function::soft));
    CHECK((faulty.select(Vector::Ones(3), {}, {.budget = 1}) != real_ones.select(Vector::Ones(3), {}, {.budget = 1})) ==
          broken(Function::select));
  }
}

TEST_CASE("Recording estimators are the real ones and tell which were called", "[unit]") {
  std::atomic<unsigned> called = 0;
  const EstimatorsUnderTest recording = recording_estimators(called);

  CHECK(called == 0);
  CHECK(recording.draw({1}, 2, 3, 2, 4).rows == draw_hyperplanes({1}, 2, 3, 2, 4).rows);
  CHECK(called == static_cast<unsigned>(Function::draw));
  CHECK(recording.hash(kAxes, Matrix{{1, -1}}).codes == std::vector<std::uint32_t>{2});
  CHECK(called == (static_cast<unsigned>(Function::draw) | static_cast<unsigned>(Function::hash)));
  recording.soft(kAxes, hash_keys(kAxes, Matrix{{1, -1}}), kQuery, {.temperature = 0.5});
  CHECK(recording.select(Vector::Ones(3), {}, {.budget = 1}) == std::vector<Index>{0});
  CHECK(called == 15);
}

TEST_CASE("An unknown fault is refused with the names allowed", "[unit]") {
  CHECK(refusal<InputError>([] {
          estimators_with_fault("big-endian");
        }).starts_with("no fault \"big-endian\": allowed are no-scaling, little-endian"));
}

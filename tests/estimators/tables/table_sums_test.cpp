#include "estimators/tables/table_sums.hpp"

#include "estimators/weighted_output.hpp"
#include "sim/families.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

struct Drawn {
  Instance instance;
  Hyperplanes hyperplanes;
  KeyCodes codes;
};

Drawn drawn(Index keys) {
  const Instance instance = make_instance({.keys = keys, .dim = 8, .value_dim = 3}, Seed{4}, 0);
  const Hyperplanes hyperplanes = draw_hyperplanes(Seed{5}, 0, 4, 3, 8);
  return {instance, hyperplanes, hash_keys(hyperplanes, instance.keys)};
}

constexpr SocketParameters kParameters{0.3, Scaling::none};

}  // namespace

TEST_CASE("every table's sums are those of its scores", "[unit]") {
  for (const Index keys : {1, 255, 256, 257, 700}) {
    const auto [instance, hyperplanes, codes] = drawn(keys);

    const TableSums sums = table_sums(hyperplanes, codes, instance.query, instance.values, kParameters);

    const double rounding = 4 * real(keys) * std::numeric_limits<double>::epsilon();
    for (Index l = 0; l < 4; ++l) {
      const Vector scores = soft_scores_of_table(hyperplanes, codes, l, instance.query, kParameters);
      const Vector numerator = instance.values.transpose() * scores;
      CHECK(std::abs(sums.normalisers(l) - scores.sum()) <= rounding * scores.sum());
      CHECK((sums.numerators.row(l).transpose() - numerator).norm() <=
            rounding * scores.dot(instance.values.rowwise().norm()));
    }
    const Vector all = soft_scores(hyperplanes, codes, instance.query, kParameters);
    CHECK((sums.output() - weighted_output(all, instance.values)).norm() <=
          8 * rounding * instance.values.rowwise().norm().maxCoeff());
  }
}

TEST_CASE("two keys in the plane have the sums worked out by hand", "[unit]") {
  // One plane along the query: bit 1 for key 0, 0 for key 1. u = tanh(2), tau = 1: sigma(2 u) and 1 - sigma(2 u).
  Matrix keys(2, 2), values(2, 1), row(1, 2);
  keys << 1, 0, -1, 0;
  values << 3, 5;
  row << 1, 0;
  const Vector query = (Vector(2) << 2, 0).finished();
  const Hyperplanes plane = given_hyperplanes(1, 1, row);
  const double agree = 1 / (1 + std::exp(-2 * std::tanh(2.0)));

  const TableSums sums = table_sums(plane, hash_keys(plane, keys), query, values, {1, Scaling::none});

  CHECK(sums.normalisers(0) == Approx(1).epsilon(1e-15));
  CHECK(sums.numerators(0, 0) == Approx(3 * agree + 5 * (1 - agree)).epsilon(1e-15));
}

TEST_CASE("values in pieces of whole blocks give the same bits, and so do threads", "[unit]") {
  const auto [instance, hyperplanes, codes] = drawn(700);
  const Threads three(3);
  const TableSums whole = table_sums(hyperplanes, codes, instance.query, instance.values, kParameters);

  TableSums pieces = empty_table_sums(4, 3);
  for (const Index first : {0, 512}) {
    const Matrix rows = instance.values.middleRows(first, first == 0 ? 512 : 188);
    add_table_sums(pieces, hyperplanes, codes, instance.query, first, rows, kParameters);
  }

  CHECK(pieces.numerators == whole.numerators);
  CHECK(pieces.normalisers == whole.normalisers);
}

TEST_CASE("codes, planes and values that do not fit are refused", "[unit]") {
  const auto [instance, hyperplanes, codes] = drawn(10);

  CHECK_THROWS_AS(table_sums(hyperplanes, codes, instance.query, instance.values.topRows(9), kParameters), InputError);
  const Hyperplanes fewer = draw_hyperplanes(Seed{5}, 0, 3, 3, 8);
  CHECK_THROWS_AS(table_sums(fewer, codes, instance.query, instance.values, kParameters), InputError);
  TableSums narrow = empty_table_sums(4, 2);
  CHECK_THROWS_AS(add_table_sums(narrow, hyperplanes, codes, instance.query, 0, instance.values, kParameters),
                  InputError);
}

#include "sim/normal_rows.hpp"

#include "tests/catch.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

const Seed kSeed{31};
const DrawAddress kFirst{.role = Role::test_draw, .trial = 4, .table = 2, .row = 7};

}  // namespace

TEST_CASE("Row j holds the numbers of the address whose row is j places further", "[unit]") {
  const Matrix drawn = normal_rows(kSeed, kFirst, 3, 5);

  for (std::uint32_t j = 0; j < 3; ++j) {
    std::vector<double> row(5);
    fill_normal(kSeed, {.role = Role::test_draw, .trial = 4, .table = 2, .row = 7 + j}, row);
    for (Index c = 0; c < 5; ++c) CHECK(drawn(j, c) == row[c]);
  }
  CHECK(normal_vector(kSeed, kFirst, 5) == drawn.row(0).transpose());
}

TEST_CASE("The first rows of a larger draw are the rows of a smaller one, for any number of threads", "[unit]") {
  const auto rows_by = [](int threads, Index rows) {
    const Threads some(threads);
    return normal_rows(kSeed, kFirst, rows, 100);
  };
  const Matrix few = rows_by(1, 33), many = rows_by(3, 400);  // the latter is more than one thread draws alone

  CHECK(many.topRows(33) == few);
  CHECK(many == rows_by(1, 400));
  CHECK(normal_rows(kSeed, kFirst, 0, 5).rows() == 0);
}

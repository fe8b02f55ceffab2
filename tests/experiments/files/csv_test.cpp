#include "experiments/files/csv.hpp"

#include <limits>
#include <stdexcept>

#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("A CSV table is a header and one line for each row", "[unit]") {
  CsvTable table({"term", "rms_value_units", "trials"});
  table.add({"bias", 0.25, std::int64_t{7}});
  table.add({"total", 1e-300, std::int64_t{-1}});

  CHECK(table.text() == "term,rms_value_units,trials\nbias,0.25,7\ntotal,1e-300,-1\n");
}

TEST_CASE("Text that CSV could misread is quoted", "[unit]") {
  CsvTable table({"a,b"});
  table.add({"say \"no\""});
  table.add({"two\nlines"});

  CHECK(table.text() == "\"a,b\"\n\"say \"\"no\"\"\"\n\"two\nlines\"\n");
}

TEST_CASE("A number reads back to the same double, and NaN is an empty cell", "[unit]") {
  const double third = 1.0 / 3;
  CsvTable table({"x", "y"});
  table.add({third, std::numeric_limits<double>::quiet_NaN()});

  const std::string line = table.text().substr(4);
  CHECK(line.back() == '\n');
  CHECK(line.substr(line.size() - 2) == ",\n");
  CHECK(std::stod(line) == third);
}

TEST_CASE("A row of the wrong length is a programming error", "[unit]") {
  CsvTable table({"x", "y"});

  CHECK_THROWS_AS(table.add({1.0}), std::logic_error);
}

TEST_CASE("A column that is added stands last, with its cell in every row", "[unit]") {
  CsvTable table({"x"});
  table.add({1.0});
  table.add({2.0});

  table.add_column("command", "a,b");

  CHECK(table.text() == "x,command\n1,\"a,b\"\n2,\"a,b\"\n");
}

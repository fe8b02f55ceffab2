#include "experiments/command/option_text.hpp"

#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("The command that gives the same results again has what was given, but for threads and folder", "[unit]") {
  CLI::App app;
  SharedOptions shared;
  CLI::App& sub = add_subcommand(app, "sweep", "", shared, [] { return 0; });
  Index keys = 1, planes = 8;
  std::vector<double> values;
  sub.add_option("--keys", keys);
  sub.add_option("--planes", planes);
  add_list(sub, "--values", values, "");

  app.parse("sweep --threads 2 --values 4 16 --keys 32 --out there --seed 9");

  CHECK(command_text(sub, shared) == "socketlab sweep --values 4,16 --keys 32 --seed 9");
}

TEST_CASE("A command without options has its seed, given or not", "[unit]") {
  CLI::App app;
  SharedOptions shared;
  CLI::App& sub = add_subcommand(app, "sweep", "", shared, [] { return 0; });

  app.parse("sweep");

  CHECK(command_text(sub, shared) == "socketlab sweep --seed 1");
}

TEST_CASE("A list breaks before the item that would pass the width, and not before", "[unit]") {
  CHECK(comma_list({}, {.width = 10}).empty());
  CHECK(comma_list({"one"}, {.width = 1}) == "one");
  CHECK(comma_list({"a", "bb", "ccc"}, {.width = 10}) == "a, bb, ccc");
  CHECK(comma_list({"a", "bb", "ccc"}, {.width = 9}) == "a, bb,\nccc");
  CHECK(comma_list({"a", "bb", "ccc"}, {.width = 12, .indent = 2}) == "a, bb, ccc");
  CHECK(comma_list({"a", "bb", "ccc"}, {.width = 11, .indent = 2}) == "a, bb,\n  ccc");
  CHECK(comma_list({"longer", "than", "all"}, {.width = 3}) == "longer,\nthan,\nall");
}
